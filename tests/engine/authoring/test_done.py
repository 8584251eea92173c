"""What has not changed is not done again, and what has changed is, whatever it was."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import attn_in
from tiny_course import NAME, TinyCourse, forget

from autograder.authoring import done
from autograder.authoring.done import Done, sources_of, states_of
from autograder.exam.files import read_exam, write_exam
from autograder.exam.make_exam import set_exam
from autograder.workspace import Workspace

OTHER = "part1_other"
STEP = f"{NAME}.scores"
TRIED = "solutions that pass another exam"


def _states(workspace: Workspace) -> dict[str, str]:
    return states_of(workspace, sources_of(workspace.course))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _add_to(path: Path) -> None:
    _write(path, path.read_text(encoding="utf-8") + "\n")


@pytest.fixture
def both(two_parts: TinyCourse) -> TinyCourse:
    """A course of two parts of which all is made."""
    two_parts.make()
    return two_parts


# verify


def test_what_was_verified_and_has_not_changed_is_named_and_not_tried_again(tiny: TinyCourse) -> None:
    first, second = attn_in(tiny.workspace, "verify"), attn_in(tiny.workspace, "verify")
    assert TRIED in first.stdout
    assert TRIED not in second.stdout
    assert "a release" not in second.stdout
    assert second.stdout.endswith(f"Unchanged since verified: {NAME}\nThe course is sound.\n")
    assert second.returncode == 0


def test_what_was_verified_is_verified_once_more_if_asked_to(tiny: TinyCourse) -> None:
    attn_in(tiny.workspace, "verify")
    assert TRIED in attn_in(tiny.workspace, "verify", "--again").stdout


def test_a_step_that_was_verified_alone_is_left_out_when_the_course_is(tiny: TinyCourse) -> None:
    attn_in(tiny.workspace, "verify", "scores")
    found = attn_in(tiny.workspace, "verify").stdout
    assert f"   1  {TRIED}" in found
    assert f"Unchanged since verified: {STEP}\n" in found


def test_only_the_part_that_has_changed_is_verified_again(both: TinyCourse) -> None:
    assert attn_in(both.workspace, "verify").returncode == 0
    _add_to(both.mistakes)
    found = attn_in(both.workspace, "verify").stdout
    assert f"   2  {TRIED}" in found
    assert f"Unchanged since verified: {OTHER}\n" in found


def test_what_is_wrong_is_found_again_and_the_rest_is_left_out(tiny: TinyCourse) -> None:
    tiny.edit(tiny.lecture, "{#scores}", "")
    first, second = (attn_in(tiny.workspace, "verify", NAME) for _ in range(2))
    assert f"   2  {TRIED}" in first.stdout
    assert f"   1  {TRIED}" in second.stdout
    assert f"Unchanged since verified: {NAME}.Scale\n" in second.stdout
    assert (first.returncode, second.returncode) == (1, 1)


def test_how_often_the_grader_is_wrong_is_measured_even_though_the_course_was_verified(tiny: TinyCourse) -> None:
    attn_in(tiny.workspace, "verify")
    first, second = (attn_in(tiny.workspace, "verify", "--full").stdout for _ in range(2))
    assert "mutants" in first
    assert "mutants" not in second


# sync


def test_what_was_made_and_has_not_changed_is_not_made_again(both: TinyCourse) -> None:
    attn_in(both.workspace, "sync")
    _add_to(both.data)
    forget()
    found = attn_in(both.workspace, "sync")
    assert f"exercises/{OTHER}.py" not in found.stdout
    assert f"exercises/{NAME}.py\n" in found.stdout
    assert found.stdout.endswith(f"Unchanged since made: {OTHER}\n")


def test_all_is_made_again_if_asked_to(tiny: TinyCourse) -> None:
    attn_in(tiny.workspace, "sync")
    assert "practice.exam" not in attn_in(tiny.workspace, "sync").stdout
    assert "practice.exam" in attn_in(tiny.workspace, "sync", "--again").stdout


def test_a_stub_that_is_left_alone_is_named_every_time(tiny: TinyCourse) -> None:
    _add_to(tiny.exercise)
    for _ in range(2):
        found = attn_in(tiny.workspace, "sync")
        assert "has been edited" in found.stdout
        assert found.returncode == 1


def test_what_is_edited_while_it_is_made_is_made_again(tiny: TinyCourse) -> None:
    sources = sources_of(tiny.workspace.course)
    tiny.edit(tiny.reference, "return keys @ query", "return keys @ query * 1")
    Done(tiny.workspace, "sync", states_of(tiny.workspace, sources)).note([STEP])
    assert Done(tiny.workspace, "sync", _states(tiny.workspace)).left([STEP]) == {STEP}


def test_a_check_of_what_is_made_does_not_trust_what_was_found_before(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "return keys @ query", "return keys @ query + 1")
    Done(tiny.workspace, "sync", _states(tiny.workspace)).note([STEP, f"{NAME}.Scale"])
    found = attn_in(tiny.workspace, "sync", "--check")
    assert "expects another answer" in found.stdout
    assert found.returncode == 1


# What a state depends on


def _set_otherwise(tiny: TinyCourse) -> None:
    write_exam(set_exam(tiny.workspace.course, seed=2), tiny.workspace.practice_exam)


EDITS: dict[str, Callable[[TinyCourse], None]] = {
    "the reference": lambda tiny: _add_to(tiny.reference),
    "the cases": lambda tiny: _add_to(tiny.data),
    "the mistakes": lambda tiny: _add_to(tiny.mistakes),
    "other right ways": lambda tiny: _add_to(tiny.alternatives),
    "the list of equivalent mutants": lambda tiny: _add_to(tiny.equivalent),
    "what the course says of itself": lambda tiny: _add_to(tiny.workspace.root / "course.toml"),
    "a module that parts share": lambda tiny: _write(tiny.workspace.root / "course" / "shop" / "goods.py", ""),
    "data beside the parts": lambda tiny: _write(tiny.workspace.root / "course" / "goods.csv", "apple"),
    "a helper beside the references": lambda tiny: _write(tiny.solutions / "helper.py", ""),
    "the stub": lambda tiny: _add_to(tiny.exercise),
    "no stub": lambda tiny: tiny.exercise.unlink(),
    "a stylesheet that is made": lambda tiny: _add_to(next(tiny.workspace.root.glob("docs/stylesheets/*.css"))),
    "the syllabus": lambda tiny: _add_to(tiny.workspace.syllabus),
    "the practice exam": _set_otherwise,
    "no practice exam": lambda tiny: tiny.workspace.practice_exam.unlink(),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_part_is_done_again_after_an_edit_of(tiny: TinyCourse, edit: str) -> None:
    before = _states(tiny.workspace)
    EDITS[edit](tiny)
    assert _states(tiny.workspace).get(NAME) != before[NAME]


def test_a_part_is_done_again_with_another_grader(tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _states(tiny.workspace)
    monkeypatch.setattr(done, "GRADER", tiny.solutions)
    assert _states(tiny.workspace)[NAME] != before[NAME]


def test_a_part_is_done_again_with_another_library(
    tiny: TinyCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _states(tiny.workspace)
    (tmp_path / "site-packages" / "torch-99.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site-packages")])
    assert _states(tiny.workspace)[NAME] != before[NAME]


def test_a_part_depends_on_another_that_it_names(both: TinyCourse) -> None:
    before = _states(both.workspace)
    both.edit(both.data, '"""Part 0."""', f'"""Part 0."""\n\nimport course.{OTHER}.steps as other')
    named = _states(both.workspace)
    _add_to(both.solutions / f"{OTHER}.py")
    after = _states(both.workspace)
    assert named[OTHER] == before[OTHER]
    assert after[NAME] != named[NAME]


def test_a_part_does_not_depend_on_another(both: TinyCourse) -> None:
    before = _states(both.workspace)
    _add_to(both.data)
    _add_to(both.workspace.exercise(NAME))
    assert _states(both.workspace)[OTHER] == before[OTHER]


@pytest.mark.parametrize(
    ("reads", "file"),
    [
        ("import workbench.train", "workbench/train.py"),
        ("from workbench import train", "workbench/train.py"),
        ('from pathlib import Path\n\nGOODS = Path("data") / "goods.csv"', "data/goods.csv"),
        ('GOODS = open("data/goods.csv")', "data/goods.csv"),
    ],
)
def test_a_part_depends_on_a_folder_that_it_names(both: TinyCourse, reads: str, file: str) -> None:
    both.edit(both.data, '"""Part 0."""', f'"""Part 0."""\n\n{reads}')
    for name in ("workbench/train.py", "data/goods.csv"):
        _write(both.workspace.root / name, "")
    before = _states(both.workspace)
    _write(both.workspace.root / file, "apple")
    after = _states(both.workspace)
    assert after[NAME] != before[NAME]
    assert after[OTHER] == before[OTHER]


def test_the_release_is_tried_again_after_an_edit_of_a_page(tiny: TinyCourse) -> None:
    attn_in(tiny.workspace, "verify")
    _add_to(tiny.lecture)
    found = attn_in(tiny.workspace, "verify").stdout
    assert "steps that a release marks" in found
    assert TRIED not in found


def test_a_memory_that_cannot_be_read_is_none(tiny: TinyCourse) -> None:
    attn_in(tiny.workspace, "verify")
    _write(tiny.workspace.memory / "done.json", '{"verify": [1]')
    assert TRIED in attn_in(tiny.workspace, "verify").stdout


def test_an_exam_is_the_same_after_it_was_made_part_by_part(both: TinyCourse) -> None:
    whole = read_exam(both.workspace.practice_exam).digest
    _add_to(both.data)
    forget()
    attn_in(both.workspace, "sync")
    assert read_exam(both.workspace.practice_exam).digest == whole
