"""What the tests of publishing share."""

import pytest
from tiny_course import NAME, TinyCourse
from warm import lend

from autograder.runner.processes import Runner

OTHER = "part1_other"


@pytest.fixture
def runner(tiny: TinyCourse) -> Runner:
    """A warm process that sits the tiny course."""
    borrowed: Runner = lend(tiny.workspace.root)
    return borrowed


@pytest.fixture
def two_parts(tiny: TinyCourse) -> TinyCourse:
    """The tiny course with a second part like its first, `part1_other`, of which nothing is made yet."""
    folder = tiny.workspace.root
    for path in (tiny.reference, tiny.data, tiny.mistakes, tiny.alternatives, tiny.equivalent):
        other = folder / path.relative_to(folder).as_posix().replace(NAME, OTHER)
        other.parent.mkdir(exist_ok=True)
        other.write_text(path.read_text(encoding="utf-8").replace(NAME, OTHER), encoding="utf-8")
    tiny.edit(folder / "course.toml", f'["{NAME}"]', f'["{NAME}", "{OTHER}"]')
    return tiny
