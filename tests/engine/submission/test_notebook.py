"""Notebooks: which cells are run, what becomes of Jupyter's commands, and what a broken notebook is told."""

import json
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


def raw(**keys: Any) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [], **keys}).encode()


# Which cells are run

CELLS: dict[str, tuple[Any, list[str]]] = {
    "a test": (code("import torch\nassert f(1) == 2", TEST), []),
    "an answer that is a test": (code("x = 1", {**TEST, "solution": True}), ["x = 1"]),
    "given code": (code("import torch", GIVEN), ["import torch"]),
    "text": (nbformat.v4.new_markdown_cell("x = 1"), []),
    "no Python": ("def f(:", ["def f(:"]),
    "another language": (code("%%bash\nx = 1", SOLUTION), []),
    "a module that is written": ("%%writefile part.py\nx = 1", ["#writefile part.py\nx = 1"]),
    "line ends of Windows": ("%time f()\r\nx = 1\r\n", ["pass\nx = 1\n"]),
    **{text: (text, [text]) for text in (
        "def f():\n    pass", "class A: ...", "import os", "from os import path", "x = 1", "x: int = 1", "x += 1",
        "try:\n    import torch\nexcept ImportError:\n    pass", "print(1)\nx = 2", "with a():\n    def f():\n        pass")},
    **{text: (text, []) for text in ("f(1)", "for i in range(9):\n    x = i", "# x = 1", "", "\n", "x")},
}  # fmt: skip


@pytest.mark.parametrize(("cell", "texts"), CELLS.values(), ids=CELLS)
def test_a_cell_that_defines_something_is_run(cell: Any, texts: list[str]) -> None:
    assert [block.text for block in read(cell).blocks] == texts


def test_cells_are_numbered_among_the_code_cells() -> None:
    blocks = read(nbformat.v4.new_markdown_cell("# title"), "f(1)", "x = 1").blocks
    assert [block.path for block in blocks] == ["ada/part.ipynb, cell 2"]


COMMANDS = [
    "%matplotlib inline",
    "!pip install torch",
    "?print",
    "print??",
    "files = !ls",
    "t = %time f()",
    "%time x = f()",
]

WITHOUT = {
    **{f"{command}\nx = 1": "pass\nx = 1" for command in COMMANDS},
    'x = (7\n  %y)\n"""\n!ls\nwhat?\n"""\n': 'x = (7\n  %y)\n"""\n!ls\nwhat?\n"""\n',
    "def f():\n    %timeit g()\n": "def f():\n    pass\n",
    "!pip install \\\n  torch \\\n  numpy\nx = 1": "pass\n\n\nx = 1",
    "%%time\n!ls\nx = 1": "#time\npass\nx = 1",
    "%%timeit -n 1\nx = 1": "#timeit -n 1\nx = 1",
    "%%timeout\nx = 1": "",
}


@pytest.mark.parametrize("text", WITHOUT)
def test_commands_become_pass(text: str) -> None:
    assert without_commands(text) == WITHOUT[text]


# Odd and broken notebooks


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert read_notebook(raw(cells=[{"cell_type": "code", "source": "x = '\ud800'"}]), "n").text == "x = '?'"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_notebook_may_be_saved_in_any_encoding_of_json(encoding: str) -> None:
    assert read_notebook(notebook("x = 'é'").decode().encode(encoding), "n").text == "x = 'é'"


def test_outputs_may_hold_what_is_no_json() -> None:
    content = raw(cells=[{"cell_type": "code", "source": ["x = 1\n", "y = 2"], "outputs": [{"data": float("nan")}]}])
    assert read_notebook(content, "n").text == "x = 1\ny = 2"


BROKEN = {
    "cut off": (notebook("x = 1")[:-20], "is a broken notebook"),
    "nothing": (b"", "is a broken notebook"),
    "no cells": (b'{"nbformat": 4}', "is a broken notebook"),
    "cells that are none": (raw(cells=[7]), "is a broken notebook"),
    "a source that is none": (raw(cells=[{"cell_type": "code", "source": 7}]), "is a broken notebook"),
    "nested deeply": (b"[" * 100_000, "is a broken notebook"),
    "a huge number": (raw(nbformat=0).replace(b"0", b"9" * 5_000), "is a broken notebook"),
    "not UTF-8": (b'{"cells": "caf\xe9"}', "byte 0xe9"),
    "of an old format": (raw(nbformat=3, cells=None, worksheets=[]), "none of Jupyter's format 4"),
    "too much code": (notebook(f"x = 1{' ' * LARGEST_FILE}"), "characters of code"),
}


@pytest.mark.parametrize(("content", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_notebook_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        read_notebook(content, "ada/part.ipynb")


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

    assert step.checks[0].message == ("SyntaxError in ada/part2_network.ipynb, cell 3, line 1: invalid syntax.")


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


def test_the_definitions_of_a_cell_stay_in_their_lines() -> None:
    text = "import torch\nslow()\n\n@decorated\ndef f():\n    return 1\nx = f()"

    assert definitions_of(text) == "import torch\n\n\n@decorated\ndef f():\n    return 1\n"
