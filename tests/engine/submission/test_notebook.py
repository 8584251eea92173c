"""Notebooks: which cells are run, what becomes of Jupyter's commands, and what a broken notebook is told."""

import contextlib
import json
import random
import time
from typing import Any

import nbformat
import pytest
from warm import lend

from autograder.check import check
from autograder.exam.model import Exam
from autograder.grading.results import PartMarks
from autograder.runner.loading import SubmittedModules
from autograder.submission.model import LARGEST_FILE, Source, Submission, Unreadable
from autograder.submission.notebook import (
    definitions_of,
    read_notebook,
    source_of_cells,
    without_commands,
)
from autograder.workspace import Workspace

SOLUTION = {"solution": True, "grade": False, "locked": False, "grade_id": "answer", "schema_version": 3}
TEST = {"solution": False, "grade": True, "locked": True, "grade_id": "test", "schema_version": 3, "points": 1}
GIVEN = {"solution": False, "grade": False, "locked": True, "grade_id": "given", "schema_version": 3}


def code(text: str, nbgrader: object = None) -> Any:
    metadata = {} if nbgrader is None else {"nbgrader": nbgrader}
    return nbformat.v4.new_code_cell(text, metadata=metadata)


def notebook(*cells: Any) -> bytes:
    made = [code(cell) if isinstance(cell, str) else cell for cell in cells]
    return nbformat.writes(nbformat.v4.new_notebook(cells=made)).encode()


def read(*cells: Any) -> Source:
    return read_notebook(notebook(*cells), "ada/part.ipynb")


def texts(*cells: Any) -> list[str]:
    return [block.text for block in read(*cells).blocks]


def raw(**keys: Any) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [], **keys}).encode()


# Which cells are run


def test_a_test_cell_is_never_run() -> None:
    assert texts(code("import torch\nassert f(1) == 2", TEST)) == []


def test_a_cell_that_is_answer_and_test_in_one_is_run() -> None:
    assert texts(code("x = 1", {**TEST, "solution": True})) == ["x = 1"]


def test_given_code_is_run() -> None:
    assert texts(code("import torch", GIVEN)) == ["import torch"]


DEFINING = ["def f():\n    pass", "class A: ...", "import os", "from os import path", "x = 1", "x: int = 1", "x += 1"]
DEFINING += ["try:\n    import torch\nexcept ImportError:\n    pass", "if True:\n    x = 1", "print(1)\nx = 2"]


@pytest.mark.parametrize("text", DEFINING)
def test_a_cell_that_gives_a_name_a_meaning_is_run(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize("text", ["f(1)", "for i in range(9):\n    x = i", "plt.plot(x)", "# x = 1", "", "\n", "x"])
def test_a_cell_that_only_does_something_is_not_run(text: str) -> None:
    assert texts(text) == []


def test_markdown_is_not_run() -> None:
    assert texts(nbformat.v4.new_markdown_cell("x = 1")) == []


def test_a_cell_that_cannot_be_parsed_is_kept_for_its_error() -> None:
    assert texts("def f(:") == ["def f(:"]


def test_cells_are_numbered_among_the_code_cells() -> None:
    blocks = read(nbformat.v4.new_markdown_cell("# title"), "f(1)", "x = 1").blocks
    assert [block.path for block in blocks] == ["ada/part.ipynb, cell 2"]


# Commands of Jupyter's


def test_python_that_looks_like_a_command_is_left_alone() -> None:
    text = 'x = (7\n  %y)\n"""\n!ls\nwhat?\n"""\n'
    assert without_commands(text) == text


COMMANDS = ["%matplotlib inline", "!pip install torch", "?print", "print?", "print??", "files = !ls", "t = %time f()"]


@pytest.mark.parametrize("command", [*COMMANDS, "! ls", "%time x = f()", "torch.softmax?", "x, y = !ls"])
def test_a_command_becomes_pass(command: str) -> None:
    assert without_commands(f"{command}\nx = 1") == "pass\nx = 1"


def test_a_command_in_a_body_keeps_its_indentation() -> None:
    assert without_commands("def f():\n    %timeit g()\n") == "def f():\n    pass\n"


def test_the_lines_that_a_command_goes_on_in_are_blank() -> None:
    assert without_commands("!pip install \\\n  torch \\\n  numpy\nx = 1") == "pass\n\n\nx = 1"


def test_operators_at_the_start_of_a_line_stay_beside_a_command() -> None:
    text = '%matplotlib inline\nx = (\n    "%d"\n    % y\n    != z\n)'
    assert without_commands(text) == text.replace("%matplotlib inline", "pass")


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 1", "%%capture out", "%%prun"])
def test_the_body_under_a_measuring_magic_is_kept(magic: str) -> None:
    assert without_commands(f"{magic}\nx = 1") == "\nx = 1"


def test_a_command_under_a_measuring_magic_becomes_pass() -> None:
    assert without_commands("%%time\n!ls\nx = 1") == "\npass\nx = 1"


@pytest.mark.parametrize("magic", ["%%bash", "%%writefile x.txt", "%%html", "%%timeout"])
def test_a_cell_that_is_no_python_is_dropped(magic: str) -> None:
    assert texts(code(f"{magic}\nx = 1", SOLUTION)) == []


def test_a_module_that_a_cell_writes_counts_as_its_code() -> None:
    assert texts(code("%%writefile part.py\nx = 1")) == ["\nx = 1"]


# Odd and broken notebooks


def test_windows_line_ends_do_no_harm() -> None:
    assert texts("%time f()\r\nx = 1\r\n") == ["pass\nx = 1\n"]


ODD = {
    "a source in lines": {"source": ["x = 1\n", "y = 2"]},
    "a source that is a number": {"source": 7},
    "a source of no texts": {"source": [None, {}, "x = 1\ny = 2"]},
    "no metadata": {"source": "x = 1\ny = 2", "metadata": None},
    "odd metadata": {"source": "x = 1\ny = 2", "metadata": {"nbgrader": [1]}},
    "odd flags": {"source": "x = 1\ny = 2", "metadata": {"nbgrader": {"solution": "yes", "grade": {}}}},
}


@pytest.mark.parametrize("cell", ODD.values(), ids=ODD)
def test_an_odd_cell_does_no_harm(cell: dict[str, Any]) -> None:
    blocks = read_notebook(raw(cells=[{"cell_type": "code", **cell}, 7, None]), "n").blocks
    assert [block.text for block in blocks] in ([], ["x = 1\ny = 2"])


def test_half_a_surrogate_pair_is_replaced() -> None:
    (block,) = read_notebook(raw(cells=[{"cell_type": "code", "source": "x = '\ud800'"}]), "n").blocks
    assert block.text == "x = '?'"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_notebook_may_be_saved_in_any_encoding_of_json(encoding: str) -> None:
    content = notebook("x = 'é'").decode().encode(encoding)
    assert read_notebook(content, "ada/part.ipynb").text == "x = 'é'"


BROKEN = {
    "no json": (b"x = 1", "not JSON"),
    "cut off": (notebook("x = 1")[:-20], "not JSON"),
    "nothing": (b"", "not JSON"),
    "a list": (b"[]", "no notebook"),
    "no cells": (b'{"nbformat": 4}', "no notebook"),
    "cells that are none": (raw(cells={"a": 1}), "no notebook"),
    "nested deeply": (b"[" * 100_000, "not JSON"),
    "nested objects": (b'{"a":' * 100_000, "not JSON"),
    "a huge number": (raw(nbformat=0).replace(b"0", b"9" * 5_000), "not JSON"),
    "not UTF-8": (b'{"cells": "caf\xe9"}', "byte 0xe9"),
    "of an old format": (
        raw(nbformat=3, worksheets=[{"cells": [{"cell_type": "code", "input": "x = 1"}]}]),
        "format 4",
    ),
    "too much code": (notebook(f"x = 1{' ' * LARGEST_FILE}"), "characters of code"),
}


@pytest.mark.parametrize(("content", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_notebook_is_told_what_is_wrong(content: bytes, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        read_notebook(content, "ada/part.ipynb")


SLOW = {
    "spaces": " " * 90_000 + "?",
    "brackets": "(" * 90_000,
    "words": "!\n" + "a" * 90_000,
    "assignments": "!\n" + "a " * 45_000,
    "minus signs": "-" * 90_000 + "1",
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_no_text_takes_long(text: str) -> None:
    begun = time.monotonic()

    read(text)

    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("seed", range(4))
def test_no_mutation_of_a_notebook_raises_anything_else(seed: int) -> None:
    draw = random.Random(seed)
    whole = notebook(code("%time x = 1", SOLUTION), "!ls\ny = 1", code("assert x", TEST))
    tokens = [b'"', b"{", b"}", b"[", b"]", b"null", b"1e999", b"\\ud800", b"\xff", b"\\u0000", b"-", b"NaN"]
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(content))
            content[place : place + draw.choice([0, 1, 9])] = draw.choice(tokens)
        with contextlib.suppress(Unreadable):
            read_notebook(bytes(content), "n")


# A notebook sits


@pytest.fixture
def mark_cells(convolution: Workspace, convolution_exam: Exam) -> Any:
    steps = convolution_exam.syllabus.part("part2_network").steps[:2]

    def run(*cells: Any) -> PartMarks:
        source = read_notebook(notebook(*cells), "ada/part2_network.ipynb")
        return check(
            convolution_exam, Submission("ada", {"part2_network": source}), steps, lend(convolution.root)
        ).parts[0]

    return run


RIGHT = "def relu(x):\n    return x.clamp(min=0)"
SECOND = "def max_pool(x, size):\n    return x.unfold(-2, size, size).unfold(-2, size, size).amax((-1, -2))"


def test_steps_of_several_cells_are_marked(mark_cells: Any) -> None:
    assert [step.verdict for step in mark_cells("import torch", RIGHT, SECOND).steps] == ["passed", "passed"]


@pytest.mark.parametrize("broken", ["def f(:", "raise SystemExit", "x = 1 / 0", "x = '\x00'"])
def test_a_cell_that_raises_does_not_keep_the_next_from_running(mark_cells: Any, broken: str) -> None:
    assert [step.verdict for step in mark_cells(broken, RIGHT, SECOND).steps] == ["passed", "passed"]


def test_an_import_that_fails_keeps_nothing_else_of_its_cell_from_running(mark_cells: Any) -> None:
    marks = mark_cells(f"import nowhere_to_be_found\nimport math\n{RIGHT}\nbroken = 1 / 0\n{SECOND}")

    assert [step.verdict for step in marks.steps] == ["passed", "passed"]


def test_a_future_import_may_stand_below_a_command(mark_cells: Any) -> None:
    marks = mark_cells(f"!pip install torch\nimport torch\nfrom __future__ import annotations\n{RIGHT}\n{SECOND}")

    assert [step.verdict for step in marks.steps] == ["passed", "passed"]


def test_a_missing_step_names_the_cell_that_raised(mark_cells: Any) -> None:
    step = mark_cells("x = 1 / 0", RIGHT, "def max_pool(:").steps[1]

    assert step.checks[0].message == (
        "there is no `max_pool` in your notebook; cell 3 raised SyntaxError: invalid syntax (line 1), which may be why."
    )


def test_a_missing_step_of_a_notebook_in_which_nothing_raised_is_told_to_keep_its_name(mark_cells: Any) -> None:
    step = mark_cells(RIGHT, SECOND.replace("max_pool", "max_pol")).steps[1]

    assert step.checks[0].message == (
        "there is no `max_pool` in your notebook; its name must stay as it is. Did you rename it to `max_pol`?"
    )


def test_a_traceback_names_the_cell_and_shows_its_line(mark_cells: Any) -> None:
    step = mark_cells("x = 1", "def relu(x):\n    return x.nothing").steps[0]

    assert step.traceback == "ada/part2_network.ipynb, cell 2, line 2, in relu\n    return x.nothing"


def test_a_step_written_twice_is_told_with_both_cells(mark_cells: Any) -> None:
    stub = "def relu(x):\n    raise NotImplementedError"

    step = mark_cells(RIGHT, f"\n{stub}").steps[0]

    assert "is defined more than once, in line 1 of cell 1 and line 2 of cell 2." in step.checks[0].message


def test_a_future_import_holds_for_the_cells_that_follow() -> None:
    source = read("from __future__ import annotations", "def f(x: Unknown):\n    return x")
    assert "f" in SubmittedModules({"part": source}).load("part").__dict__


def test_what_jupyter_displays_is_kept_as_printed(mark_cells: Any) -> None:
    marks = mark_cells("def relu(x):\n    display(x.shape)\n    return x.clamp(min=0)\n")

    assert "torch.Size" in marks.steps[0].printed


def test_cells_that_somebody_has_run_are_taken_if_they_define_something() -> None:
    source = source_of_cells([(1, "%load_ext x\nimport torch"), (2, "print(1)"), (7, "def f():\n    pass")], "here")

    assert [(block.path, block.text) for block in source.blocks] == [
        ("here, cell 1", "pass\nimport torch"),
        ("here, cell 7", "def f():\n    pass"),
    ]


def test_a_notebook_is_read_where_jupyter_shows_it_and_nowhere_else() -> None:
    hidden = [{"cells": [{"cell_type": "code", "input": "hidden = 1", "source": "hidden = 1"}]}]
    blocks = read_notebook(raw(cells=[{"cell_type": "code", "source": "x = 1"}], worksheets=hidden), "n").blocks

    assert [block.text for block in blocks] == ["x = 1"]


def test_a_timed_statement_in_a_body_runs() -> None:
    assert without_commands("def f(x):\n    %time r = x + 1\n    return r") == "def f(x):\n    r = x + 1\n    return r"


def test_what_a_with_statement_defines_counts() -> None:
    assert read("with torch.no_grad():\n    def f():\n        pass").blocks


def test_the_definitions_of_a_cell_stay_in_their_lines() -> None:
    text = "import torch\nslow()\n\n@decorated\ndef f():\n    return 1\nx = f()"

    assert definitions_of(text) == "import torch\n\n\n@decorated\ndef f():\n    return 1\n"
