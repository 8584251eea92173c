"""What a submission does while it is loaded stays its own."""

import builtins
import importlib
from collections.abc import Iterator

import pytest

from autograder.runner.loading import SubmittedModules, forget_submitted_modules
from autograder.submission.model import Source

REPLACES = "import builtins\nbuiltins.len = lambda _: 3\nfound = len([])\ndef f():\n    return len([])\n"


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    forget_submitted_modules()


def test_a_builtin_with_another_meaning_has_it_in_the_submission_alone() -> None:
    module = SubmittedModules({"part": Source.module("part.py", REPLACES)}).load("part")

    assert (module.found, module.f()) == (3, 3)
    assert len([]) == 0
    assert importlib.import_module("builtins") is builtins


def test_it_has_it_in_all_modules_of_a_submission() -> None:
    modules = {
        "part": Source.module("part.py", "import helper\nfound = len([])"),
        "helper": Source.module("helper.py", REPLACES),
    }

    assert SubmittedModules(modules).load("part").found == 3
