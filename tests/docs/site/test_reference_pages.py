"""The reference as it is built: nothing of the course, of the command line or of the marks is missing from it."""

import gzip
import json
import re
from functools import cache
from urllib.parse import urljoin, urlsplit

import click
import jsonschema
import pytest
from built_site import Site
from lxml import html

from autograder.cli.main import _verbs_beyond_students, attn
from autograder.exam.syllabus import SyllabusStep, load
from autograder.site.cards import laid_out
from autograder.site.exercise import card_anchor
from autograder.workspace import COURSE

pytestmark = pytest.mark.slow

STEPS, COMMANDS, MARKS, PYTHON = (f"reference/{name}/" for name in ("steps", "commands", "marks", "python"))
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


@pytest.mark.parametrize("step", load(COURSE.syllabus).steps, ids=lambda step: step.path)
class TestTheCardOfEveryStep:
    def test_says_what_it_is_worth(self, site: Site, step: SyllabusStep) -> None:
        facts = section(site, STEPS, card_anchor(step)).xpath("./p")[0].text_content()

        assert facts.startswith(f"{step.points:g} point")
        assert step.effort in facts

    def test_shows_its_signature(self, site: Site, step: SyllabusStep) -> None:
        (signature,) = section(site, STEPS, card_anchor(step)).xpath(".//*[contains(@class, 'step-signature')]//code")

        assert signature.text_content().strip() == laid_out(step.signature)

    def test_links_to_the_section_that_teaches_it(self, site: Site, step: SyllabusStep) -> None:
        (link,) = section(site, STEPS, card_anchor(step)).xpath(".//a[text()='read the lecture']/@href")
        address = urlsplit(urljoin(site.address + STEPS, link))

        assert read(site, address.path.lstrip("/")).xpath(f"//*[@id={address.fragment!r}]")

    def test_holds_its_stub(self, site: Site, step: SyllabusStep) -> None:
        stub = section(site, STEPS, card_anchor(step)).xpath("./details")[0].text_content()

        assert f'NotImplementedError("step {step.number}: {step.name}")' in stub


@pytest.mark.parametrize("verb", sorted(attn.commands))
def test_every_verb_is_on_the_page_with_all_its_options(site: Site, verb: str) -> None:
    page = OF_INSTRUCTORS if attn.commands[verb] in _verbs_beyond_students() else COMMANDS
    told = section(site, page, f"attn-{verb}").text_content()

    assert f"attn {verb}" in told
    assert [name for option in options(attn.commands[verb]) for name in option.opts if name not in told] == []


def options(command: click.Command) -> list[click.Option]:
    return [option for option in command.params if isinstance(option, click.Option) and not option.hidden]


def test_verbs_come_in_the_order_in_which_they_are_needed(site: Site) -> None:
    students, instructors = (
        [found for found in read(site, page).xpath("//article//@id") if found.startswith("attn-")]
        for page in (COMMANDS, OF_INSTRUCTORS)
    )

    assert students.index("attn-check") == 0 < students.index("attn-doctor")
    assert instructors.index("attn-release") == 0 < instructors.index("attn-sync")


def test_the_marks_on_the_page_are_a_real_file_of_marks(site: Site) -> None:
    (example,) = read(site, MARKS).xpath("//*[contains(@class, 'whole-file')]//code")
    schema = json.loads((site.folder / "reference" / "marks.schema.json").read_text(encoding="utf-8"))

    jsonschema.validate(json.loads(example.text_content()), schema)


def test_the_python_page_is_small(site: Site) -> None:
    assert len(gzip.compress(site.file(PYTHON).read_bytes())) <= 60_000


def test_every_object_on_the_python_page_says_what_it_does(site: Site) -> None:
    objects = read(site, PYTHON).xpath("//*[contains(@class, 'doc-object')]/*[contains(@class, 'doc-contents')]")
    silent = [found.getparent().xpath("./*[1]")[0].text_content() for found in objects if not found.xpath("./p")]

    assert len(objects) > 40
    assert silent == []


def test_the_contents_of_the_python_page_name_classes_and_no_methods(site: Site) -> None:
    linked = read(site, PYTHON).xpath("//*[contains(@class, 'md-sidebar--secondary')]//a/@href")

    assert "#autograder.classroom.batch.Batch" in linked
    assert [link for link in linked if link.startswith("#autograder.classroom.batch.Batch.")] == []


def test_the_boxes_of_a_verb_say_what_they_are(site: Site) -> None:
    labels = section(site, COMMANDS, "attn-check").xpath(".//*[@class='filename']")

    assert [label.text_content() for label in labels] == ["Example", "Usage"]


def test_a_long_signature_has_one_argument_a_line(site: Site) -> None:
    (heading,) = read(site, PYTHON).xpath("//*[@id='autograder.runner.run.run']")
    signature = heading.getparent().xpath("./*[contains(@class, 'doc-signature')]")[0].text_content()

    assert "\n    steps: dict[str, frozenset[str]],\n" in signature
