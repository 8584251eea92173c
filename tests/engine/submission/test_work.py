"""What somebody has written of a part: a stub holds nothing, in whatever words; everything that binds a step is work."""

import nbformat
import pytest

from autograder.exam.syllabus import SyllabusPart, load
from autograder.submission.model import Source
from autograder.submission.notebook import read_notebook
from autograder.submission.reading import Work, work_in
from autograder.workspace import COURSE

SYLLABUS = load(COURSE.syllabus)
PART = SYLLABUS.parts[0]
STUB = PART.stub


def work(text: str, part: SyllabusPart = PART) -> Work:
    return work_in(Source.module("part.py", text), part)


def in_cells(*cells: str) -> Work:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    return work_in(read_notebook(nbformat.writes(made).encode(), "part.ipynb"), PART)


@pytest.mark.parametrize("part", SYLLABUS.parts, ids=lambda part: part.name)
def test_a_stub_holds_none(part: SyllabusPart) -> None:
    assert work(part.stub, part) == {}


NONE = {
    "another docstring": STUB.replace("Return the dot product", "Give back the dot product"),
    "another error": STUB.replace('NotImplementedError("step 1: dot_product")', "NotImplementedError"),
    "other types": STUB.replace('Float[Tensor, " d"]', "Tensor"),
    "other imports": STUB.replace("import torch\n", "import numpy as np\nimport torch\n"),
    "another name": STUB.replace("def dot_product(", "def scalar_product("),
    "line ends of Windows": STUB.replace("\n", "\r\n"),
    "other indents": STUB.replace("    ", "  "),
    "nothing": "# to do\n",
    "a body that does nothing": "def dot_product(a, b): ...\ndef softmax(x): pass\nclass scores:\n    mask: Tensor",
    "a trial": f"{STUB}\nx = 1\nprint(dot_product(1, 2))\nfor _ in range(2):\n    torch.rand(1)\n",
}


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_what_does_nothing_is_none(text: str) -> None:
    assert text != STUB
    assert work(text) == {}


def test_what_the_stub_gives_is_none() -> None:
    given = (
        "def given(x):\n    return x + 1\n\nclass Model(Module):\n    def __init__(self):\n        super().__init__()\n"
    )
    assert work(given, SyllabusPart("part", "", f"{given}        raise NotImplementedError\n", ())) == {}


DEEP = f"x = {'-' * 50_000}1"
WORK = {
    "def softmax(x):\n    x = x.exp()\n    raise NotImplementedError": "softmax",
    "async def softmax(x):\n    return x": "softmax",
    "class softmax:\n    def __call__(self, x):\n        return x": "softmax",
    "softmax: object = torch.softmax": "softmax",
    "a, softmax = 1, torch.softmax": "softmax",
    "if True:\n    def softmax(x):\n        return x": "softmax",
    "from mine import my_softmax as softmax": "softmax",
    "def softmax(x):\n    return x\n\ndef softmax(x):\n    raise NotImplementedError": "softmax",
    f"def softmax(x):\n    return {'x + ' * 2_000}x\n": "softmax",
    f"{STUB}\ndef helper(x):\n    return x\n": "helper",
    "from mine import *": "*",
    "def softmax(x:\n    return x": "def softmax(x:\n    return x",
    DEEP: DEEP,
}


@pytest.mark.parametrize(("text", "name"), WORK.items(), ids=[text[:40] for text in WORK])
def test_what_binds_a_name_and_does_something_is_work(text: str, name: str) -> None:
    assert set(work(text)) == {name}


def test_the_same_work_in_other_words_is_the_same() -> None:
    one = work("def softmax(x):\n    return x.exp()")
    assert one == work('def softmax(x: Tensor) -> Tensor:\n    """Say it."""\n    # so\n    return  x.exp( )')
    assert one != work("def softmax(x):\n    return x")


def test_the_cells_of_a_notebook_are_searched_one_by_one() -> None:
    assert in_cells(f"from {PART.name} import dot_product", f"from {PART.name} import *", "dot_product(1, 2)") == {}
    assert set(in_cells("def softmax(x):\n    return x", "def broken(:", STUB)) == {"softmax", "def broken(:"}
