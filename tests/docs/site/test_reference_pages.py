"""The reference as it is built: nothing of the course, of the command line or of the marks is missing from it."""

import re
from functools import cache

import click
import pytest
from built_site import Site
from lxml import html

from autograder.authoring.release import STUDENTS_RUN
from autograder.cli.main import VERBS, attn
from autograder.exam.syllabus import load
from autograder.site.cards import readable
from autograder.site.exercise import card_anchor
from autograder.workspace import COURSE

pytestmark = pytest.mark.slow

STEPS, COMMANDS, MARKS = (f"reference/{name}/" for name in ("steps", "commands", "marks"))
OF_INSTRUCTORS = "reference/commands_for_instructors/"


@cache
def read(site: Site, page: str) -> html.HtmlElement:
    return html.parse(str(site.file(page))).getroot()


def section(site: Site, page: str, anchor: str) -> html.HtmlElement:
    """Return what stands from a heading to the next one of its level or above."""
    (heading,) = read(site, page).xpath(f"//*[@id={anchor!r}]")
    found = html.Element("section")
    for element in heading.itersiblings():
        if re.fullmatch(r"h[1-6]", str(element.tag)) and element.tag <= heading.tag:
            break
        found.append(html.fromstring(html.tostring(element)))
    return found


def test_every_step_has_a_card_with_its_points_its_signature_and_its_stub(site: Site) -> None:
    for step in load(COURSE.syllabus).steps:
        card = section(site, STEPS, card_anchor(step))
        (signature,) = card.xpath(".//*[contains(@class, 'step-signature')]//code")

        assert card.xpath("./p")[0].text_content().startswith(f"{step.points:g} point")
        assert signature.text_content().strip() == readable(step.signature)
        assert f'NotImplementedError("step {step.number}: {step.name}")' in card.xpath("./details")[0].text_content()


def test_every_verb_is_on_its_page_with_all_its_options(site: Site) -> None:
    context = click.Context(attn)
    for name, module in VERBS.items():
        verb = attn.get_command(context, name)
        assert verb
        page = COMMANDS if f"autograder/cli/{module}.py" in STUDENTS_RUN else OF_INSTRUCTORS
        told = section(site, page, f"attn-{re.sub('[ -]+', '-', name)}").text_content()

        assert f"attn {name}" in told
        assert [name for option in options(verb) for name in option.opts if name not in told] == []


def options(command: click.Command) -> list[click.Option]:
    return [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
