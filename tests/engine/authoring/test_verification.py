"""The course's check of itself: the checkout's course is sound, and what is wrong with a course is found."""

from collections.abc import Callable

import pytest
from command import attn_in
from screen_text import one_line
from tiny_course import NAME, TinyCourse

from autograder.workspace import Workspace

STEP = f"{NAME}.scores"


@pytest.fixture(scope="module")
def verified(new_course: Callable[..., Workspace]) -> str:
    """What is printed, on 80 columns, by a copy that knows of nothing that was found right. A worker sits the exams, as for authors."""
    return attn_in(new_course(), "verify", COLUMNS="80", ATTN_RUNNER="worker").stdout


@pytest.mark.slow
def test_the_first_part_is_sound(course: Workspace) -> None:
    assert attn_in(course, "verify", "1", ATTN_RUNNER="worker").stdout.endswith("The course is sound.\n")


@pytest.mark.world
def test_the_course_is_sound_and_contributing_shows_what_is_printed(verified: str, course: Workspace) -> None:
    """Every solution passes, every stub is not attempted and every mistake is named, in two exams; nothing has drifted."""
    assert verified.endswith("The course is sound.\n"), verified
    assert f"```console\n$ attn verify\n{verified}```" in (course.root / "CONTRIBUTING.md").read_text(encoding="utf-8")


# What is wrong with a course: one edit, and what `attn verify` says of it

REFERENCE, DATA, MISTAKES, LECTURE = "reference", "data", "mistakes", "lecture"
NEGATED = '''
    def negated(query: Tensor, keys: Tensor) -> Tensor:
        """You take each score's negative."""
        return -(keys @ query)
'''
KEPT = """    \"\"\"Scale, kept as `by`.\"\"\"

    def __init__(self) -> None:
        super().__init__()
        self.by = 2

    def forward("""

ONE = """    yield Case("smallest input", {"query": draw.normal(1), "keys": draw.normal(1, 1)})
"""
ALIKE = "never of a size that no other dimension has: `d`, `t`; add a case in which all sizes differ"

UNSOUND = [
    (REFERENCE, "keys @ query", "keys @ query + 1", "scores: wrong_values ("),
    (LECTURE, "{#scale}", "", "docs/lectures/tiny.md has no heading with {#scale}"),
    (DATA, ONE, "", "never 1: `d`, `t`; add a case with size 1"),
    (DATA, 'draw.normal(4, 3)})\n    yield Case("s', 'draw.normal(3, 3)})\n    yield Case("s', ALIKE),
]
"""The file, the text in it, what takes its place, and what is said."""

UNSOUND_IN_THE_EXAM = [
    (MISTAKES, NEGATED, "", "scores has 2"),
    (DATA, "cases=_scores", 'cases=_scores, forbids=("group_norm",)', "forbids group_norm"),
    (REFERENCE, '    """Scale."""\n\n    def forward(', KEPT, "`self.by` becomes"),
]
"""The same, after `attn build` has made the exam anew."""


@pytest.mark.slow
def test_what_is_wrong_with_a_course_is_said(tiny: TinyCourse) -> None:
    for file, old, new, _ in UNSOUND:
        tiny.edit(getattr(tiny, file), old, new)

    found = attn_in(tiny.workspace, "verify")

    assert [said for *_, said in UNSOUND if said not in one_line(found.stdout)] == []
    assert found.stdout.endswith("The course is not sound: see above.\n")
    assert found.returncode == 1


@pytest.mark.slow
def test_what_is_wrong_with_an_exam_is_said(tiny: TinyCourse) -> None:
    for file, old, new, _ in UNSOUND_IN_THE_EXAM:
        tiny.edit(getattr(tiny, file), old, new)
    assert attn_in(tiny.workspace, "build").returncode == 0

    found = one_line(attn_in(tiny.workspace, "verify").stdout)

    assert [said for *_, said in UNSOUND_IN_THE_EXAM if said not in found] == []


@pytest.mark.world
@pytest.mark.slow
def test_a_mutant_that_passes_and_right_code_that_does_not_are_named_in_full(tiny: TinyCourse) -> None:
    summed = "return (keys * query).sum(dim=1)"
    tiny.edit(tiny.reference, "return keys @ query", summed)
    tiny.edit(tiny.alternatives, "torch.mv(keys, query)", "keys - query")
    assert attn_in(tiny.workspace, "build").returncode == 0

    found = attn_in(tiny.workspace, "verify", "--full", COLUMNS="300")

    assert f"{STEP}: a mutant passes: `{summed}` became `{summed.replace('1', '-1')}`" in one_line(found.stdout)
    assert f"{STEP}: refused, though right (torch.mv): wrong_shape (random: " in one_line(found.stdout)
    assert found.returncode == 1
