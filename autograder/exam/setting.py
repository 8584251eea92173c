"""Setting an exam: running the reference and the known mistakes on freshly drawn cases."""

import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from autograder.course import mistakes as known_mistakes
from autograder.course import parts as course_parts
from autograder.course.answer import Answer
from autograder.course.draw import Draw
from autograder.course.model import TOLERANCES, Case, Mistake, Part, Step
from autograder.course.probing import failure_of, observe
from autograder.exam import stub
from autograder.exam.agreement import same_answer
from autograder.exam.model import Exam, Fingerprint, Key, KeyCase, Paper, PaperCase
from autograder.exam.reference import BrokenReference, ReferenceModule, StepSource, read
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep

AGAIN = "again, with other numbers"
DOUBLE = "in float64"


def set_exam(solutions: Path, seed: int, with_mistakes: bool = True) -> Exam:
    """Set an exam on all parts of the course.

    solutions: the folder of reference modules. seed: draws the cases; another seed is another exam.
    Raises BrokenReference when a reference module and the course disagree.
    """
    syllabus = make_syllabus(solutions)
    cases: list[PaperCase] = []
    expected: dict[str, KeyCase] = {}
    fingerprints: dict[str, tuple[Fingerprint, ...]] = {}
    for name in course_parts.NAMES:
        part, implementations = course_parts.load(name), _run(read(solutions / f"{name}.py"))
        bank = known_mistakes.load(name) if with_mistakes else ()
        for step in part.steps:
            drawn = tuple(_cases(part, step, seed))
            answers = _sit(step, implementations[step.name], drawn)
            for case, paper_case in drawn:
                answer = answers[paper_case.path]
                if answer.failure or answer.gradient_error:
                    problem = answer.failure.message if answer.failure else answer.gradient_error
                    raise BrokenReference(f"the reference fails on {paper_case.path}: {problem}")
                expected[paper_case.path] = _key_case(case, answer)
                cases.append(paper_case)
            own = [mistake for mistake in bank if mistake.step == step.name]
            if own:
                fingerprints[f"{name}.{step.name}"] = tuple(_fingerprint(step, one, drawn, answers) for one in own)
    return Exam(syllabus, Paper(tuple(cases)), Key(expected, fingerprints))


def make_syllabus(solutions: Path) -> Syllabus:
    """Join what the reference modules and the course data say of each step. Raises BrokenReference."""
    parts = []
    for name in course_parts.NAMES:
        part, module = course_parts.load(name), read(solutions / f"{name}.py")
        written, told = [source.name for source in module.steps], [step.name for step in part.steps]
        if written != told:
            raise BrokenReference(f"{name}: the reference has the steps {written}, the course data {told}")
        steps = tuple(
            _syllabus_step(part, module, number, step, source)
            for number, (step, source) in enumerate(zip(part.steps, module.steps, strict=True), start=1)
        )
        parts.append(SyllabusPart(name, part.title, part.lecture, stub.stub_of(module), steps))
    return Syllabus(tuple(parts))


def _syllabus_step(part: Part, module: ReferenceModule, number: int, step: Step, source: StepSource) -> SyllabusStep:
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
        lecture=f"{part.lecture}#{step.name.lower()}",
        arguments=source.signature.arguments,
        returns=dict(step.returns) or source.signature.returns,
        gradients=step.gradients,
        forbids=step.forbids,
    )


def _run(module: ReferenceModule) -> dict[str, Any]:
    """Execute a reference module and return its namespace."""
    namespace = types.ModuleType(module.name)
    exec(compile(module.text, str(module.path), "exec"), namespace.__dict__)
    return namespace.__dict__


def _cases(part: Part, step: Step, seed: int) -> Iterator[tuple[Case, PaperCase]]:
    """Yield the author's cases, then the first drawn one again with other numbers, and once more in float64.

    Going backward costs more than going forward: the author's first and last case and the precise one do, but none with
    a tolerance of its own, where honest gradients may differ by more.
    """
    own = list(step.cases(Draw(_seed(seed, part.name, step.name))))
    usual = [case.name for case in own if case.tolerance is None]
    backward = {*usual[:1], *usual[-1:], DOUBLE}
    drawn, again = _drawn(step, own, _seed(seed, part.name, step.name, AGAIN))
    if drawn and again:
        own.append(replace(again, name=AGAIN))
        doubled = {name: _double(value) for name, value in drawn.inputs.items()}
        if any(isinstance(value, Tensor) for value in doubled.values()):
            own.append(replace(drawn, name=DOUBLE, inputs=doubled))
    for case in own:
        inputs = {name: value.numpy() if isinstance(value, Tensor) else value for name, value in case.inputs.items()}
        case_seed = _seed(seed, part.name, step.name, case.name)
        yield (
            case,
            PaperCase(part.name, step.name, case.name, case_seed, step.gradients and case.name in backward, inputs),
        )


def _drawn(step: Step, own: list[Case], seed: int) -> tuple[Case, Case] | tuple[None, None]:
    """Return the first case that is drawn, and the same with other numbers.

    A few draws are compared: a small whole number may well come out the same twice.
    """
    for attempt in range(20):
        others = {case.name: case for case in step.cases(Draw(seed + attempt))}
        for case in own:
            if not _same_inputs(case, others[case.name]):
                return case, others[case.name]
    return None, None


def _seed(*parts: object) -> int:
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _same_inputs(one: Case, other: Case) -> bool:
    return all(_same_input(value, other.inputs[name]) for name, value in one.inputs.items())


def _same_input(one: Any, other: Any) -> bool:
    return torch.equal(one, other) if isinstance(one, Tensor) else bool(one == other)


def _double(value: Any) -> Any:
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value


def _sit(
    step: Step, implementation: Callable[..., Any], drawn: tuple[tuple[Case, PaperCase], ...]
) -> dict[str, Answer]:
    return {
        paper_case.path: observe(
            step.probe, implementation, case.inputs, paper_case.seed, paper_case.gradients, failure_of
        )
        for case, paper_case in drawn
    }


def _key_case(case: Case, answer: Answer) -> KeyCase:
    dtypes = {
        str(value.dtype) for value in case.inputs.values() if isinstance(value, Tensor) and value.is_floating_point()
    }
    precise = dtypes == {"torch.float64"}
    tolerance = TOLERANCES["float64" if precise else "float32"] if precise or not case.tolerance else case.tolerance
    shapes = {name: tuple(value.shape) for name, value in case.inputs.items() if isinstance(value, Tensor)}
    return KeyCase(answer, tolerance, shapes, case.tokens)


def _fingerprint(
    step: Step, mistake: Mistake, drawn: tuple[tuple[Case, PaperCase], ...], expected: Mapping[str, Answer]
) -> Fingerprint:
    answers = _sit(step, mistake.implementation, drawn)
    tolerances = {paper_case.path: _key_case(case, expected[paper_case.path]).tolerance for case, paper_case in drawn}
    differing = {
        path: answer for path, answer in answers.items() if not same_answer(answer, expected[path], tolerances[path])
    }
    return Fingerprint(mistake.id, mistake.step, mistake.says, differing)
