"""A course that does not fit together is refused with the place, what was expected and what to do."""

import pytest
from tiny_course import TinyCourse

from autograder.course.errors import BrokenCourse, place_of

DATA = "course/part0_tiny/steps.py"
MISTAKES = "course/part0_tiny/mistakes.py"
REFERENCE = "solutions/part0_tiny.py"

FIRST_STEP = 'Step(name="scores", lecture=PAGE, points=2, effort="one line", hints=("Multiply.", "`@`"), cases=_scores)'
BATCH = 'yield Case("batch", {"x": draw.normal(4, 3)})'
RANDOM = 'yield Case("random", {"query": draw.normal(3), "keys": draw.normal(4, 3)})'
SCORES, SCALE = f"{DATA}: step scores: ", f"{DATA}: step Scale: "


def refusal(tiny: TinyCourse) -> str:
    with pytest.raises(BrokenCourse) as broken:
        tiny.build_exam()
    return str(broken.value)


IN_DATA = {
    # a field
    ("points=2", 'points="three"'): f"{SCORES}ValidationError: Expected `float`, got `str` - at `$.points`",
    ("points=2", "points=-1"): f"{SCORES}ValidationError: Expected `float` >= 0.0 - at `$.points`",
    ('("Multiply.", "`@`")', '("Multiply.")'): "Expected `array`, got `str` - at `$.hints`",
    ('("Multiply.", "`@`")', '("Multiply.",)'): "Expected `array` of length >= 2 - at `$.hints`",
    ("cases=_scores", 'cases=_scores, forbids=("torch.mv",)'): "at `$.forbids[",
    ("cases=_scores", 'cases=_scores, criteria=(("batch", 0.2),)'): f"{SCORES}AttributeError: 'tuple' object has no",
    # the module
    ("points=2", "point=2"): f"{DATA}, line LINE: TypeError: ",
    ("import Tensor", "import (Tensor"): f"{DATA}, line LINE: SyntaxError: ",
    ("import Tensor", "import Tenser"): f"{DATA}, line LINE: ImportError: ",
    (
        "PART = Part(",
        "MINE = Part(",
    ): f"{DATA}: AttributeError: module 'course.part0_tiny.steps' has no attribute 'PART'",
    ('"part0_tiny"', '"part0"'): f"{DATA}: PART is named 'part0'; expected 'part0_tiny', as its folder is",
    # its steps
    (f"{FIRST_STEP},", ""): f"{DATA}: its steps are Scale; expected those of {REFERENCE}, in this order: scores, Scale",
    ('name="scores"', 'name="scoers"'): f"{DATA}: its steps are scoers, Scale; expected",
    # its cases
    (BATCH, BATCH.replace("normal", "norml")): f"{DATA}, line LINE: AttributeError: 'Draw' object has",
    (BATCH, BATCH.removeprefix("yield ")): f"{SCALE}TypeError: 'NoneType' object is not iterable",
    (BATCH, "yield from ()"): f"{SCALE}code that does nothing is right in all its values",
    (BATCH, BATCH.replace("draw.normal(4, 3)", "draw.normal(4, 3) * 0")): "code that does nothing is right in all",
    (
        BATCH,
        BATCH.replace('"batch"', 'f"batch {draw.integer(0, 10**6)}"'),
    ): f"{SCALE}the names of its cases change with the draw",
    (BATCH, BATCH.replace("batch", "in float64")): f"{SCALE}two of its cases have one name; expected others than",
    (BATCH, BATCH.replace('"x"', '"y"')): "the reference has no answer to the case part0_tiny.Scale.batch: TypeError: ",
    (RANDOM, RANDOM.replace('"keys"', '"key"')): "has the inputs query, key; expected the arguments of the reference",
    (RANDOM, RANDOM.replace('"query": draw.normal(3), ', "")): "has the inputs keys; expected the arguments of the",
    ("cases=_scale,", 'cases=_scale, criteria=(Criterion("hall", 0.2, cases=("hall",)),),'): (
        f"{SCALE}criterion 'hall' names 'hall'; expected one of: batch, "
    ),
    ("cases=_scale,", 'cases=_scale, criteria=(Criterion("all", 0.2, outputs=("result",)),),'): (
        "or its criteria name all; draw a case in which it is wrong"
    ),
    ("cases=_scale,", 'cases=_scale, criteria=(Criterion("batch", 0.7, cases=("batch",)),),'): (
        f"{SCALE}ValueError: its criteria leave less than 25% of the points for `values`"
    ),
    # the probe
    ("cls()(x)", "cls(3)(x).foo"): f"({DATA}, line LINE)",
}

IN_REFERENCE = {
    ("import Tensor", "import Tenser, Tensor"): f"{REFERENCE}, line LINE: ImportError: ",
    ("class Scale", "class scores"): f"expected those of {REFERENCE}, in this order: scores, scores",
    ("x / 2", "x @ x"): "the reference has no answer to the case part0_tiny.Scale.batch: RuntimeError: ",
    ("return x / 2", "return x @ x"): f"({REFERENCE}, line LINE)",
    ("x / 2", "x.exp().add_(1)"): "has no gradients in the case part0_tiny.Scale.batch: RuntimeError: ",
    (" x / 2", " x.exp().add_(1)"): "correct the reference, or write `gradients=False` in the step",
}

IN_MISTAKES = {
    ("import Tensor", "import Tenser"): f"{MISTAKES}, line LINE: ImportError: ",
    (
        "class scores",
        "class scors",
    ): f"{MISTAKES}: mistake added is of the step 'scors'; expected one of: scores, Scale",
    ('"""You add."""', ""): f"{MISTAKES}: mistake added explains nothing; add a docstring for students",
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


@pytest.mark.parametrize("file", ["data", "mistakes"])
def test_a_module_that_is_not_there_is_named(tiny: TinyCourse, file: str) -> None:
    getattr(tiny, file).unlink()

    assert refusal(tiny).startswith(f"{DATA if file == 'data' else MISTAKES}: ModuleNotFoundError: ")


def test_a_reference_that_uses_what_its_step_forbids_is_refused_with_its_line(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "cases=_scores", 'cases=_scores, forbids=("mv",)')
    line = tiny.edit(tiny.reference, "return keys @ query", "return keys.mv(query)")
    told = refusal(tiny)

    assert "part0_tiny.scores.random: it uses torch's own `mv`, which the step forbids" in told
    assert told.endswith(f"({REFERENCE}, line {line})")


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


def test_an_exception_that_no_author_caused_has_no_place() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        1 / 0  # noqa: B018
    assert place_of(error.value) == ""
