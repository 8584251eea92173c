"""A release is tried before students have it: what it lacks, and what it would give away, is said to the author."""

import pytest
from command import attn_in
from tiny_course import NAME, TinyCourse, forget
from warm import lend

from autograder.authoring.release_trial import try_release

pytestmark = pytest.mark.slow

IMPORTS = "from torch import Tensor, nn\n"


def _problems(tiny: TinyCourse) -> list[str]:
    forget()
    return try_release(tiny.workspace, lend).problems


def _read_names_in(tiny: TinyCourse, place: str) -> None:
    """Let the data of the part read a file of names, where it is imported or where its probe runs."""
    folder = tiny.workspace.root / "course" / "shop"
    folder.mkdir()
    (folder / "names.txt").write_text("apple\n", encoding="utf-8")
    read = '(Path(__file__).parents[1] / "shop" / "names.txt").read_text()'
    tiny.edit(tiny.data, IMPORTS, f"from pathlib import Path\n\n{IMPORTS}")
    if place == "import":
        tiny.edit(tiny.data, 'PAGE = "', f'NAMES = {read}\nPAGE = "')
    else:
        tiny.edit(tiny.data, "    return cls()(x)", f"    {read}\n    return cls()(x)")
    tiny.make()


def test_a_module_that_a_release_lacks_is_named_with_the_line_that_imports_it(tiny: TinyCourse) -> None:
    shop = tiny.workspace.root / "course" / "shop.py"
    shop.write_text("", encoding="utf-8")
    imported = f'import importlib\n\n{IMPORTS}\nimportlib.import_module("course.shop")\n'
    line = tiny.edit(tiny.data, IMPORTS, imported) + 4
    tiny.make()
    (problem,) = _problems(tiny)
    assert problem.startswith(
        f"release: course/{NAME}/steps.py, line {line}: ModuleNotFoundError: No module named 'course.shop'"
    )
    assert "`[release]` in course.toml" in problem


@pytest.mark.parametrize(
    ("pattern", "secret"),
    [
        ("solutions/*.py", f"solutions/{NAME}.py"),
        (f"course/{NAME}/*", f"course/{NAME}/mistakes.py"),
        ("backup/*.py", "backup/mine.py"),
        ("exams/*.exam", "exams/class.exam"),
    ],
)
def test_a_secret_that_a_release_would_hold_is_named(tiny: TinyCourse, pattern: str, secret: str) -> None:
    root = tiny.workspace.root
    (root / "backup").mkdir()
    (root / "backup" / "mine.py").write_bytes(tiny.reference.read_bytes())
    (root / "exams" / "class.exam").write_bytes(tiny.workspace.practice_exam.read_bytes())
    toml = root / "course.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + f'\n[release]\nfiles = ["{pattern}"]\n', encoding="utf-8")
    (problem,) = _problems(tiny)
    assert f"{secret} would be in a release, and gives solutions away" in problem


@pytest.mark.world
def test_a_course_whose_release_does_not_work_is_not_sound(tiny: TinyCourse) -> None:
    _read_names_in(tiny, "import")
    for _ in range(2):
        found = attn_in(tiny.workspace, "verify")
        assert "release: course/" in found.stdout
        assert found.returncode == 1
