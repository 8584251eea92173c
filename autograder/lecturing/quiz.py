"""Questions on a page: one is asked, answers are chosen, and each says why it is right or wrong. No script is needed."""

import html
import re
import zlib
from dataclasses import dataclass

from markdown import markdown

from autograder.lecturing.drawn import Drawn


@dataclass(frozen=True)
class Choice:
    """One answer to choose, whether it is right, and why."""

    answer: str
    because: str
    right: bool


def right(answer: str, because: str) -> Choice:
    """Return the right answer of a question."""
    return Choice(answer, because, right=True)


def wrong(answer: str, because: str) -> Choice:
    """Return a wrong answer, with what speaks against it."""
    return Choice(answer, because, right=False)


def quiz(question: str, *choices: Choice) -> Drawn:
    """Return one question with its choices, exactly one of which is right. Texts are inline Markdown."""
    if sum(choice.right for choice in choices) != 1:
        raise ValueError(f"the question {question!r} needs exactly one right answer")
    name = f"quiz-{zlib.crc32(question.encode()):08x}"
    rows = "".join(_row(f"{name}-{number}", name, choice) for number, choice in enumerate(choices, start=1))
    page = f'<fieldset class="quiz"><legend>{_inline(question)}</legend>{rows}</fieldset>'
    listed = "\n".join(
        f"- {choice.answer} ({'right' if choice.right else 'no'}: {choice.because})" for choice in choices
    )
    return Drawn(page, f"**{question}**\n\n{listed}\n")


def _row(identity: str, name: str, choice: Choice) -> str:
    verdict = "Right." if choice.right else "No."
    return (
        f'<div class="choice {"right" if choice.right else "wrong"}">'
        f'<input type="radio" name="{name}" id="{identity}"><label for="{identity}">{_inline(choice.answer)}</label>'
        f'<div class="because" role="status"><p><strong>{verdict}</strong> {_inline(choice.because)}</p></div></div>'
    )


def _inline(text: str) -> str:
    """Return inline Markdown as HTML, without a paragraph around it. Raises ValueError for a link that would lead nowhere."""
    if re.search(r"\]\([^)]*\.md\b", text):
        raise ValueError(f"{text!r} links to a file; in a question write the address on the site, as in (../causal_mask/)")
    made = markdown(html.escape(text, quote=False).replace("&gt;", ">"), extensions=["autograder.lecturing.mathml"])
    return made.removeprefix("<p>").removesuffix("</p>")
