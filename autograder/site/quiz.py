"""Draw a question with choices that explain why they are right or wrong. No script is needed."""

import re
import zlib
from dataclasses import dataclass
from functools import partial

from autograder.site.figure import Figure, inline


@dataclass(frozen=True)
class Choice:
    """An answer, and the reason why it is right or wrong."""

    answer: str
    because: str
    right: bool


right, wrong = partial(Choice, right=True), partial(Choice, right=False)


def quiz(question: str, *choices: Choice) -> Figure:
    """Return a question with choices, all inline Markdown. Raises ValueError unless one is right."""
    if sum(choice.right for choice in choices) != 1:
        raise ValueError(f"the question {question!r} needs exactly one right answer")
    name = f"quiz-{zlib.crc32(repr((question, choices)).encode()):08x}"
    rows = "".join(_row(f"{name}-{number}", name, choice) for number, choice in enumerate(choices, start=1))
    page = f'<fieldset class="quiz" data-search-exclude><legend>{_inline(question)}</legend>{rows}</fieldset>'
    return Figure(page, _as_text(question, choices))


def _as_text(question: str, choices: tuple[Choice, ...]) -> str:
    """Return a question as text, with the reasons behind a click."""
    listed = "\n".join(f"{number}. {choice.answer}" for number, choice in enumerate(choices, start=1))
    reasons = "\n".join(
        f"{number}. {'Right' if choice.right else 'No'}. {choice.because}"
        for number, choice in enumerate(choices, start=1)
    )
    return f"**{question}**\n\n{listed}\n\n<details><summary>Answer</summary>\n\n{reasons}\n\n</details>\n"


def _row(identity: str, name: str, choice: Choice) -> str:
    verdict = "Right." if choice.right else "No."
    return (
        f'<div class="choice {"right" if choice.right else "wrong"}">'
        f'<input type="radio" name="{name}" id="{identity}"><label for="{identity}">{_inline(choice.answer)}</label>'
        f'<div class="because" role="status"><p><strong>{verdict}</strong> {_inline(choice.because)}</p></div></div>'
    )


def _inline(text: str) -> str:
    """Return inline Markdown as HTML. A link to the file of a page becomes the page's address."""
    return inline(re.sub(r"\]\((\w+)\.md", r"](../\1/", text))
