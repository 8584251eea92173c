"""Mutants: what a program makes of a solution, one small fault at a time."""

from autograder.diagnosis.operators.edits import Mutant, mutants
from autograder.exam.reference import read
from autograder.workspace import Workspace

HEADER = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor\n\nFACTOR = 3\n\n\n"


SIGNATURE = 'def step(a: Float[Tensor, "t t"], b: Float[Tensor, "t t"]) -> Float[Tensor, "t t"]:'


def _mutants(body: str) -> list[Mutant]:
    text = HEADER + "\n".join([SIGNATURE, *(f"    {line}" for line in body.splitlines())]) + "\n"
    first = text.splitlines().index(SIGNATURE) + 1
    return list(mutants(text, range(first, len(text.splitlines()) + 1)))


def _mutants_of(course: Workspace, part: str) -> list[Mutant]:
    module = read(course.solutions / f"{part}.py")
    return list(mutants(module.text, module.solution_lines))


def test_no_two_mutants_are_alike(course: Workspace) -> None:
    texts = [mutant.text for mutant in _mutants_of(course, "part3_causal")]
    assert len(texts) > 200
    assert len(set(texts)) == len(texts)


def test_what_stands_outside_the_solution_is_left_alone() -> None:
    assert all("FACTOR = 3" in mutant.text for mutant in _mutants("return a * FACTOR"))


def test_what_an_error_says_is_left_alone() -> None:
    made = {mutant.becomes for mutant in _mutants("if a:\n    raise ValueError('two')\nreturn b")}
    assert not any("two_" in becomes for becomes in made)


CLASS = '''\
class Step:
    """Has the attribute `kept`, inner_size and a `buffer`; uses what is added."""

    def __init__(self, added):
        self.kept = added
        self.inner_size = 2
        self.added = added
        self.register_buffer("buffer", added)
'''


def test_attributes_that_a_docstring_names_are_renamed_wherever_they_are_used() -> None:
    made = [mutant for mutant in mutants(CLASS, ()) if mutant.was.startswith("self.")]
    assert [mutant.becomes for mutant in made] == ["self.inner_size_", "self.kept_", "self.buffer_"]
    assert 'self.register_buffer("buffer_", added)' in made[-1].text


MODES = '''\
def step(model: nn.Module, x: int) -> int:
    """Return what comes out{}."""
    model.train()
    return model(x)
'''


def test_a_model_is_put_into_a_mode_where_a_docstring_names_modes() -> None:
    made = [mutant.becomes for mutant in mutants(MODES.format(", in training mode"), ())]
    assert made == ["model.eval(); return model(x)", "model.train(); return model(x)"]


def test_a_model_is_left_in_its_mode_where_no_docstring_names_modes() -> None:
    assert list(mutants(MODES.format(""), ())) == []
