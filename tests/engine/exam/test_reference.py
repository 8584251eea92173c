"""A reference module is read as text: its steps, their signatures, and what is wrong with its form."""

from pathlib import Path
from textwrap import dedent

import pytest

from autograder.exam.reference import BrokenReference, ReferenceModule, StepSource, read
from autograder.workspace import Workspace

FUNCTION = '''
from jaxtyping import Float
from torch import Tensor


def scale(
    x: Float[Tensor, "... t"], weights: Float[Tensor, " t"], by: int = 2
) -> tuple[Float[Tensor, "... t"], Float[Tensor, ""]]:
    """Return x times the weights.

    by: how often.
    """
    ### BEGIN SOLUTION
    # TODO 1: multiply.
    return x * weights * by, weights.sum()
    ### END SOLUTION
'''

CLASS = '''
class Scale(nn.Module):
    """Multiplies."""

    def __init__(self, size: int, bias: bool = False) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        # TODO 1: one parameter.
        self.weight = nn.Parameter(torch.ones(size))
        ### END SOLUTION

    def forward(self, x: Float[Tensor, "... t d"]) -> Float[Tensor, "... t d"]:
        """Return x times the weight."""
        ### BEGIN SOLUTION
        # TODO 1: multiply.
        return x * self.weight
        ### END SOLUTION
'''

STORE = '''
class Store:
    """Keeps."""

    def __init__(self) -> None:
        ### BEGIN SOLUTION
        # TODO 1: nothing is kept yet.
        self.kept = []
        ### END SOLUTION

    def add(self, x: Float[Tensor, "b t"]) -> tuple[Float[Tensor, "b all"], int]:
        """Add x."""
        ### BEGIN SOLUTION
        # TODO 1: add it.
        self.kept.append(x)
        return self._joined(), len(self)
        ### END SOLUTION

    def __len__(self) -> int:
        """Return how many there are."""
        ### BEGIN SOLUTION
        # TODO 1: count.
        return len(self.kept)
        ### END SOLUTION

    def _joined(self):
        return torch.cat(self.kept, dim=1)
'''


def _read(folder: Path, text: str) -> ReferenceModule:
    path = folder / "solutions" / "part.py"
    path.parent.mkdir()
    path.write_text(dedent(text), encoding="utf-8")
    return read(path)


def _only_step(folder: Path, text: str) -> StepSource:
    (step,) = _read(folder, text).steps
    return step


# Steps and signatures


def test_steps_come_in_the_order_of_the_module(convolution: Workspace) -> None:
    module = read(convolution.solutions / "part1_convolution.py")
    assert [step.name for step in module.steps] == ["cross_correlate", "pad", "output_size", "windows", "convolve"]


def test_a_private_helper_is_no_step(tmp_path: Path) -> None:
    module = _read(tmp_path, "def _helper(x):\n    return x\n" + FUNCTION)
    assert [step.name for step in module.steps] == ["scale"]


def test_a_summary_is_the_first_line_of_the_docstring(tmp_path: Path) -> None:
    assert _only_step(tmp_path, FUNCTION).summary == "Return x times the weights."


def test_a_docstring_is_without_its_indentation(tmp_path: Path) -> None:
    assert _only_step(tmp_path, FUNCTION).docstring == "Return x times the weights.\n\nby: how often."


def test_the_signature_of_a_function_shows_shapes_types_and_defaults(tmp_path: Path) -> None:
    text = _only_step(tmp_path, FUNCTION).signature.text
    assert text == "scale(x: (... t), weights: (t), by: int = 2) -> ((... t), ())"


def test_the_signature_of_a_class_shows_how_it_is_made_and_called(tmp_path: Path) -> None:
    text = _only_step(tmp_path, CLASS).signature.text
    assert text == "Scale(size: int, bias: bool = False); forward(x: (... t d)) -> (... t d)"


def test_the_signature_of_a_class_that_is_not_called_shows_its_public_methods(tmp_path: Path) -> None:
    text = _only_step(tmp_path, STORE).signature.text
    assert text == "Store(); add(x: (b t)) -> ((b all), int); len() -> int"


def test_the_dimensions_of_arguments_are_named(tmp_path: Path) -> None:
    assert _only_step(tmp_path, FUNCTION).signature.arguments == {"x": "... t", "weights": "t"}


def test_the_dimensions_of_a_single_result_are_named(tmp_path: Path) -> None:
    assert _only_step(tmp_path, CLASS).signature.returns == {"result": "... t d"}


@pytest.mark.parametrize(("text", "kind"), [(FUNCTION, "function"), (CLASS, "class")], ids=["function", "class"])
def test_functions_and_classes_are_told_apart(tmp_path: Path, text: str, kind: str) -> None:
    assert _only_step(tmp_path, text).kind == kind


def test_the_text_of_a_step_reaches_from_its_decorator_to_the_end_of_its_region(tmp_path: Path) -> None:
    decorated = FUNCTION.replace("\ndef scale(", "\n@cache\ndef scale(")
    lines = _only_step(tmp_path, decorated + "\n\nNOTHING_MORE = 1\n").text.splitlines()
    assert (lines[0], lines[-1].strip()) == ("@cache", "### END SOLUTION")


def test_a_step_knows_its_lines(tmp_path: Path) -> None:
    step = _only_step(tmp_path, FUNCTION)
    lines = (tmp_path / "solutions" / "part.py").read_text(encoding="utf-8").splitlines(keepends=True)
    assert "".join(lines[step.first_line - 1 : step.last_line]) == step.text


# What is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            """\
            def f(x):
                ### BEGIN SOLUTION
                # TODO 1: return it.
                return x
            """,
            "solutions/part.py, line 2: this solution region has no `### END SOLUTION`; write it where it ends",
            id="unclosed region",
        ),
        pytest.param(
            """\
            def f(x):
                ### BEGIN SOLUTION
                # TODO 1: return it.
                ### BEGIN SOLUTION
                return x
                ### END SOLUTION
            """,
            "solutions/part.py, line 2: this solution region has no `### END SOLUTION`; write it where it ends",
            id="region inside a region",
        ),
        pytest.param(
            """\
            def f(x):
                # TODO 1: return it.
                return x
                ### END SOLUTION
            """,
            "solutions/part.py, line 4: `### END SOLUTION` without a beginning; "
            "write `### BEGIN SOLUTION` where the region begins",
            id="end without a beginning",
        ),
        pytest.param(
            """\
            def f(x):
                ### BEGIN SOLUTION
                # TODO 2: return it.
                return x
                ### END SOLUTION
            """,
            "solutions/part.py, line 1: step f is number 1, its TODOs say [2]; write `# TODO 1:`",
            id="another step's number",
        ),
        pytest.param(
            """\
            def f(x):
                ### BEGIN SOLUTION
                # TODO 1: return it.
                # TODO 2: twice.
                return x
                ### END SOLUTION
            """,
            "solutions/part.py, line 1: step f is number 1, its TODOs say [1, 2]; write `# TODO 1:`",
            id="two numbers",
        ),
        pytest.param(
            """\
            def f(x):
                ### BEGIN SOLUTION
                return x
                ### END SOLUTION
            """,
            "solutions/part.py, line 2: a solution region begins with its `# TODO N:`; write it below this line",
            id="no TODO",
        ),
        pytest.param(
            """\
            def f(x):
                # TODO 1: return it.
                return x
            """,
            "solutions/part.py, line 1: step f has no solution region; "
            "write `### BEGIN SOLUTION` and `### END SOLUTION` around what students are to write",
            id="no region",
        ),
        pytest.param(
            """\
            def f(x):
                return x +
            """,
            "solutions/part.py, line 2: invalid syntax",
            id="syntax error",
        ),
    ],
)
def test_a_broken_module_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "course.toml").touch()
    with pytest.raises(BrokenReference) as broken:
        _read(tmp_path, text)
    assert str(broken.value).splitlines()[0] == message


def test_a_region_that_has_been_closed_may_be_followed_by_another(tmp_path: Path) -> None:
    assert _only_step(tmp_path, CLASS).text.count("### BEGIN SOLUTION") == 2


def test_a_module_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BrokenReference, match=r"the reference module .*part9\.py cannot be read"):
        read(tmp_path / "part9.py")
