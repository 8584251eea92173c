"""A course that does not fit together is refused with the place, what was expected and what to do."""

import pytest
from tiny_course import TinyCourse

from autograder.course.errors import BrokenCourse, place_of
from autograder.exam.reference import BrokenReference

DATA = "course/part0_tiny/steps.py"
MISTAKES = "course/part0_tiny/mistakes.py"
REFERENCE = "solutions/part0_tiny.py"

FIRST_STEP = 'Step(name="scores", lecture=PAGE, points=2, effort="one line", hints=("Multiply.", "`@`"), cases=_scores)'
BATCH = 'yield Case("batch", {"x": draw.normal(4, 3)})'
RANDOM = 'yield Case("random", {"query": draw.normal(3), "keys": draw.normal(4, 3)})'
SCORES = f"{DATA}, line LINE: step scores of part0_tiny: "
SCALE = f"{DATA}, line LINE: step Scale of part0_tiny: "


def refusal(tiny: TinyCourse) -> str:
    with pytest.raises(BrokenCourse) as broken:
        tiny.build_exam()
    return str(broken.value)


IN_DATA = {
    # a field
    ("points=2", 'points="three"'): f"{DATA}: step scores: points is 'three'; expected a number from 0 on",
    ("points=2", "points=-1"): f"{DATA}: step scores: points is -1; expected a number from 0 on",
    ('("Multiply.", "`@`")', '("Multiply.")'): "hints is 'Multiply.'; expected two or three texts, with a comma behind",
    ('("Multiply.", "`@`")', '("Multiply.",)'): "hints is ('Multiply.',); expected two or three texts",
    (
        "cases=_scores",
        'cases=_scores, forbids=("softmax")',
    ): "forbids is 'softmax'; expected a tuple of names without dots",
    ("cases=_scores", 'cases=_scores, forbids=("torch.mv",)'): "forbids is ('torch.mv',); expected a tuple of names",
    ("cases=_scores", 'cases=_scores, criteria=(("batch", 0.2),)'): "criteria is (('batch', 0.2),); expected a tuple",
    # the module
    ("points=2", "point=2"): f"{DATA}, line LINE: the module cannot be imported: TypeError: ",
    ("import Tensor", "import (Tensor"): f"{DATA}, line LINE: the module cannot be imported: SyntaxError: ",
    ("import Tensor", "import Tenser"): f"{DATA}, line LINE: the module cannot be imported: ImportError: ",
    ("PART = Part(", "MINE = Part("): "has no attribute 'PART'; expected a module with `PART = Part(...)`",
    ('"part0_tiny"', '"part0"'): f"{DATA}: PART is named 'part0'; expected 'part0_tiny', as its folder is",
    # its steps
    (f"{FIRST_STEP},", ""): f"{DATA}: its steps are Scale; expected those of {REFERENCE}, in this order: scores, Scale",
    (f"{FIRST_STEP},", f"{FIRST_STEP}, {FIRST_STEP},"): f"{DATA}: its steps are scores, scores, Scale; expected",
    ('name="scores"', 'name="scoers"'): f"{DATA}: its steps are scoers, Scale; expected",
    (", probe=run_scale", ""): f"{DATA}: step Scale is a class and has no probe; write one",
    # its cases
    (BATCH, BATCH.replace("normal", "norml")): f"{SCALE}its cases cannot be drawn: AttributeError: 'Draw' object has",
    (BATCH, BATCH.replace("4, 3", '"four"')): f"{SCALE}its cases cannot be drawn: TypeError: ",
    (BATCH, BATCH.removeprefix("yield ")): "its cases cannot be drawn: TypeError: 'NoneType' object is not iterable",
    (BATCH, 'yield ("batch", {})'): "its cases cannot be drawn: AttributeError: 'tuple' object has no attribute",
    (BATCH, "yield from ()"): "step Scale: code that does nothing is right in all its values",
    (BATCH, BATCH.replace("draw.normal(4, 3)", "draw.normal(4, 3) * 0")): "code that does nothing is right in all",
    (
        BATCH,
        BATCH.replace('"batch"', 'f"batch {draw.integer(0, 10**6)}"'),
    ): "the names of its cases change with the draw",
    (BATCH, BATCH.replace("batch", "in float64")): "two cases have the name 'in float64'; give each another",
    (BATCH, BATCH.replace("draw.normal(4, 3)", "[1]")): "case 'batch': the input x is a list; expected a tensor",
    (
        BATCH,
        BATCH.replace("3)", "3).requires_grad_()"),
    ): "the input x is a Tensor; expected a tensor without a gradient",
    (BATCH, BATCH.replace('"x"', '"y"')): "the reference has no answer to the case part0_tiny.Scale.batch: TypeError: ",
    (RANDOM, RANDOM.replace('"keys"', '"key"')): "has the inputs query, key; expected the arguments of the reference",
    (RANDOM, RANDOM.replace('"query": draw.normal(3), ', "")): "has the inputs keys; expected the arguments of the",
    ("cases=_scale,", 'cases=_scale, criteria=(Criterion("hall", 0.2, cases=("hall",)),),'): (
        "step Scale: criterion 'hall' names 'hall'; expected one of: batch, "
    ),
    ("cases=_scale,", 'cases=_scale, criteria=(Criterion("all", 0.2, outputs=("result",)),),'): (
        "or its criteria name all; draw a case in which it is wrong"
    ),
    ("cases=_scale,", 'cases=_scale, criteria=(Criterion("batch", 0.6, cases=("batch",)),),'): (
        f"{DATA}: step Scale: its criteria have more than 50% of the points; leave the rest to its values"
    ),
    # the probe
    ("cls()(x)", "cls(3)(x).foo"): f"(the probe's line is {DATA}, line LINE)",
}

IN_REFERENCE = {
    ("import Tensor", "import Tenser, Tensor"): f"{REFERENCE}, line LINE: the reference cannot be imported: Import",
    ("class Scale", "class scores"): f"expected those of {REFERENCE}, in this order: scores, scores",
    ("x / 2", "x @ x"): "the reference has no answer to the case part0_tiny.Scale.batch: RuntimeError: ",
    ("return x / 2", "return x @ x"): f"(the reference's line is {REFERENCE}, line LINE)",
    ("x / 2", "x.exp().add_(1)"): "has no gradients in the case part0_tiny.Scale.batch: RuntimeError: ",
    (" x / 2", " x.exp().add_(1)"): "correct the reference, or write `gradients=False` in the step",
    (
        'query: Float[Tensor, " d"]',
        "query",
    ): "step scores is shown as `scores(query: ?, keys: (t d)) -> (t)`; write each",
    ('query: Float[Tensor, " d"]', "query: Tensor"): "is shown as `scores(query: Tensor, keys: (t d)) -> (t)`; write",
    ('query: Float[Tensor, " d"]', "query: Tensor | None"): "`scores(query: Tensor | None, keys: (t d)) -> (t)`; write",
    (') -> Float[Tensor, " t"]', ") -> tuple[Tensor, Tensor]"): "keys: (t d)) -> (Tensor, Tensor)`; write each type",
}

IN_MISTAKES = {
    ("import Tensor", "import Tenser"): f"{MISTAKES}, line LINE: the module cannot be imported: ImportError: ",
    ('("scores", "You add.")', '("scors", "You add.")'): (
        f"{MISTAKES}, line LINE: mistake added: part0_tiny has no step 'scors'; did you mean 'scores'?"
    ),
    ("def doubled", "def added"): f"{MISTAKES}: two mistakes have the name added; give each another",
}

EDITS = [
    pytest.param(file, *edit, said, id=f"{file}: {edit[1][-40:]}")
    for file, edits in (("data", IN_DATA), ("reference", IN_REFERENCE), ("mistakes", IN_MISTAKES))
    for edit, said in edits.items()
]


@pytest.mark.parametrize(("file", "old", "new", "said"), EDITS)
def test_a_course_is_refused_that_does_not_fit_together(
    tiny: TinyCourse, file: str, old: str, new: str, said: str
) -> None:
    tiny.edit(tiny.data, "import Case,", "import Case, Criterion,")
    line = tiny.edit(getattr(tiny, file), old, new)
    told = refusal(tiny)

    assert said.replace("LINE", str(line)) in told or said.replace("LINE", str(line - 1)) in told


def test_all_wrong_fields_are_named_at_once(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "points=2", "points=-1")
    tiny.edit(tiny.data, "points=3", "points=-1")

    assert len(refusal(tiny).splitlines()) == 2


@pytest.mark.parametrize("file", ["data", "mistakes"])
def test_a_module_that_is_not_there_is_named(tiny: TinyCourse, file: str) -> None:
    getattr(tiny, file).unlink()

    assert refusal(tiny).startswith(f"{DATA if file == 'data' else MISTAKES} cannot be imported: ModuleNotFoundError: ")


def test_a_reference_that_uses_what_its_step_forbids_is_refused_with_its_line(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "cases=_scores", 'cases=_scores, forbids=("mv",)')
    line = tiny.edit(tiny.reference, "return keys @ query", "return keys.mv(query)")
    told = refusal(tiny)

    assert "part0_tiny.scores.random: it uses torch's own `mv`, which the step forbids" in told
    assert told.endswith(f"(the reference's line is {REFERENCE}, line {line})")


ALLOWED = {
    "a default": ("reference", 'keys: Float[Tensor, "t d"]\n', 'keys: Float[Tensor, "t d"], by: int = 1\n'),
    "any shape": ("reference", 'x: Float[Tensor, "t d"]', "x: Float[Tensor, ...]"),
    "no points": ("data", "points=2", "points=0"),
    "nothing forbidden": ("data", "cases=_scores", "cases=_scores, forbids=()"),
}


@pytest.mark.parametrize(("file", "old", "new"), ALLOWED.values(), ids=ALLOWED)
def test_a_course_that_fits_together_gives_an_exam(tiny: TinyCourse, file: str, old: str, new: str) -> None:
    tiny.edit(getattr(tiny, file), old, new)

    assert [step.path for step in tiny.build_exam().syllabus.steps] == ["part0_tiny.scores", "part0_tiny.Scale"]


def test_a_wrong_reference_is_a_broken_reference(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "return x / 2", "return x @ x")

    with pytest.raises(BrokenReference):
        tiny.build_exam()


def test_an_exception_that_no_author_caused_has_no_place() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        1 / 0  # noqa: B018
    assert place_of(error.value) == ""
