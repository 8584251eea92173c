"""Build an exam: draw the cases, and run the reference and the known mistakes on them.

A course is refused if its files contradict each other. `attn verify` finds other errors: a known
mistake that passes, two mistakes with equal answers, points that the reference does not earn.
"""

import functools
import hashlib
import inspect
import operator
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from autograder.course.answer import Answer, Failure, has_right_numbers, judged, same_answer
from autograder.course.course import Course
from autograder.course.draw import Draw
from autograder.course.errors import BrokenCourse, author_errors, place_of, refuse, shown
from autograder.course.model import Case, Mistake, Part, Step
from autograder.course.probing import failure_of, observe
from autograder.course.tolerances import TOLERANCE
from autograder.course.tracing import trace
from autograder.exam.files import digest_of_sources
from autograder.exam.influence import influences, pairs_of
from autograder.exam.model import Exam, Key, KeyCase, KnownWrong, Paper, PaperCase, Scope
from autograder.exam.reference import ReferenceModule, StepSource, read, stub_of
from autograder.exam.syllabus import VALUES, Syllabus, SyllabusPart, SyllabusStep, criteria_of, criterion_of_case

AGAIN = "again, with other numbers"
DOUBLE = "in float64"
"""The names of the two cases that are made from an author's cases."""

CONSTANTS = (None, True, False, 0, 1, 0.0, 1.0)

SEVERAL = 20
"""The most draws until inputs differ from the first draw's: small integers may repeat by chance."""

Drawn = tuple[tuple[Case, PaperCase], ...]
"""The cases of a step, each as a Case with tensors and as a PaperCase with arrays."""


def build_exam(course: Course, seed: int, with_mistakes: bool = True, scope: Scope = None) -> Exam:
    """Build an exam on a course. seed: determines the random values. Raises BrokenCourse.

    with_mistakes: whether the key includes the known mistakes. scope: the paths of the steps that
    get cases; None for all. The syllabus contains all steps of the parts of these steps.
    """
    torch.set_num_threads(1)  # on a busy machine, threads wait for each other
    syllabus = make_syllabus(course)
    if scope is not None:
        named = {path.partition(".")[0] for path in scope}
        syllabus = replace(syllabus, parts=tuple(part for part in syllabus.parts if part.name in named))
    cases: list[PaperCase] = []
    expected: dict[str, KeyCase] = {}
    known_wrong: dict[str, tuple[KnownWrong, ...]] = {}
    made_from: dict[str, str] = {}
    for name in [part.name for part in syllabus.parts]:
        part, module = load_part(course, name), read(course.solution(name))
        implementations = run_module(module)
        bank = load_mistakes(course, part) if with_mistakes else ()
        sources = digest_of_sources(course, name)
        for step in part.steps:
            path, implementation = f"{name}.{step.name}", implementations[step.name]
            if scope is not None and path not in scope:
                continue
            made_from[path] = sources
            drawn = tuple(_cases(part, step, implementation, seed))
            keys = {one.path: _key_case(syllabus, module, step, implementation, case, one) for case, one in drawn}
            check_criteria(part, step, {case.name: keys[one.path].expected for case, one in drawn})
            cases += [one for _, one in drawn]
            expected |= _with_what_is_fixed(part, step, implementation, seed, drawn, keys)
            if known := tuple(_known_wrong(step, one, drawn, keys) for one in bank if one.step == step.name):
                known_wrong[path] = known
    return Exam(syllabus, Paper(tuple(cases)), Key(expected, known_wrong), made_from=made_from)


def make_syllabus(course: Course) -> Syllabus:
    """Build the syllabus from reference modules and course data. Raises BrokenCourse."""
    parts = []
    for name in course.parts:
        part, module = load_part(course, name), read(course.solution(name))
        listed, written = [step.name for step in part.steps], [source.name for source in module.steps]
        if listed != written:
            expected = f"expected those of solutions/{name}.py, in this order: {', '.join(written)}"
            raise BrokenCourse(f"course/{name}/steps.py: its steps are {', '.join(listed)}; {expected}")
        steps = tuple(
            _syllabus_step(name, number, step, source, course.hints)
            for number, (step, source) in enumerate(zip(part.steps, module.steps, strict=True), start=1)
        )
        parts.append(SyllabusPart(name, part.title, stub_of(module), steps))
    return Syllabus(tuple(parts), course.words)


def _syllabus_step(part: str, number: int, step: Step, source: StepSource, hints: Mapping[str, str]) -> SyllabusStep:
    own = {name: getattr(step, name) for name in ("name", "points", "effort", "hints", "gradients", "forbids")}
    written = ("kind", "signature", "docstring", "arguments")
    with author_errors(place_of_step(part, step.name)):
        fields = own | {name: getattr(source, name) for name in written}
        fields |= {
            "part": part,
            "number": number,
            "lecture": f"{step.lecture}#{step.name.lower()}",
            "returns": dict(step.returns) or source.returns,
            "criteria": criteria_of(step, hints),
        }
        return msgspec.convert(fields, SyllabusStep, from_attributes=True)


def place_of_step(part: str, step: str) -> str:
    """Return the location of a step in messages: the path of its module, and the step's name."""
    return f"course/{part}/steps.py: step {step}"


def load_part(course: Course, name: str) -> Part:
    """Import the data of a part. Raises BrokenCourse."""
    file = f"course/{name}/steps.py"
    with author_errors(file):
        part = course.part(name)
    if part.name != name:
        raise BrokenCourse(f"{file}: PART is named {part.name!r}; expected {name!r}, as its folder is")
    return part


def load_mistakes(course: Course, part: Part) -> tuple[Mistake, ...]:
    """Import the known mistakes of a part. Raises BrokenCourse if a mistake has an unknown step."""
    file, steps = f"course/{part.name}/mistakes.py", [step.name for step in part.steps]
    with author_errors(file):
        bank = course.mistakes(part.name)
    refuse(
        f"{file}: mistake {one.id} is of the step {one.step!r}; expected one of: {', '.join(steps)}"
        for one in bank
        if one.step not in steps
    )
    refuse(f"{file}: mistake {one.id} explains nothing; add a docstring for students" for one in bank if not one.says)
    return bank


def draw_cases(part: Part, step: Step, implementation: Callable[..., Any], seed: int) -> list[Case]:
    """Draw the cases of a step with a seed, and check the inputs' names. Raises BrokenCourse.

    implementation: the reference. Without a probe, inputs must be named like its arguments.
    """
    place = place_of_step(part.name, step.name)
    with author_errors(place):
        cases = list(step.cases(Draw(seed)))
        names, others = ([case.name for case in drawn] for drawn in (cases, step.cases(Draw(seed + 1))))
    arguments = [*inspect.signature(implementation).parameters]
    problems = [
        f"case {case.name!r} has the inputs {', '.join(case.inputs)}; "
        f"expected the arguments of the reference, in this order: {', '.join(arguments)}"
        for case in cases
        if not step.probe and [*case.inputs] != arguments[: len(case.inputs)]
    ]
    if names != others:
        problems.append("the names of its cases change with the draw; draw their inputs alone")
    if len({*names, AGAIN, DOUBLE}) < len(names) + 2:
        problems.append(f"two of its cases have one name; expected others than {AGAIN!r} and {DOUBLE!r}, each once")
    refuse(f"{place}: {problem}" for problem in problems)
    return cases


def check_criteria(part: Part, step: Step, answers: Mapping[str, Answer]) -> None:
    """Check that `answers` has each case and output that a criterion names. Raises BrokenCourse."""
    known = dict.fromkeys([*answers, *(output for answer in answers.values() for output in answer.outputs)])
    refuse(
        f"{place_of_step(part.name, step.name)}: criterion {one.name!r} names {name!r}; "
        f"expected one of: {', '.join(known)}"
        for one in step.criteria
        for name in (*one.cases, *one.outputs)
        if name not in known
    )


def run_module(module: ReferenceModule) -> dict[str, Any]:
    """Execute a reference module and return its namespace. Raises BrokenCourse."""
    namespace = types.ModuleType(module.name)
    with author_errors(shown(module.path)):
        exec(compile(module.text, str(module.path), "exec"), namespace.__dict__)
    return namespace.__dict__


def _cases(part: Part, step: Step, implementation: Callable[..., Any], seed: int) -> Iterator[tuple[Case, PaperCase]]:
    """Yield the author's cases, then a case with other values and a case in float64.

    The case with other values has the shapes of the first case, to detect code that caches the
    result of the first call. Backward passes are slow, so only two cases have one: the float64 case,
    and the author's last case with the default tolerance. Another tolerance may not suit gradients.
    """
    own = draw_cases(part, step, implementation, _seed(seed, part.name, step.name))
    usual = [case.name for case in own if case.tolerance is None]
    backward = {*usual[-1:], DOUBLE}
    seed_again = _seed(seed, part.name, step.name, AGAIN)
    draws = (draw_cases(part, step, implementation, seed_again + number) for number in range(SEVERAL))
    pairs = (pair for others in draws for pair in zip(own, others, strict=True))
    if found := next((pair for pair in pairs if not _same_inputs(*pair)), None):
        (drawn, again), draw = found, Draw(seed_again)

        def other_numbers(value: Tensor) -> Tensor:
            turned = value.flip(tuple(range(value.dim())))
            return turned * draw.uniform(*value.shape) if value.is_floating_point() else turned

        other = _changed(own[0], other_numbers)
        other = again if _same_inputs(own[0], other) else replace(other, labels={})
        own.append(replace(other, name=AGAIN, repeats=own[0].name))
        if any(isinstance(value, Tensor) for value in drawn.inputs.values()):
            doubled = _changed(drawn, lambda value: value.double() if value.is_floating_point() else value)
            own.append(replace(doubled, name=DOUBLE, repeats=drawn.name))
    for case in own:
        inputs = {name: value.numpy() if isinstance(value, Tensor) else value for name, value in case.inputs.items()}
        case_seed = _seed(seed, part.name, step.name, case.name)
        gradients = step.gradients and case.name in backward
        yield case, PaperCase(part.name, step.name, case.name, case_seed, gradients, inputs)


def _changed(case: Case, change: Callable[[Tensor], Tensor]) -> Case:
    inputs = {name: change(value) if isinstance(value, Tensor) else value for name, value in case.inputs.items()}
    return replace(case, inputs=inputs)


def _seed(*parts: object) -> int:
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _same_inputs(one: Case, other: Case) -> bool:
    return all(np.array_equal(value, other.inputs[name]) for name, value in one.inputs.items())


def _key_case(
    syllabus: Syllabus,
    module: ReferenceModule,
    step: Step,
    implementation: Callable[..., Any],
    case: Case,
    paper: PaperCase,
) -> KeyCase:
    """Run the reference on a case, and return the key of the case. Raises BrokenCourse."""
    run = functools.partial(_answer, step, implementation, paper)
    answer, traced = trace(run, _with_place, [str(module.path)])
    if answer.failure:
        raise BrokenCourse(f"the reference has no answer to the case {paper.path}: {answer.failure.message}")
    if answer.gradient_error:
        what = f"the reference has no gradients in the case {paper.path}: {answer.gradient_error}"
        raise BrokenCourse(f"{what}; correct the reference, or write `gradients=False` in the step")
    tensors = {name: value for name, value in case.inputs.items() if isinstance(value, Tensor)}
    floats = {value.dtype for value in tensors.values() if value.is_floating_point()}

    def answers(cases: Sequence[PaperCase]) -> dict[str, Answer]:
        return {one.path: _answer(step, implementation, one) for one in cases}

    pairs = pairs_of(paper, answer, syllabus.part(paper.part).step(step.name), syllabus.words)
    return KeyCase(
        expected=answer,
        tolerance=TOLERANCE if floats == {torch.float64} else case.tolerance or TOLERANCE,
        shapes={name: tuple(value.shape) for name, value in tensors.items()},
        labels=case.labels,
        way=tuple(operation.made for operation in traced.operations),
        influences=influences(paper, pairs, answer, answers),
        criterion=criterion_of_case(step, case),
    )


def _with_place(error: BaseException) -> Failure:
    failure, place = failure_of(error), place_of(error)
    return replace(failure, message=f"{failure.message} ({place})") if place else failure


def _answer(
    step: Step,
    implementation: Callable[..., Any],
    case: PaperCase,
    describe: Callable[[BaseException], Failure] = failure_of,
) -> Answer:
    inputs = {
        name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for name, value in case.inputs.items()
    }
    raw = observe(step.probe, implementation, inputs, case.seed, case.gradients, describe, forbids=step.forbids)
    return judged(step.judge, inputs, raw)


def _with_what_is_fixed(
    part: Part, step: Step, implementation: Callable[..., Any], seed: int, drawn: Drawn, keys: Mapping[str, KeyCase]
) -> dict[str, KeyCase]:
    """Return the keys of the cases of a step, with the names of fixed outputs added.

    An output is fixed if the reference gives the same output with another seed, or if code without
    any computation gives the right output. If this fixes all outputs of the criterion `values`,
    only the second condition counts.
    Raises BrokenCourse if that fixes all of these outputs too, and the step has points.
    """

    def right(run: Callable[..., Any], cases: Iterable[tuple[Case, PaperCase]]) -> set[tuple[str, str]]:
        answers = {one.path: _answer(step, run, one).outputs for _, one in cases}
        return {
            (path, name)
            for path, outputs in answers.items()
            for name, value in keys[path].expected.outputs.items()
            if name in outputs and has_right_numbers(outputs[name], value, keys[path].tolerance)
        }

    idle = {found for one in _idle_implementations(implementation) for found in right(one, drawn)}
    fixed = idle | right(implementation, _cases(part, step, implementation, seed + 1))
    named = {output for criterion in step.criteria for output in criterion.outputs}
    of_values = {path: key.expected.outputs for path, key in keys.items() if key.criterion == VALUES}
    values = {(path, name) for path, outputs in of_values.items() for name in outputs if name not in named}
    if values <= fixed:
        fixed = idle
    if values <= fixed and step.points:
        what = "code that does nothing is right in all its values, or its criteria name all; draw a case in which it is wrong"
        raise BrokenCourse(f"{place_of_step(part.name, step.name)}: {what}")
    return {
        path: replace(key, fixed=tuple(sorted(name for case, name in fixed if case == path)))
        for path, key in keys.items()
    }


class _Refusing(nn.Module):
    """Raises ValueError for all arguments."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise ValueError


def _idle_implementations(implementation: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Return implementations without any computation: they raise, or return an argument or a constant."""
    if isinstance(implementation, type):
        return [nn.Identity, _Refusing]
    picks: list[Callable[..., Any]] = [tuple, _Refusing, *(lambda _, constant=one: constant for one in CONSTANTS)]
    picks += map(operator.itemgetter, range(len(inspect.signature(implementation).parameters)))
    return [lambda *given, pick=one, **named: pick((*given, *named.values())) for one in picks]


def _known_wrong(step: Step, mistake: Mistake, drawn: Drawn, keys: Mapping[str, KeyCase]) -> KnownWrong:
    answers = {one.path: _answer(step, mistake.implementation, one) for _, one in drawn}
    differing = {
        path: answer
        for path, answer in answers.items()
        if not same_answer(answer, keys[path].expected, keys[path].tolerance)
    }
    return KnownWrong(mistake.id, mistake.step, mistake.says, differing)
