"""The state of the watch and its effects: plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from rich.text import Text

from autograder.course.course import RUNGS
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.grading.results import Marks, StepMarks
from autograder.render.screen import Signs
from autograder.student.progress import hints_led_by
from autograder.workspace import Workspace


class View(Enum):
    """The screens, which decide what a key means. QUESTION: whether to put a stub back."""

    VERDICT = auto()
    CARD = auto()
    LIST = auto()
    QUESTION = auto()


@dataclass(frozen=True, eq=False)
class State:
    """The state of the watch.

    steps: those that are watched. keys: whether keys are read. These and what stands above them stay the same. step: the one at
    hand. chosen: the one that the list points at, or that the question is about. marks: the last ones of each step, by its path.
    hints: how many are shown, by step. owed: the parts of which marks are still to come. latest: the last marks. errors: by part
    that was marked, why it could not be loaded. news: what is to be said beside the verdict. under_way: what is waited for.
    causes: whether they are searched for. rungs: how far they are told at most, one of RUNGS. These two stay the same. searching:
    whether the cause of the step at hand is being searched for. told: how many things of a cause were asked for, by step.
    """

    workspace: Workspace
    syllabus: Syllabus
    steps: Sequence[SyllabusStep]
    signs: Signs
    keys: bool
    step: SyllabusStep
    chosen: SyllabusStep
    marks: Mapping[str, StepMarks]
    hints: Mapping[str, int]
    owed: frozenset[str]
    latest: Marks | None = None
    errors: Mapping[str, str | None] = field(default_factory=dict)
    news: tuple[Text, ...] = ()
    view: View = View.VERDICT
    under_way: str = ""
    causes: bool = False
    rungs: str = RUNGS[-1]
    searching: bool = False
    told: Mapping[str, int] = field(default_factory=dict)

    def hints_of(self, step: SyllabusStep) -> tuple[str, ...]:
        """Return the hints of a step, first the one for what is wrong."""
        marks = self.marks.get(step.path)
        return hints_led_by(marks.hint if marks else None, step)

    @property
    def all_rungs(self) -> tuple[str, ...]:
        """The hint levels of the cause of the step at hand; none where no cause is known of the last save."""
        marks = None if self.errors.get(self.step.part) else self.marks.get(self.step.path)
        return marks.diagnosis.rungs(self.rungs) if marks and marks.diagnosis else ()

    @property
    def told_here(self) -> int:
        """The number of hint levels shown: those that were asked for, and the one in the verdict."""
        rungs, told = self.all_rungs, self.told.get(self.step.path, 0)
        diagnosis = self.marks[self.step.path].diagnosis if rungs else None
        while diagnosis and rungs[told : told + 1] == (diagnosis.says,):
            told += 1
        return min(told, len(rungs))


@dataclass(frozen=True)
class Explained:
    """A step, by its path, whose cause was searched for. marks: those of the step, with the cause if one was found."""

    step: str
    marks: StepMarks


class Effect(Enum):
    """Actions that an event asks for; the state holds the details."""

    MARK = auto()
    REMEMBER = auto()
    EXPLAIN = auto()
    NOTE_HINT = auto()
    RESTORE = auto()
    DEBUG = auto()
    QUIT = auto()


Reaction = tuple[State, Sequence[Effect]]
