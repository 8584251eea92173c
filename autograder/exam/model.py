"""An exam: the paper that is sat and the key that marks it, as plain data and NumPy arrays."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from autograder.course.answer import Answer, Array
from autograder.course.tolerances import Tolerance
from autograder.course.trace import Made
from autograder.exam.syllabus import VALUES, Syllabus

if TYPE_CHECKING:
    PaperInput = Array | int | float | bool | None
else:
    PaperInput = Any  # msgspec reads no union with arrays


@dataclass(frozen=True, eq=False)
class PaperCase:
    """One case to sit: a step, its inputs by name, and the seed set before it runs. It holds no expected value.

    gradients: whether the case also runs backward. A case equals only itself: arrays have no simple equality.
    """

    part: str
    step: str
    name: str
    seed: int
    gradients: bool
    inputs: Mapping[str, PaperInput]

    @property
    def path(self) -> str:
        """The name by which paper and key know the case."""
        return f"{self.part}.{self.step}.{self.name}"


@dataclass(frozen=True)
class Paper:
    """The cases of an exam, in the order in which they are sat."""

    cases: tuple[PaperCase, ...]

    def of(self, part: str, steps: frozenset[str] | None = None) -> tuple[PaperCase, ...]:
        """Return the cases of one part, or of some of its steps."""
        return tuple(case for case in self.cases if case.part == part and (steps is None or case.step in steps))


@dataclass(frozen=True)
class KnownWrong:
    """A known mistake. signature: its answers, by case path, where they differ from the reference's."""

    id: str
    step: str
    says: str
    signature: Mapping[str, Answer]


@dataclass(frozen=True)
class Pair:
    """An input and an output, and along which dimension of each the slices lie; -1 and -1 if they are taken whole."""

    input: str
    output: str
    of: int
    on: int


@dataclass(frozen=True, eq=False)
class Influence:
    """What changes with what. changes: a row a slice of the output, a column a slice of the input."""

    pair: Pair
    changes: Array


@dataclass(frozen=True, eq=False)
class KeyCase:
    """What is expected of one case, and how exactly. It equals only itself, as a case does.

    way: what the reference makes on its way to that. influences: what its inputs change in it.
    criterion: for what the case earns points, but for outputs that have a criterion of their own. fixed: the outputs that have
    the same answer in every exam, or that code answers right which does nothing.
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
    """The expected answers by case path, and the known mistakes by step path."""

    cases: Mapping[str, KeyCase]
    known_wrong: Mapping[str, tuple[KnownWrong, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Exam:
    """A paper, its key and the syllabus they belong to.

    digest: names the exam in marks. made_from: the digest of the sources by step path.
    """

    syllabus: Syllabus
    paper: Paper
    key: Key
    digest: str = ""
    made_from: Mapping[str, str] = field(default_factory=dict)


Scope = Collection[str] | None
"""The paths of some steps; None for all."""


def restricted_to(exam: Exam, scope: Scope) -> Exam:
    """Return an exam without what belongs to other steps."""
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


def merged(syllabus: Syllabus, earlier: Exam, made: Exam, scope: Collection[str]) -> Exam:
    """Return an exam on a syllabus: the steps in scope as made, all others as in an earlier exam."""
    paths = [step.path for step in syllabus.steps]
    return joined(syllabus, [restricted_to(made if path in scope else earlier, {path}) for path in paths])


def joined(syllabus: Syllabus, pieces: Sequence[Exam]) -> Exam:
    """Return an exam on a syllabus, with the cases of several one after the other."""
    paper = Paper(tuple(case for piece in pieces for case in piece.paper.cases))
    key = Key(
        {path: case for piece in pieces for path, case in piece.key.cases.items()},
        {path: known for piece in pieces for path, known in piece.key.known_wrong.items()},
    )
    made_from = {path: digest for piece in pieces for path, digest in piece.made_from.items()}
    return Exam(syllabus, paper, key, made_from=made_from)
