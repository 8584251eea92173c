"""Wrong submissions as students write them: none passes, and a cause is found for most."""

from collections.abc import Callable

import pytest
from natural import Natural, natural_submissions

from autograder.check import check
from autograder.course.verdicts import Verdict
from autograder.diagnosis.divergence import Place
from autograder.diagnosis.effort import FULL
from autograder.diagnosis.reference_trace import run_traced, way_to_answer
from autograder.exam.model import Exam
from autograder.grading.results import StepMarks
from autograder.runner.limits import TIMEOUT
from autograder.runner.processes import Runner
from autograder.runner.run import Interruption
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

ALL = list(natural_submissions())

EXPLAINED = 0.85
"""The share for which a cause is found at least, whatever the speed of the machine."""

SAID_BY_THE_VERDICT = (Verdict.FORBIDDEN, Verdict.INCOMPLETE, Verdict.MISSING, Verdict.CHANGED_INPUTS)
"""Verdicts whose message says what is wrong."""

MarkNatural = Callable[..., StepMarks]
PlaceOf = Callable[[str, str, str], Place | None]


@pytest.fixture
def mark_natural(course: Workspace, runner: Runner, practice: Exam) -> MarkNatural:
    def run(natural: Natural, seconds: float = 0.0) -> StepMarks:
        source = Source.module(f"{natural.part}.py", natural.module(course))
        step = practice.syllabus.part(natural.part).step(natural.step)
        marks = check(practice, Submission("text", {natural.part: source}), [step], runner, seconds=seconds)
        assert marks.parts[0].error is None
        return marks.parts[0].steps[0]

    return run


@pytest.fixture
def place_of(course: Workspace, runner: Runner, practice: Exam) -> PlaceOf:
    """Return where the submission of a step that has some code departs in a case."""

    def run(step: str, code: str, case_name: str) -> Place | None:
        natural = next(one for one in ALL if one.step == step and code in one.code)
        submission = Submission("text", {natural.part: Source.module(f"{natural.part}.py", natural.module(course))})
        case = next(one for one in practice.paper.cases if (one.step, one.name) == (step, case_name))
        trace, answer = run_traced(practice, submission, case, runner, TIMEOUT, Interruption())
        texts = {block.path: block.text for block in submission.modules[natural.part].blocks}
        way = way_to_answer(case, practice.key.cases[case.path], trace, answer, texts)
        return way.place() if way else None

    return run


def test_there_are_many_for_every_step(practice: Exam) -> None:
    assert len(ALL) >= 200
    assert {f"{one.part}.{one.step}" for one in ALL} == {step.path for step in practice.syllabus.steps}
    assert all(one.wrong for one in ALL)


@pytest.mark.parametrize("natural", [pytest.param(one, id=one.name) for one in ALL[::9]])
def test_a_wrong_submission_does_not_pass(mark_natural: MarkNatural, natural: Natural) -> None:
    assert not mark_natural(natural).passed


def test_what_a_function_of_ones_own_arranges_wrongly_is_the_place_of_it(place_of: PlaceOf) -> None:
    place = place_of("latent_attention", "x.view(b, num_heads, t, ", "two heads")

    assert place
    assert "x.view(b, num_heads, t, " in place.spot.text


def test_a_softmax_of_each_tile_is_the_place_though_that_of_the_last_one_is_all_ones(place_of: PlaceOf) -> None:
    place = place_of("flash_attention", "torch.nan_to_num(w)", "wars")

    assert place
    assert "torch.softmax" in place.spot.text


def test_an_optimizer_is_not_blamed_for_the_gradients_that_it_is_given(place_of: PlaceOf) -> None:
    assert place_of("train_step", "clip_grad_norm_(model.parameters(), 1.0)", "gradients from before") is None


def test_where_a_module_was_made_with_something_wrong_too_the_place_says_that_there_is_more(place_of: PlaceOf) -> None:
    place = place_of("SelfAttentionV1", "self.n_embd = d_in", "journey")

    assert place
    assert place.more
    assert "math.sqrt(self.n_embd)" in place.spot.text


def test_an_output_that_is_another_s_says_whose_though_that_one_is_right(mark_natural: MarkNatural) -> None:
    natural = next(one for one in ALL if one.step == "copy_weights" and "W_value.data = source.W_key" in one.code)
    cause = mark_natural(natural).diagnosis

    assert cause
    assert cause.says == "Your `W_value` has the numbers that `W_key` should have: one is taken for the other."


def test_an_edit_that_undoes_elsewhere_what_is_wrong_is_no_cure(mark_natural: MarkNatural) -> None:
    """As scores without weights are symmetric, a softmax over the other dimension undoes that the context adds up over the queries."""
    natural = next(
        one
        for one in ALL
        if one.step == "simplified_self_attention" and "ij,id->jd" in one.code and "d ** -0.5" in one.code
    )
    cause = mark_natural(natural, 60.0).diagnosis

    assert cause
    assert cause.kind == "place"
    assert "softmax" not in cause.says


@pytest.mark.world
@pytest.mark.slow
def test_none_passes_and_a_cause_is_found_for_most(mark_natural: MarkNatural) -> None:
    found = {one.name: mark_natural(one, FULL) for one in ALL}
    silent = [name for name, marks in found.items() if not marks.diagnosis and marks.verdict not in SAID_BY_THE_VERDICT]

    assert [name for name, marks in found.items() if marks.passed] == []
    assert len(silent) <= (1 - EXPLAINED) * len(found), silent
