"""A reference module is read as text: its steps, their signatures, what is wrong with its form, and its stub."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from autograder.course.errors import BrokenCourse
from autograder.exam.reference import BEGIN, END, ReferenceModule, StepSource, read, stub_of
from autograder.workspace import COURSE, Workspace

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


def test_a_docstring_is_without_its_indentation(tmp_path: Path) -> None:
    step = _only_step(tmp_path, FUNCTION)
    assert step.docstring == "Return x times the weights.\n\nby: how often."


SIGNATURES = {
    FUNCTION: "scale(x: (... t), weights: (t), by: int = 2) -> ((... t), ())",
    CLASS: "Scale(size: int, bias: bool = False); forward(x: (... t d)) -> (... t d)",
    STORE: "Store(); add(x: (b t)) -> ((b all), int); len() -> int",
}


@pytest.mark.parametrize(("text", "signature"), SIGNATURES.items(), ids=["function", "called class", "other class"])
def test_a_signature_shows_shapes_types_and_defaults(tmp_path: Path, text: str, signature: str) -> None:
    assert _only_step(tmp_path, text).signature == signature


def test_dimensions_are_named(tmp_path: Path) -> None:
    step = _only_step(tmp_path, CLASS)
    assert (step.kind, step.arguments, step.returns) == ("class", {"x": "... t d"}, {"result": "... t d"})


def test_a_step_reaches_from_its_decorator_to_the_end_of_its_region(tmp_path: Path) -> None:
    decorated = FUNCTION.replace("\ndef scale(", "\n@cache\ndef scale(").replace(
        "    ### END", "    # Done.\n    ### END"
    )
    step = _only_step(tmp_path, decorated + "\n\nNOTHING_MORE = 1\n")
    lines = (tmp_path / "solutions" / "part.py").read_text(encoding="utf-8").splitlines(keepends=True)

    assert "".join(lines[step.first_line - 1 : step.last_line]) == step.text
    assert (step.text.splitlines()[0], step.text.splitlines()[-1].strip()) == ("@cache", END)


# What is wrong with a module

BODY = f"    {BEGIN}\n    # TODO 1: return it.\n    return x\n    {END}\n"
F = "def f(x: int) -> int:\n"
BROKEN = {
    "not closed": (F + BODY.replace(END, ""), f"line 5: expected `{END}` before this line; write it there"),
    "closed twice": (F + BODY + f"    {END}\n", f"line 6: expected `{BEGIN}` before this line; write it there"),
    "opened twice": (F + f"    {BEGIN}\n" + BODY, f"line 3: expected `{END}` before this line; write it there"),
    "outside": (
        f"{BEGIN}\n# TODO 1: x.\nX = 1\n{END}\n\n\n" + F + BODY,
        "line 1: expected this solution region within",
    ),
    "in a helper": (
        F.replace("f(", "_f(") + BODY + "\n\n" + F + BODY,
        "line 2: expected this solution region within a step",
    ),
    "another number": (F + BODY.replace("1", "2"), "line 2: expected `# TODO 1:` below this line"),
    "no TODO": (F + BODY.replace("    # TODO 1: return it.\n", ""), "line 2: expected `# TODO 1:` below this line"),
    "no region": (F + "    return x\n", f"line 1: step f has no solution region; write `{BEGIN}` and `{END}` around"),
    "syntax error": (
        F + "    return x +\n",
        "line 2: SyntaxError: invalid syntax",
    ),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_module_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "course.toml").touch()
    with pytest.raises(BrokenCourse) as broken:
        _read(tmp_path, text)
    assert str(broken.value).startswith(f"solutions/part.py, {message}")


def test_a_module_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BrokenCourse, match=r"part9\.py: FileNotFoundError"):
        read(tmp_path / "part9.py")


# The stub


@pytest.fixture(params=COURSE.course.parts)
def module(request: pytest.FixtureRequest, course: Workspace) -> ReferenceModule:
    return read(course.solutions / f"{request.param}.py")


def test_a_stub_has_the_steps_of_its_module_and_no_line_of_a_solution(module: ReferenceModule, tmp_path: Path) -> None:
    lines = module.text.splitlines()
    code = {
        lines[number - 1].strip() for number in module.solution_lines if lines[number - 1].strip()[:1] not in ("", "#")
    }
    todos = {lines[begin].strip() for begin, _ in module.regions}
    stub = stub_of(module)
    written = {line.strip() for line in stub.splitlines()}

    assert code
    assert code & written == set()
    assert todos <= written
    assert "SOLUTION" not in stub
    outside = [line for number, line in enumerate(lines, 1) if not any(a <= number <= b for a, b in module.regions)]
    assert [line for line in stub.splitlines() if line in outside] == outside


def test_every_region_of_a_stub_raises_and_names_its_step(module: ReferenceModule) -> None:
    raised = re.findall(r'raise NotImplementedError\("step (\d+): (\w+)"\)', stub_of(module))
    numbered = enumerate(module.steps, start=1)

    assert raised == [(str(number), step.name) for number, step in numbered for _ in range(step.text.count(BEGIN))]
    exec(compile(stub_of(module), module.path.name, "exec"), {})


def test_comments_that_open_a_region_stay_and_others_go(tmp_path: Path) -> None:
    region = (
        f"    {BEGIN}\n    # TODO 1: double it.\n    # Mind the sign.\n    z = 2 * x\n    # That was all.\n    {END}\n"
    )
    stub = stub_of(_read(tmp_path, f"{F}{region}    return z\n"))

    said = '    # TODO 1: double it.\n    # Mind the sign.\n    raise NotImplementedError("step 1: f")\n    return z\n'
    assert stub == F + said
