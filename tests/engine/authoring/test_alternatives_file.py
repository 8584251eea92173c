"""Files of alternatives: cells under headings become submissions, and what is wrong with a file is told."""

from pathlib import Path

import pytest

from autograder.authoring.alternatives import read
from autograder.course.errors import BrokenCourse

HEADER = '"""Alternatives."""\n\nimport torch\n'
PART = "part1_simplified"
DOT = "def dot_product(a, b):\n    return torch.dot(a, b)\n"


def _file(folder: Path, *cells: str) -> Path:
    path = folder / "part1_simplified.py"
    path.write_text("\n\n".join([HEADER, *cells]), encoding="utf-8")
    return path


def _problem(path: Path) -> str:
    with pytest.raises(BrokenCourse) as told:
        read(PART, path)
    return str(told.value)


# What is read


def test_a_submission_is_the_header_and_its_own_cell_alone(tmp_path: Path) -> None:
    first, second = f"# %% dot_product: one\nONE = 1\n\n\n{DOT}", f"# %% dot_product: two\n{DOT}"
    texts = [one.text for one in read(PART, _file(tmp_path, first, second))]
    assert [("import torch" in text, "ONE" in text) for text in texts] == [(True, True), (True, False)]
    assert [text.count("def dot_product") for text in texts] == [1, 1]


def test_each_return_at_the_top_level_of_a_function_ends_a_submission(tmp_path: Path) -> None:
    body = "    return torch.dot(a, b)  # dot\n\n    products = a * b\n    return products.sum()\n"
    one, other = read(PART, _file(tmp_path, f"# %% dot_product: each\ndef dot_product(a, b):\n{body}"))
    assert (one.label, other.label) == ("dot", "each, line 11")
    assert ("products" in one.text, "torch.dot" in other.text) == (False, False)


# What is refused


@pytest.mark.parametrize(
    "heading", ["# %%", "# %% dot_product", "# %% dot_product:", "# %% dot product: dot", "#%% dot_product: dot"]
)
def test_a_heading_of_another_form_is_told_with_what_to_write(tmp_path: Path, heading: str) -> None:
    problem = _problem(_file(tmp_path, f"{heading}\n{DOT}"))
    assert problem == f"part1_simplified.py, line 6: {heading!r} does not name a cell; write `# %% step: label`"


@pytest.mark.parametrize(
    "code", [DOT.replace("dot_product", "dotproduct"), "", "if True:\n    def dot_product(): ...\n"]
)
def test_a_cell_that_does_not_define_its_step_is_told_with_what_to_write(tmp_path: Path, code: str) -> None:
    problem = _problem(_file(tmp_path, f"# %% dot_product: dot\n{code}"))
    assert problem.startswith("part1_simplified.py, line 6: the cell does not define dot_product; ")


def test_an_error_of_syntax_is_told_with_its_line_in_the_file(tmp_path: Path) -> None:
    path = _file(tmp_path, f"# %% dot_product: one\n{DOT}", "# %% dot_product: two\ndef dot_product(a, b:\n    pass\n")
    assert _problem(path).startswith("part1_simplified.py, line 12: ")
