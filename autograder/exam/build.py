"""Setting an exam: running the reference and the known mistakes on freshly drawn cases."""

import functools
import hashlib
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograder.course.answer import Answer, judged
from autograder.course.course import Course
from autograder.course.draw import Draw
from autograder.course.errors import place_of, shown, what_happened
from autograder.course.model import Case, Mistake, Part, Step
from autograder.course.operations import one_thread
from autograder.course.probing import failure_of, observe
from autograder.course.tolerances import TOLERANCE
from autograder.course.trace import Made
from autograder.course.tracing import trace
from autograder.exam import consistency
from autograder.exam.agreement import same_answer
from autograder.exam.criteria import criteria_of, criterion_of_case
from autograder.exam.dependency_map import changed_cases, influences, pairs_of
from autograder.exam.model import Exam, Influence, Key, KeyCase, KnownWrong, Paper, PaperCase, Scope
from autograder.exam.reference import BrokenReference, ReferenceModule, StepSource, read, stub_of
from autograder.exam.right_numbers import has_right_numbers
from autograder.exam.source_digest import digest_of_sources
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep

AGAIN = "again, with other numbers"
DOUBLE = "in float64"

CONSTANTS = (None, True, False, 0, 1, 0.0, 1.0)
"""The values that code which does nothing may return."""

Drawn = tuple[tuple[Case, PaperCase], ...]
"""The cases of a step: with tensors, and as the paper has them."""


@one_thread()
def build_exam(course: Course, seed: int, with_mistakes: bool = True, scope: Scope = None) -> Exam:
    """Set an exam on the course.

    seed: draws the cases; another seed is another exam. scope: the steps to set it on; its syllabus has their parts whole.
    Raises BrokenCourse if what the author wrote does not fit together.
    """
    syllabus = make_syllabus(course)
    if scope is not None:
        named = {path.partition(".")[0] for path in scope}
        syllabus = replace(syllabus, parts=tuple(part for part in syllabus.parts if part.name in named))
    cases: list[PaperCase] = []
    expected: dict[str, KeyCase] = {}
    known_wrong: dict[str, tuple[KnownWrong, ...]] = {}
    made_from: dict[str, str] = {}
    for name in [part.name for part in syllabus.parts]:
        part, module = consistency.load_part(course, name), read(course.solution(name))
        implementations = run_module(module)
        bank = consistency.load_mistakes(course, part) if with_mistakes else ()
        sources = digest_of_sources(course, name)
        for step in part.steps:
            path = f"{name}.{step.name}"
            if scope is not None and path not in scope:
                continue
            made_from[path] = sources
            implementation = implementations[step.name]
            drawn = tuple(_cases(part, step, implementation, seed))
            consistency.check_cases(part, step, [case for case, _ in drawn], course.words)
            keys: dict[str, KeyCase] = {}
            for case, paper_case in drawn:
                terms = step.probe, implementation, case.inputs, paper_case.seed, paper_case.gradients
                run = functools.partial(observe, *terms, forbids=step.forbids)
                raw, traced = trace(run, consistency.failure_at, [str(module.path)])
                answer = judged(step.judge, case.inputs, raw)
                _refuse_failure(paper_case.path, answer)
                way = tuple(operation.made for operation in traced.operations)
                seen = _influences(syllabus, step, implementation, paper_case, answer)
                keys[paper_case.path] = _key_case(step, case, answer, way, seen)
                cases.append(paper_case)
            expected |= _with_what_is_fixed(part, step, implementation, seed, drawn, keys)
            of_cases = {case.name: keys[one.path].expected for case, one in drawn}
            consistency.check_criteria(part, step, syllabus.part(name).step(step.name).criteria, of_cases)
            if known := tuple(_known_wrong(step, one, drawn, keys) for one in bank if one.step == step.name):
                consistency.check_known_wrong(path, known, {case: key.tolerance for case, key in keys.items()})
                known_wrong[path] = known
    return Exam(syllabus, Paper(tuple(cases)), Key(expected, known_wrong), made_from=made_from)


def make_syllabus(course: Course) -> Syllabus:
    """Join what the reference modules and the course data say of each step. Raises BrokenCourse."""
    parts = []
    for name in course.parts:
        part, module = consistency.load_part(course, name), read(course.solution(name))
        consistency.check_steps(part, module)
        steps = tuple(
            _syllabus_step(module, number, step, source, course.hints)
            for number, (step, source) in enumerate(zip(part.steps, module.steps, strict=True), start=1)
        )
        parts.append(SyllabusPart(name, part.title, stub_of(module), steps))
    syllabus = Syllabus(tuple(parts), course.words)
    consistency.check_counting(course, syllabus)
    return syllabus


def _syllabus_step(
    module: ReferenceModule, number: int, step: Step, source: StepSource, hints: Mapping[str, str]
) -> SyllabusStep:
    return SyllabusStep(
        part=module.name,
        name=step.name,
        number=number,
        kind=source.kind,
        signature=source.signature.text,
        summary=source.summary,
        docstring=source.docstring,
        points=float(step.points),
        effort=step.effort,
        hints=step.hints,
        lecture=f"{step.lecture}#{step.name.lower()}",
        arguments=source.signature.arguments,
        returns=dict(step.returns) or source.signature.returns,
        gradients=step.gradients,
        forbids=step.forbids,
        criteria=criteria_of(step, source.signature.takes_tensors, hints),
    )


def run_module(module: ReferenceModule) -> dict[str, Any]:
    """Execute a reference module and return its namespace. Raises BrokenReference."""
    namespace = types.ModuleType(module.name)
    try:
        exec(compile(module.text, str(module.path), "exec"), namespace.__dict__)
    except Exception as error:
        place = place_of(error) or shown(module.path)
        raise BrokenReference(f"{place}: the reference cannot be imported: {what_happened(error)}") from error
    return namespace.__dict__


def _refuse_failure(path: str, answer: Answer) -> None:
    """Raise BrokenReference if the reference has no answer to a case, or no gradients."""
    if answer.failure:
        raise BrokenReference(f"the reference has no answer to the case {path}: {answer.failure.message}")
    if answer.gradient_error:
        advice = "correct the reference, or write `gradients=False` in the step"
        raise BrokenReference(f"the reference has no gradients in the case {path}: {answer.gradient_error}; {advice}")


def _cases(part: Part, step: Step, implementation: Callable[..., Any], seed: int) -> Iterator[tuple[Case, PaperCase]]:
    """Yield the author's cases, then the first one again with other numbers, and the first drawn one in float64.

    What a submission may have cached in its first call has the shapes of the first case: so has the repeated case. Backward
    costs more than forward: only the author's last case and the precise one run it, but none with its own tolerance, since
    right gradients may differ by more there.
    """
    draw = functools.partial(consistency.draw_cases, part, step, implementation)
    own = draw(_seed(seed, part.name, step.name))
    usual = [case.name for case in own if case.tolerance is None]
    backward = {*usual[-1:], DOUBLE}
    drawn, again = _drawn(part, step, draw, own, _seed(seed, part.name, step.name, AGAIN))
    if drawn and again:
        other = _with_other_numbers(own[0], Draw(_seed(seed, part.name, step.name, AGAIN)))
        own.append(replace(other or again, name=AGAIN, repeats=own[0].name))
        doubled = {name: _double(value) for name, value in drawn.inputs.items()}
        if any(isinstance(value, Tensor) for value in doubled.values()):
            own.append(replace(drawn, name=DOUBLE, inputs=doubled, repeats=drawn.name))
    for case in own:
        inputs = {name: value.numpy() if isinstance(value, Tensor) else value for name, value in case.inputs.items()}
        case_seed = _seed(seed, part.name, step.name, case.name)
        yield (
            case,
            PaperCase(part.name, step.name, case.name, case_seed, step.gradients and case.name in backward, inputs),
        )


def _drawn(
    part: Part, step: Step, draw: Callable[[int], list[Case]], own: list[Case], seed: int
) -> tuple[Case, Case] | tuple[None, None]:
    """Return the first case that is drawn, and the same with other numbers.

    A few draws are compared: a small whole number may well come out the same twice.
    """
    for attempt in range(20):
        others = draw(seed + attempt)
        consistency.check_same_names(part, step, own, others)
        for case, other in zip(own, others, strict=True):
            if not _same_inputs(case, other):
                return case, other
    return None, None


def _with_other_numbers(case: Case, draw: Draw) -> Case | None:
    """Return a case with the numbers of its tensors in reverse order, floats times drawn ones; None if that is the same case."""
    others = {name: _other_numbers(value, draw) for name, value in case.inputs.items()}
    other = replace(case, inputs=others, labels={})
    return None if _same_inputs(case, other) else other


def _other_numbers(value: Any, draw: Draw) -> Any:
    if not isinstance(value, Tensor):
        return value
    turned = value.flip(tuple(range(value.dim())))
    return turned * draw.uniform(*value.shape) if value.is_floating_point() else turned


def _seed(*parts: object) -> int:
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _same_inputs(one: Case, other: Case) -> bool:
    return all(_same_input(value, other.inputs.get(name)) for name, value in one.inputs.items())


def _same_input(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return torch.equal(one, other)
    return type(one) is type(other) and bool(one == other)


def _double(value: Any) -> Any:
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value


def _key_case(
    step: Step, case: Case, answer: Answer, way: tuple[Made, ...], influences: tuple[Influence, ...]
) -> KeyCase:
    dtypes = {
        str(value.dtype) for value in case.inputs.values() if isinstance(value, Tensor) and value.is_floating_point()
    }
    precise = dtypes == {"torch.float64"}
    tolerance = TOLERANCE if precise or not case.tolerance else case.tolerance
    shapes = {name: tuple(value.shape) for name, value in case.inputs.items() if isinstance(value, Tensor)}
    return KeyCase(answer, tolerance, shapes, case.labels, way, influences, criterion_of_case(step, case))


def _answer(
    step: Step,
    implementation: Callable[..., Any],
    case: Case | PaperCase,
    seed: int,
    gradients: bool = False,
    forbids: tuple[str, ...] = (),
) -> Answer:
    inputs = {
        name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for name, value in case.inputs.items()
    }
    raw = observe(step.probe, implementation, inputs, seed, gradients, failure_of, forbids=forbids)
    return judged(step.judge, inputs, raw)


def _with_what_is_fixed(
    part: Part, step: Step, implementation: Callable[..., Any], seed: int, drawn: Drawn, keys: Mapping[str, KeyCase]
) -> dict[str, KeyCase]:
    """Return the keys of a step's cases, with the names of outputs for which nothing needs to be solved.

    Code that does nothing answers them right, or another exam answers them alike: but where that is so of all values, they are measured,
    and only the first counts.
    """
    idle, fixed = ({path: set[str]() for path in keys} for _ in range(2))
    runs = [(one, drawn, (idle, fixed)) for one in _trivial_implementations(implementation)]
    for run, cases, found in (*runs, (implementation, tuple(_cases(part, step, implementation, seed + 1)), (fixed,))):
        for case, paper in cases:
            given, key = _answer(step, run, case, paper.seed).outputs, keys[paper.path]
            right = {
                name
                for name, value in key.expected.outputs.items()
                if name in given and has_right_numbers(given[name], value, key.tolerance)
            }
            for names in found:
                names[paper.path] |= right
    if not consistency.takes_work(step, keys, fixed):
        fixed = idle
        consistency.check_something_to_solve(part, step, keys, fixed)
    return {path: replace(key, fixed=tuple(sorted(fixed[path]))) for path, key in keys.items()}


def _trivial_implementations(implementation: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Yield implementations that compute nothing: each returns an argument, all of them or a constant."""
    if isinstance(implementation, type):
        yield _Identity
        return
    for number in range(len(inspect.signature(implementation).parameters)):
        yield functools.partial(_argument, number)
    yield _arguments
    for constant in CONSTANTS:
        yield functools.partial(_constant, constant)


def _argument(number: int, /, *given: Any, **named: Any) -> Any:
    return _arguments(*given, **named)[number]


def _arguments(*given: Any, **named: Any) -> tuple[Any, ...]:
    return *given, *named.values()


def _constant(constant: Any, /, *_: Any, **__: Any) -> Any:
    return constant


class _Identity(nn.Module):
    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def forward(self, given: Any, *_: Any, **__: Any) -> Any:
        return given


def _influences(
    syllabus: Syllabus, step: Step, implementation: Callable[..., Any], case: PaperCase, answer: Answer
) -> tuple[Influence, ...]:
    """Change a case's inputs slice by slice, and return what changes in the reference's outputs."""
    pairs = pairs_of(case, answer, syllabus.part(case.part).step(case.step), syllabus.words)
    changed = {one.path: _answer(step, implementation, one, one.seed) for one in changed_cases(case, pairs)}
    return influences(case, pairs, answer, changed)


def _known_wrong(step: Step, mistake: Mistake, drawn: Drawn, keys: Mapping[str, KeyCase]) -> KnownWrong:
    answers = {
        one.path: _answer(step, mistake.implementation, case, one.seed, one.gradients, step.forbids)
        for case, one in drawn
    }
    differing = {
        path: replace(answer, changed_to=None)  # which inputs were changed distinguishes mistakes; to what, does not
        for path, answer in answers.items()
        if not same_answer(answer, keys[path].expected, keys[path].tolerance)
    }
    return KnownWrong(mistake.id, mistake.step, mistake.says, differing)
