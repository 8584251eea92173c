"""Stubs for libraries that are not installed: harmless where they draw and decorate, an error where their value is needed."""

import math
from collections.abc import Callable, Iterator

import pytest

from autograder.runner.loading import NotInstalled, SubmittedModules, forget_submitted_modules
from autograder.submission.model import Source

LIB = NotInstalled("lib")


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    forget_submitted_modules()


def missing(text: str) -> list[str]:
    modules = SubmittedModules({"part": Source.module("part.py", text)}, parts=["part2"])
    modules.load("part")
    return [
        name for name in ("no_other", "no_such") if any(f"uses `{name}`" in note for note in modules.notes("part", ()))
    ]


IMPORTS = {
    "import no_such.deep as x": ["no_such"],
    "from no_such.deep import x": ["no_such"],
    "def f():\n    import no_such": ["no_such"],
    "import torch, math, no_such": ["no_such"],
    "import part2": [],
    "from . import no_such": [],
    "from no_such import *": [],
    "try:\n    import no_such\nexcept ImportError:\n    import no_other": ["no_other"],
}


@pytest.mark.parametrize(("text", "found"), IMPORTS.items())
def test_what_is_imported_and_neither_here_nor_done_without_is_missing(text: str, found: list[str]) -> None:
    assert missing(text) == found


def test_what_it_decorates_comes_back_as_it_is() -> None:
    def own() -> None: ...

    assert LIB.checked(own) is own
    assert LIB.checked(strict=True)(own) is own
    assert LIB.frozen(dict) is dict


def test_a_loop_runs_over_what_it_was_called_with() -> None:
    assert list(LIB.bar(range(3), desc="epoch")) == [0, 1, 2]
    assert list(enumerate(LIB.bar(["a"]))) == [(0, "a")]


NEEDED: dict[str, Callable[[], object]] = {
    "condition": lambda: bool(LIB.is_nan(1)),
    "loop": lambda: list(LIB.batches(3)),
    "base class": lambda: type(LIB)("lib").__mro_entries__(()),
}


@pytest.mark.parametrize("use", NEEDED.values(), ids=NEEDED)
def test_whatever_needs_its_value_says_that_it_is_not_there(use: Callable[[], object]) -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'lib'"):
        use()


def test_a_class_cannot_be_made_of_it() -> None:
    with pytest.raises(ModuleNotFoundError):
        exec("class Net(lib.Module): pass", {"lib": LIB})


def test_it_is_gone_with_the_submission_that_imported_it() -> None:
    SubmittedModules({"part": Source.module("part.py", "import no_such.deep")}).load("part")
    forget_submitted_modules()

    with pytest.raises(ModuleNotFoundError):
        __import__("no_such.deep")


NOTES = {
    "import no_such\nno_such.plot(1)\n": ["ada/part.py uses `no_such`, neither installed here nor handed in."],
    "import b_lib, a_lib\nx = a_lib.load()\nprint(x.mean())\n": [
        "ada/part.py uses `a_lib` and `b_lib`, neither installed here nor handed in."
    ],
    "data = open('no such file').read()\nfirst = data[0]\nprint(first)\n": [
        "In ada/part.py, line 1 raised FileNotFoundError: [Errno 2] No such file or directory: 'no such file'."
    ],
}


@pytest.mark.parametrize(("text", "told"), NOTES.items(), ids=["one", "two", "what follows"])
def test_one_sentence_tells_what_an_import_or_a_loss_leads_to(text: str, told: list[str]) -> None:
    modules = SubmittedModules({"part": Source.module("ada/part.py", text)})
    modules.load("part")

    assert [note.splitlines()[0] for note in modules.notes("part", ())] == told


def test_of_an_import_that_fails_what_python_has_bound_stays() -> None:
    text = "no_part = 1\nimport math, part2\nfrom math import pi, no_part\n"
    made = SubmittedModules({"part": Source.module("part.py", text)}, parts=["part2"]).load("part")

    assert (made.math, made.pi) == (math, math.pi)
    assert not hasattr(made, "no_part")
