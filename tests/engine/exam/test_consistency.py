"""What does not fit together in a course is told to its author: where it stands, what was expected, what to do."""

from pathlib import Path

import pytest
from tiny_course import TinyCourse

from autograder.course.errors import BrokenCourse, place_of, shown
from autograder.exam.reference import BrokenReference

DATA = "course/part0_tiny/steps.py"
MISTAKES = "course/part0_tiny/mistakes.py"
REFERENCE = "solutions/part0_tiny.py"

FIRST_STEP = 'Step(name="scores", lecture=PAGE, points=2, effort="one line", hints=("Multiply.", "`@`"), cases=_scores)'
BATCH = 'yield Case("batch", {"x": draw.normal(4, 3)})'
SQUARE = 'yield Case("square", {"query": draw.normal(3), "keys": draw.normal(3, 3)})'
RANDOM = 'yield Case("random", {"query": draw.normal(3), "keys": draw.normal(4, 3)})'


def _told(tiny: TinyCourse) -> str:
    with pytest.raises(BrokenCourse) as broken:
        tiny.build_exam()
    return str(broken.value)


def test_a_course_that_fits_together_gives_an_exam(tiny: TinyCourse) -> None:
    exam = tiny.build_exam()
    assert [step.path for step in exam.syllabus.steps] == ["part0_tiny.scores", "part0_tiny.Scale"]


# One step of the course data


FIELDS = [
    ("points=2", 'points="three"', "points is 'three'; expected a number from 0 on, such as `points=3`"),
    ("points=2", "points=-1", "points is -1; expected a number from 0 on"),
    ("points=2", "points=True", "points is True; expected a number from 0 on"),
    ("points=2", 'points=float("nan")', "points is nan; expected a number from 0 on"),
    ("docs/lectures/tiny.md", "the third lecture", "lecture is 'the third lecture'; expected the page that teaches it"),
    ('effort="one line"', 'effort=" "', "effort is ' '; expected a few words"),
    ('("Multiply.", "`@`")', '("Multiply.")', "hints is 'Multiply.'; expected two or three texts, with a comma behind"),
    ('("Multiply.", "`@`")', "()", "hints is (); expected two or three texts"),
    ('"Multiply.", ', '"", ', "hints is ('', '`@`'); expected two or three texts"),
    ("=_scores", '=_scores, forbids=("softmax")', "forbids is 'softmax'; expected a tuple of names without dots"),
    ("=_scores", '=_scores, forbids=("",)', "forbids is ('',); expected a tuple of names without dots"),
    ("=_scores", '=_scores, forbids=("torch.mv",)', "forbids is ('torch.mv',); expected a tuple of names without dots"),
]


@pytest.mark.parametrize(("old", "new", "problem"), FIELDS)
def test_a_wrong_field_is_told_with_its_step(tiny: TinyCourse, old: str, new: str, problem: str) -> None:
    tiny.edit(tiny.data, old, new)
    assert _told(tiny).startswith(f"{DATA}: step scores: {problem}")


def test_all_wrong_fields_are_told_at_once(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "points=2", "points=-1")
    tiny.edit(tiny.data, "points=3", "points=-1")
    assert len(_told(tiny).splitlines()) == 2


def test_a_step_that_occurs_twice_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, FIRST_STEP + ",", f"{FIRST_STEP}, {FIRST_STEP},")
    assert _told(tiny) == f"{DATA}: step scores occurs twice in `steps`; each step has a name of its own"


def test_a_part_named_otherwise_than_its_folder_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, 'name="part0_tiny"', 'name="part0_tinny"')
    assert _told(tiny) == f"{DATA}: PART is named 'part0_tinny'; expected 'part0_tiny', as its folder is"


def test_a_single_step_without_its_comma_is_told(tiny: TinyCourse) -> None:
    text = tiny.data.read_text(encoding="utf-8")
    steps = text[text.index("    steps=(") : text.rindex(")")]
    tiny.edit(tiny.data, steps, f"    steps=({FIRST_STEP}),\n")
    assert (
        _told(tiny)
        == f"{DATA}: `steps` is no tuple of steps; write `steps=(Step(...),)`, with a comma behind each step"
    )


# A module that cannot be imported


@pytest.mark.parametrize("file", ["data", "mistakes"])
def test_a_syntax_error_is_told_with_file_and_line(tiny: TinyCourse, file: str) -> None:
    path: Path = getattr(tiny, file)
    line = tiny.edit(path, "from torch import Tensor", "from torch import (Tensor")
    assert _told(tiny).startswith(f"{shown(path)}, line {line}: the module cannot be imported: SyntaxError: ")


@pytest.mark.parametrize("file", ["data", "mistakes"])
def test_a_name_that_cannot_be_imported_is_told_with_file_and_line(tiny: TinyCourse, file: str) -> None:
    path: Path = getattr(tiny, file)
    line = tiny.edit(path, "from torch import Tensor", "from torch import Tenser")
    told = _told(tiny)
    assert told.startswith(f"{shown(path)}, line {line}: the module cannot be imported: ImportError: ")
    assert "Tenser" in told


def test_a_reference_that_cannot_be_imported_is_told_with_its_line(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.reference, "from torch import Tensor", "from torch import Tenser, Tensor")
    told = _told(tiny)
    assert told.startswith(f"{REFERENCE}, line {line}: the reference cannot be imported: ImportError: ")


def test_a_field_that_a_step_does_not_have_is_told_with_its_line(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.data, "points=2", "point=2")
    assert _told(tiny).startswith(f"{DATA}, line {line}: the module cannot be imported: TypeError: ")


def test_a_step_that_is_to_count_twice_and_is_not_there_is_told_with_the_nearest(tiny: TinyCourse) -> None:
    listed = tiny.workspace.root / "course.toml"
    written = listed.read_text(encoding="utf-8")
    listed.write_text(f'{written}\n[steps]\n"part0_tiny.score" = {{ factor = 2 }}\n', encoding="utf-8")

    told = "course.toml: steps names 'part0_tiny.score', which there is not; did you mean 'part0_tiny.scores'?"
    assert _told(tiny) == told


def test_a_step_may_be_worth_nothing(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "points=2", "points=0")

    assert [step.points for step in tiny.build_exam().syllabus.steps] == [0.0, 3.0]


def test_course_data_without_a_part_are_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "PART = Part(", "MY_PART = Part(")
    assert _told(tiny).endswith("has no attribute 'PART'; expected a module with `PART = Part(...)`")


@pytest.mark.parametrize("file", ["data", "mistakes"])
def test_a_module_that_is_named_and_not_there_is_told(tiny: TinyCourse, file: str) -> None:
    path: Path = getattr(tiny, file)
    path.unlink()
    assert _told(tiny).startswith(f"{shown(path)} cannot be imported: ModuleNotFoundError: No module named ")


# Course data and reference


def test_a_step_that_the_course_data_lack_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, FIRST_STEP + ",", "")
    assert _told(tiny) == f"{DATA}: there is no step scores, but {REFERENCE} has it; add a Step"


def test_a_step_that_the_reference_lacks_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, FIRST_STEP + ",", f"{FIRST_STEP}, {FIRST_STEP.replace('scores', 'weights', 1)},")
    assert _told(tiny) == f"{REFERENCE}: there is no step weights, but {DATA} has it; write it"


def test_a_step_of_another_name_is_told_from_both_sides(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, 'name="scores"', 'name="scoers"')
    assert [line.partition(", but")[0] for line in _told(tiny).splitlines()] == [
        f"{DATA}: there is no step scores",
        f"{REFERENCE}: there is no step scoers",
    ]


def test_steps_in_another_order_are_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, FIRST_STEP + ",", "")
    tiny.edit(tiny.data, "probe=run_scale),", f"probe=run_scale), {FIRST_STEP},")
    assert _told(tiny) == f"{DATA}: its steps are Scale, scores; put them in the order of {REFERENCE}: scores, Scale"


def test_a_step_that_the_reference_defines_twice_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "class Scale", "class scores")
    assert f"{REFERENCE}: step scores is defined twice; give one another name" in _told(tiny).splitlines()


def test_a_class_without_a_probe_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, ", probe=run_scale", "")
    assert _told(tiny).startswith(f"{DATA}: step Scale is a class and has no probe; write one")


# Cases


def test_an_exception_while_cases_are_drawn_is_told_with_the_authors_line(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.data, BATCH, BATCH.replace("normal", "norml"))
    told = _told(tiny)
    problem = "AttributeError: 'Draw' object has no attribute 'norml'"
    assert told.startswith(f"{DATA}, line {line}: step Scale of part0_tiny: its cases cannot be drawn: {problem}")


def test_an_exception_inside_draw_is_told_with_the_authors_line(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.data, BATCH, BATCH.replace("4, 3", '"four"'))
    assert _told(tiny).startswith(
        f"{DATA}, line {line}: step Scale of part0_tiny: its cases cannot be drawn: TypeError: "
    )


def test_a_function_that_forgets_to_yield_is_told(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.data, BATCH, BATCH.removeprefix("yield "))
    assert _told(tiny).startswith(f"{DATA}, line {line - 1}: step Scale of part0_tiny: its cases cannot be drawn: ")


def test_a_step_without_cases_is_told(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.data, BATCH, "yield from ()")
    assert (
        _told(tiny)
        == f"{DATA}, line {line - 1}: step Scale of part0_tiny: it has no cases; yield at least one `Case(name, inputs)`"
    )


def test_two_cases_of_one_name_are_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, SQUARE, SQUARE.replace("square", "random"))
    assert "step scores of part0_tiny: two cases have the name 'random'; give each a name of its own" in _told(tiny)


def test_a_case_named_as_one_that_the_course_adds_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, SQUARE, SQUARE.replace("square", "in float64"))
    assert "two cases have the name 'in float64'" in _told(tiny)


def test_labels_of_what_the_course_has_no_word_for_are_refused(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, BATCH, BATCH.replace("})", '}, labels={"photo": ("cat",)})'))

    assert "case 'batch' labels 'photo'; expected one of the words in course.toml: none" in _told(tiny)


def test_names_of_cases_that_change_with_the_draw_are_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, BATCH, BATCH.replace('"batch"', "str(draw.normal(1))"))
    assert "step Scale of part0_tiny: the names of its cases change with the draw" in _told(tiny)


@pytest.mark.parametrize(
    ("old", "new", "given"),
    [
        pytest.param('{"query": draw.normal(3), "keys"', '{"query": draw.normal(3), "key"', "query, key", id="a name"),
        pytest.param('"query": draw.normal(3), ', "", "keys", id="one too few"),
        pytest.param("(4, 3)})", '(4, 3), "d": 3})', "query, keys, d", id="one too many"),
        pytest.param(
            '"query": draw.normal(3), "keys": draw.normal(4, 3)',
            '"keys": draw.normal(4, 3), "query": draw.normal(3)',
            "keys, query",
            id="another order",
        ),
    ],
)
def test_inputs_that_are_not_the_arguments_of_the_reference_are_told(
    tiny: TinyCourse, old: str, new: str, given: str
) -> None:
    tiny.edit(tiny.data, RANDOM, RANDOM.replace(old, new))
    expected = "expected the arguments of the reference scores, in this order: query, keys"
    assert f"step scores of part0_tiny: case 'random' has the inputs {given}; {expected}" in _told(tiny)


def test_inputs_that_are_not_the_arguments_of_the_probe_are_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, BATCH, BATCH.replace('"x"', '"y"'))
    expected = "expected the arguments of the probe run_scale: x"
    assert f"step Scale of part0_tiny: case 'batch' has the inputs y; {expected}" in _told(tiny)


def test_an_argument_with_a_default_may_be_left_out(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, 'keys: Float[Tensor, "t d"]\n', 'keys: Float[Tensor, "t d"], by: int = 1\n')
    tiny.build_exam()


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("[1, 2]", "is a list; expected a tensor, a number or a truth value"),
        ('"one"', "is a str; expected a tensor, a number or a truth value"),
        ("draw.normal(4, 3).requires_grad_()", "requires a gradient already; hand over `x.detach()`"),
    ],
)
def test_an_input_that_no_paper_can_hold_is_told(tiny: TinyCourse, value: str, problem: str) -> None:
    tiny.edit(tiny.data, BATCH, BATCH.replace("draw.normal(4, 3)", value))
    assert f"case 'batch': the input x {problem}" in _told(tiny)


def test_what_is_no_case_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, BATCH, 'yield ("batch", {"x": draw.normal(4, 3)})')
    assert "is no case; write `Case(name, {argument: value, ...})`" in _told(tiny)


# The reference's answers


def test_what_the_reference_raises_is_told_with_its_line(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.reference, "return x / 2", "return x @ x")
    told = _told(tiny)
    assert told.startswith("the reference has no answer to the case part0_tiny.Scale.batch: RuntimeError: ")
    assert told.endswith(f"(the reference's line is {REFERENCE}, line {line})")


def test_what_the_probe_raises_is_told_with_the_line_of_the_probe(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.data, "return cls()(x)", "return cls(3)(x).foo")
    assert _told(tiny).endswith(f"(the probe's line is {DATA}, line {line})")


def test_a_reference_without_gradients_is_told_with_what_to_do(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "return x / 2", "return x.exp().add_(1)")
    told = _told(tiny)
    assert told.startswith("the reference has no gradients in the case part0_tiny.Scale.batch: RuntimeError: ")
    assert told.endswith("correct the reference, or write `gradients=False` in the step")


def test_a_step_that_compares_gradients_has_some(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "return x / 2", "return x.round()")
    tiny.edit(tiny.data, "return cls()(x)", "return cls()(x).detach()")
    assert _told(tiny).endswith("no case has gradients to compare; write `gradients=False` in the step")


CRITERIA = {
    "expected a tuple, such as": '(("batch", 0.2),)',
    "names the case 'hall'; expected one of": '(Criterion("batch", 0.2, cases=("hall",)),)',
    "has a share of 0.9; expected one from 0.05 to 0.25": '(Criterion("batch", 0.9, cases=("batch",)),)',
}


@pytest.mark.parametrize(("told", "criteria"), CRITERIA.items(), ids=CRITERIA)
def test_criteria_that_do_not_fit_are_told(tiny: TinyCourse, told: str, criteria: str) -> None:
    tiny.edit(tiny.data, "cases=_scale,", f"cases=_scale, criteria={criteria},")
    tiny.edit(tiny.data, "import Case,", "import Case, Criterion,")
    assert told in _told(tiny)


def test_a_step_may_forbid_nothing(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "cases=_scores", "cases=_scores, forbids=()")
    assert tiny.build_exam().syllabus.steps[0].forbids == ()


def test_a_reference_that_uses_what_its_step_forbids_is_told_with_its_line(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "cases=_scores", 'cases=_scores, forbids=("mv",)')
    line = tiny.edit(tiny.reference, "return keys @ query", "return keys.mv(query)")
    told = _told(tiny)
    assert told.startswith(
        "the reference has no answer to the case part0_tiny.scores.random: it uses torch's own `mv`, which the step forbids"
    )
    assert told.endswith(f"(the reference's line is {REFERENCE}, line {line})")


# Known mistakes


def test_a_mistake_that_uses_what_its_step_forbids_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, "cases=_scores", 'cases=_scores, forbids=("inner",)')
    tiny.edit(tiny.mistakes, "return 2 * keys @ query", "return 2 * keys.inner(query)")
    problem = "doubled is forbidden: it uses torch's own `inner`, which the step forbids; write the mistake without it"
    assert _told(tiny) == f"{MISTAKES}: step scores: {problem}"


def test_a_mistake_of_a_step_that_does_not_exist_is_told_with_the_nearest_name(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.mistakes, '@BANK.of("scores", "You add.")', '@BANK.of("scors", "You add.")')
    problem = "mistake added: part0_tiny has no step 'scors'; did you mean 'scores'?"
    assert _told(tiny) == f"{MISTAKES}, line {line}: {problem}"


def test_two_mistakes_of_one_name_are_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.mistakes, "def doubled", "def added")
    assert _told(tiny).startswith(f"{MISTAKES}: two mistakes have the name added: the second hides the first")


def test_a_mistake_to_which_a_teacher_has_nothing_to_say_is_told(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.mistakes, '@BANK.of("scores", "You add.")', '@BANK.of("scores", "")')
    problem = "mistake added: it says ''; write what a teacher would say to a student who made it"
    assert _told(tiny) == f"{MISTAKES}, line {line}: {problem}"


def test_two_mistakes_that_answer_alike_are_told_by_name(tiny: TinyCourse) -> None:
    tiny.edit(tiny.mistakes, "return (keys + query).sum(dim=-1)", "return keys @ query + keys @ query")
    told = "step scores: added and doubled answer alike in every case, so they cannot be distinguished; merge them"
    assert _told(tiny).startswith(f"{MISTAKES}: {told}, or add a case in which they differ")


def test_a_mistake_that_answers_as_the_reference_does_is_told(tiny: TinyCourse) -> None:
    tiny.edit(tiny.mistakes, "return 2 * keys @ query", "return (keys * query).sum(dim=-1)")
    told = "step scores: doubled answers as the reference does in every case: it is no mistake, or no case catches it"
    assert _told(tiny).startswith(f"{MISTAKES}: {told}; remove it, or add a case in which it differs")


# Annotations


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        pytest.param(
            'query: Float[Tensor, " d"]', "query", "the argument query has no annotation; write its type", id="no type"
        ),
        pytest.param(
            'query: Float[Tensor, " d"]',
            "query: Tensor",
            "the argument query is a Tensor without a shape; name its dimensions",
            id="no shape",
        ),
        pytest.param(
            'query: Float[Tensor, " d"]',
            "query: Tensor | None",
            "the argument query is a Tensor without a shape; name its dimensions",
            id="a tensor or none",
        ),
    ],
)
def test_an_argument_whose_shape_nobody_is_told_is_refused(tiny: TinyCourse, old: str, new: str, problem: str) -> None:
    line = tiny.edit(tiny.reference, old, new)
    assert _told(tiny).startswith(f"{REFERENCE}, line {line}: step scores: {problem}")


def test_a_result_whose_shape_nobody_is_told_is_refused(tiny: TinyCourse) -> None:
    line = tiny.edit(tiny.reference, ') -> Float[Tensor, " t"]', ") -> tuple[Tensor, Tensor]")
    problem = "the result is a Tensor without a shape; name its dimensions"
    assert _told(tiny).startswith(f"{REFERENCE}, line {line - 2}: step scores: {problem}")


def test_a_shape_may_be_any(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, 'x: Float[Tensor, "t d"]', "x: Float[Tensor, ...]")
    tiny.build_exam()


def test_what_is_wrong_with_a_reference_is_a_broken_reference(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "x: Float", "x: Tensor = Float")
    tiny.edit(tiny.reference, "return x / 2", "return x @ x")
    with pytest.raises(BrokenReference):
        tiny.build_exam()


# Places


def test_an_exception_that_no_author_caused_has_no_place() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        1 / 0  # noqa: B018
    assert place_of(error.value) == ""
