"""What leads from a lecture to a step is made from the syllabus, the known mistakes and the reference."""

import re
import textwrap

import pytest
from lxml import html
from markdown import markdown

from autograder.course.course import Course
from autograder.exam.model import Exam
from autograder.site.exercise import exercise
from autograder.site.figure import Edition
from autograder.workspace import COURSE, Workspace

STEP = "part2_trainable.scale_scores"


@pytest.fixture(scope="module")
def open_page() -> str:
    return exercise(STEP, edition=Edition.OPEN).page


def test_the_task_names_the_step_its_points_its_file_and_the_command(open_page: str, practice: Exam) -> None:
    step = practice.syllabus.part("part2_trainable").step("scale_scores")

    assert (
        f"step {step.number} of {len(practice.syllabus.part('part2_trainable').steps)}, part 2, `scale_scores`"
        in open_page
    )
    assert step.summary in open_page
    assert f"{step.points:g} point, {step.effort}." in open_page
    assert "`exercises/part2_trainable.py`" in open_page
    assert f"```sh\n    attn check {STEP}\n    ```" in open_page


def test_the_task_and_what_it_reveals_are_one_card(open_page: str) -> None:
    page = markdown(open_page, extensions=["admonition", "md_in_html", "pymdownx.details", "pymdownx.superfences"])
    (card,) = html.fragments_fromstring(page)

    assert card.get("class") == "task"
    assert [title.text_content() for title in card.xpath(".//p[@class='admonition-title'] | .//summary")] == [
        "Now in your file: step 4 of 13, part 2, scale_scores",
        "Common mistakes",
        "Solution",
    ]


def test_the_task_links_to_the_stub(open_page: str) -> None:
    assert "[The stub](../reference/steps.md#part2-scale_scores)" in open_page


def test_the_common_mistakes_are_those_of_the_bank(open_page: str) -> None:
    known = [mistake.says for mistake in COURSE.course.mistakes("part2_trainable") if mistake.step == "scale_scores"]

    assert len(known) >= 3
    assert all(f"- {says}" in open_page for says in known)


def test_the_common_mistakes_say_that_they_are_for_after_a_try(open_page: str) -> None:
    _, _, mistakes = open_page.partition('??? mistakes "Common mistakes"')

    assert mistakes.lstrip().startswith("For after a try of your own")


def test_a_step_without_known_mistakes_has_no_fold_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Course, "mistakes", lambda *_: ())

    assert "Common mistakes" not in exercise(STEP, edition=Edition.OPEN).page


def test_the_solution_is_the_reference_without_the_marks_of_its_region(open_page: str, course: Workspace) -> None:
    reference = (course.solutions / "part2_trainable.py").read_text(encoding="utf-8")
    region = reference.partition("TODO 4: divide by the square root of d_k.\n")[2].partition("    ### END")[0]

    assert textwrap.indent(region, "    ").rstrip() in open_page
    assert "###" not in open_page


def test_the_site_of_a_class_has_no_solution_and_no_empty_reveal() -> None:
    page = exercise(STEP, edition=Edition.CLASS).page

    assert "??? solution" not in page
    assert "d_k**0.5" not in page
    assert "??? mistakes" in page


def test_who_reads_the_file_is_told_the_command_alone() -> None:
    text = exercise(STEP, edition=Edition.OPEN).text

    assert text == f"Now in your file, step 4 of 13, part 2, `scale_scores`: `attn check {STEP}`.\n"


def test_a_page_says_why_it_takes_a_step_before_those_above_it_in_the_file() -> None:
    order = "The steps before it in the file come in the next lecture."
    card = exercise(STEP, order, edition=Edition.OPEN)

    assert f". {order} [The stub]" in card.page
    assert card.text.startswith(f"{order} Now in your file, ")


def test_a_step_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no step 'part2_trainable\.scale_score'; did you mean '.*\.scale_scores'"):
        exercise("part2_trainable.scale_score", edition=Edition.OPEN)


def test_the_search_passes_over_what_stands_behind_a_reveal(open_page: str) -> None:
    searched = re.sub(r"<div data-search-exclude markdown>.*?\n</div>", "", open_page, flags=re.DOTALL)

    assert "!!! exercise" in searched
    assert "???" not in searched
