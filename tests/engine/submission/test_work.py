"""What somebody has written of a part: a stub holds nothing, in whatever words; everything that gives a step a meaning is work."""

import nbformat
import pytest

from autograder.exam.syllabus import SyllabusPart, load
from autograder.submission.model import Source
from autograder.submission.notebook import read_notebook
from autograder.submission.reading import Work, work_in
from autograder.workspace import COURSE

SYLLABUS = load(COURSE.syllabus)
PART = SYLLABUS.parts[0]


def work(text: str, part: SyllabusPart = PART) -> Work:
    return work_in(Source.module("part.py", text), part)


def in_cells(*cells: str) -> Work:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    return work_in(read_notebook(nbformat.writes(made).encode(), "part.ipynb"), PART)


# A stub holds no work


@pytest.mark.parametrize("part", SYLLABUS.parts, ids=lambda part: part.name)
def test_a_stub_holds_none(part: SyllabusPart) -> None:
    assert work(part.stub, part) == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Return the dot product", "Give back the dot product"),
        ("# TODO 1:", "# TODO one:"),
        ('NotImplementedError("step 1: dot_product")', "NotImplementedError"),
        ('Float[Tensor, " d"]', "Tensor"),
        ("from jaxtyping import Float\n", ""),
        ("import torch\n", "import numpy as np\nimport torch\n"),
        ("def dot_product(", "def scalar_product("),
        ("\n", "\r\n"),
        ("    ", "  "),
    ],
)
def test_a_stub_of_another_release_holds_none(old: str, new: str) -> None:
    assert old in PART.stub
    assert work(PART.stub.replace(old, new)) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# to do\n",
        "import torch\n",
        "def dot_product(a, b): ...",
        "def softmax(x): pass",
        "class softmax:\n    mask: Tensor",
    ],
)
def test_what_does_nothing_is_none(text: str) -> None:
    assert work(text) == {}


@pytest.mark.parametrize("text", ["x = 1", "print(dot_product(1, 2))", "for _ in range(2):\n    torch.rand(1)"])
def test_a_trial_beside_a_stub_is_none(text: str) -> None:
    assert work(f"{PART.stub}\n{text}\n") == {}


def test_what_the_stub_gives_is_none() -> None:
    given = (
        "def given(x):\n    return x + 1\n\nclass Model(Module):\n    def __init__(self):\n        super().__init__()\n"
    )
    part = SyllabusPart("part", "", f"{given}        raise NotImplementedError\n", ())

    assert work(given, part) == {}


def test_a_notebook_that_tries_out_its_module_holds_none() -> None:
    assert in_cells(f"from {PART.name} import dot_product", f"from {PART.name} import *", "dot_product(1, 2)") == {}


# Work


@pytest.mark.parametrize(
    "text",
    [
        "def softmax(x):\n    return x",
        "def softmax(x):\n    x = x.exp()\n    raise NotImplementedError",
        "async def softmax(x):\n    return x",
        "class softmax:\n    def __call__(self, x):\n        return x",
        "softmax = torch.softmax",
        "softmax: object = torch.softmax",
        "a, softmax = 1, torch.softmax",
        "if True:\n    def softmax(x):\n        return x",
        "from mine import softmax",
        "from mine import my_softmax as softmax",
        "def softmax(x):\n    return x\n\ndef softmax(x):\n    raise NotImplementedError",
    ],
)
def test_a_step_that_is_given_a_meaning_is_work(text: str) -> None:
    assert set(work(text)) == {"softmax"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{PART.stub}\ndef helper(x):\n    return x\n", "helper"),
        ("from mine import *", "*"),
        ("def softmax(x:\n    return x", "def softmax(x:\n    return x"),
    ],
)
def test_work_that_is_no_step_is_work(text: str, found: str) -> None:
    assert set(work(text)) == {found}


def test_a_text_that_is_nested_too_deeply_is_work() -> None:
    text = f"x = {'-' * 50_000}1"
    assert set(work(text)) == {text}


def test_a_step_that_is_given_a_meaning_thousands_of_times_is_work() -> None:
    assert set(work("if True:\n" + "    softmax = 1\n" * 5_000)) == {"softmax"}


def test_a_very_long_sum_is_work() -> None:
    assert work(f"def softmax(x):\n    return {'x + ' * 2_000}x\n")


def test_work_in_a_class_is_found() -> None:
    part = SYLLABUS.part("part3_causal")
    text = part.stub.replace("super().__init__()\n", "super().__init__()\n        self.mask = None\n")

    assert set(work(text, part)) == {"CausalAttention"}


def test_the_same_work_in_other_words_is_the_same() -> None:
    one = work("def softmax(x):\n    return x.exp()")
    assert one == work('def softmax(x: Tensor) -> Tensor:\n    """Say it."""\n    # so\n    return  x.exp( )')
    assert one != work("def softmax(x):\n    return x")


def test_the_cells_of_a_notebook_are_searched_one_by_one() -> None:
    found = in_cells(
        "def softmax(x):\n    return x", "def broken(:", "def dot_product(a, b):\n    raise NotImplementedError"
    )
    assert set(found) == {"softmax", "def broken(:"}
