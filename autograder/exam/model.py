"""The exam as plain data and NumPy arrays: a paper with cases, and a key with expected answers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autograder.course.answer import Answer, Array
from autograder.course.tolerances import Tolerance
from autograder.course.trace import Made
from autograder.exam.syllabus import VALUES, Syllabus


@dataclass(frozen=True, eq=False)
class PaperCase:
    """A case to run, without its expected answer. Cases are compared by identity.

    seed: the random seed that is set before the case runs. gradients: whether the case also has a
    backward pass. inputs: the inputs, by name.
    """

    part: str
    step: str
    name: str
    seed: int
    gradients: bool
    inputs: Mapping[str, Any]  # msgspec does not support a union with an array type

    @property
    def path(self) -> str:
        """The path of the case, by which paper and key refer to it: `part.step.case`."""
        return f"{self.part}.{self.step}.{self.name}"


@dataclass(frozen=True)
class Paper:
    """The cases of an exam, in the order in which they are run."""

    cases: tuple[PaperCase, ...]

    def of(self, part: str, steps: frozenset[str] | None = None) -> tuple[PaperCase, ...]:
        """Return the cases of a part. steps: the names of the steps to include; all by default."""
        return tuple(case for case in self.cases if case.part == part and (steps is None or case.step in steps))


@dataclass(frozen=True)
class KnownWrong:
    """A known mistake. says: the explanation that a teacher would give.

    signature: the mistake's answers that differ from the reference's, by case path.
    """

    id: str
    step: str
    says: str
    signature: Mapping[str, Answer]


@dataclass(frozen=True)
class Pair:
    """An input and an output whose slices correspond.

    of, on: the index of the input's and the output's dimension; -1 for the whole tensor.
    """

    input: str
    output: str
    of: int
    on: int


@dataclass(frozen=True, eq=False)
class Influence:
    """The influence of an input on an output.

    changes: a matrix, True where an output's slice (row) changes with an input's slice (column).
    """

    pair: Pair
    changes: Array


@dataclass(frozen=True, eq=False)
class KeyCase:
    """The expected answer to a case, and the data to grade and diagnose other answers.

    Keys are compared by identity. shapes: the shape of each input tensor. labels: the names of
    slices in pictures, by the course's word for a slice. way: the operations that the reference
    runs, in order, with the tensors that they make. influences: the influence of each paired input
    on its output. criterion: the criterion that the case's outputs decide, except outputs that
    another criterion names. fixed: the outputs that are the same in every exam, or that code
    without any computation answers correctly.
    """

    expected: Answer
    tolerance: Tolerance
    shapes: Mapping[str, tuple[int, ...]]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    way: tuple[Made, ...] = ()
    influences: tuple[Influence, ...] = ()
    criterion: str = VALUES
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Key:
    """The expected answers of an exam, by case path, and the known mistakes, by step path."""

    cases: Mapping[str, KeyCase]
    known_wrong: Mapping[str, tuple[KnownWrong, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Exam:
    """A syllabus with its paper and key.

    digest: the SHA-256 digest of the exam file, which identifies the exam in grades; or empty.
    made_from: the digest of the files from which a step's cases and answers are made, by step path.
    """

    syllabus: Syllabus
    paper: Paper
    key: Key
    digest: str = ""
    made_from: Mapping[str, str] = field(default_factory=dict)


Scope = Collection[str] | None
"""The paths of the selected steps; None for all steps."""


def restricted_to(exam: Exam, scope: Scope) -> Exam:
    """Return an exam with only the steps in scope, and the parts that contain these."""
    if scope is None:
        return exam
    kept = (
        replace(part, steps=tuple(step for step in part.steps if step.path in scope)) for part in exam.syllabus.parts
    )
    cases = tuple(case for case in exam.paper.cases if f"{case.part}.{case.step}" in scope)
    key = Key(
        {case.path: exam.key.cases[case.path] for case in cases},
        {step: known for step, known in exam.key.known_wrong.items() if step in scope},
    )
    syllabus = replace(exam.syllabus, parts=tuple(part for part in kept if part.steps))
    made_from = {step: digest for step, digest in exam.made_from.items() if step in scope}
    return Exam(syllabus, Paper(cases), key, exam.digest, made_from)


def joined(syllabus: Syllabus, pieces: Sequence[Exam]) -> Exam:
    """Return an exam on a syllabus with the cases and keys of all `pieces`, in order."""
    paper = Paper(tuple(case for piece in pieces for case in piece.paper.cases))
    key = Key(
        {path: case for piece in pieces for path, case in piece.key.cases.items()},
        {path: known for piece in pieces for path, known in piece.key.known_wrong.items()},
    )
    made_from = {path: digest for piece in pieces for path, digest in piece.made_from.items()}
    return Exam(syllabus, paper, key, made_from=made_from)
