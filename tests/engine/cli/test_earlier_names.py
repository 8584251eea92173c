"""The earlier names of commands: each tells the new one, and does what it does."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, attn_in
from tiny_course import TinyCourse

from autograder.cli import machine
from autograder.cli.main import EARLIER
from autograder.exam.files import write_exam

Attn = Callable[..., Run]

COMMANDS = {
    "autograder": (
        "--for gradescope --exam own.exam --out made",
        "release --for gradescope --exam own.exam --out made",
    ),
    "exam": ("--seed 7 --out made", "build --exam made --seed 7"),
    "lecture": ("scores", "show --lecture scores"),
    "new": ("made", "build --new made"),
    "notebook": ("1", "show 1 --notebook"),
    "notebooks": ("--exam own.exam --out made", "release --exam own.exam --out made --for=nbgrader"),
    "shapes": ("scores", "trace scores"),
    "solution": ("scores --anyway", "hint scores --solution --anyway"),
    "stop": ("", "doctor --stop"),
    "sync": ("--check", "build --check"),
    "why": ("scores", "hint --why scores"),
}
"""By earlier name, its arguments and the new command."""


def test_every_earlier_name_is_tried() -> None:
    assert COMMANDS.keys() == EARLIER.keys()


@pytest.fixture
def attn(tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> Attn:
    """The command in the tiny course, which has an exam `own.exam`. Jupyter is not started, and no process is ended."""
    monkeypatch.setattr(os, "execv", lambda path, words: print(words))
    monkeypatch.setattr(machine, "stop_all", lambda: 2)
    write_exam(tiny.build_exam(seed=4), tiny.workspace.root / "own.exam")
    return lambda *words: attn_in(tiny.workspace, *words)


def taken(made: Path) -> dict[str, bytes]:
    """Return the files of a path, and delete it."""
    files = {str(path): path.read_bytes() for path in (made, *made.rglob("*")) if path.is_file()}
    if made.is_dir():
        shutil.rmtree(made)
    made.unlink(missing_ok=True)
    return files


@pytest.mark.parametrize("name", COMMANDS)
def test_an_earlier_name_tells_the_new_one_and_does_what_that_does(tiny: TinyCourse, attn: Attn, name: str) -> None:
    made, (words, command) = tiny.workspace.root / "made", COMMANDS[name]
    earlier, files = attn(name, *words.split()), taken(made)
    new = attn(*command.split())

    assert earlier.stderr == f"`attn {name}` is now `attn {EARLIER[name]}`.\n{new.stderr}"
    assert (earlier.returncode, earlier.stdout, files) == (new.returncode, new.stdout, taken(made))
    assert new.returncode in (0, 1), new.stderr


def test_two_options_that_make_no_sense_together_are_refused(attn: Attn) -> None:
    found = attn("hint", "--why", "scores", "--solution")
    assert (found.returncode, found.stderr.splitlines()[-1]) == (2, "Error: No such option '--solution'.")


def test_no_earlier_name_and_no_option_is_listed(attn: Attn) -> None:
    listed = {line.split()[0] for line in attn("--help").stdout.splitlines() if line.startswith("  ")}
    assert listed.isdisjoint(EARLIER)


def test_an_option_of_a_verb_has_a_help_of_its_own(tiny: TinyCourse, attn: Attn) -> None:
    before = sorted(tiny.workspace.root.iterdir())
    assert "attn hint --why: Show why" in attn("hint", "--help").stdout
    assert attn("build", "--exam", "--help").stdout.startswith("Usage: attn build --exam ")
    assert sorted(tiny.workspace.root.iterdir()) == before
