"""What the watch knows, and what it can do: plain data."""

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
    """What the screen shows, and with it what a key means. QUESTION: whether to put a stub back."""

    VERDICT = auto()
    CARD = auto()
    LIST = auto()
    QUESTION = auto()


@dataclass(frozen=True, eq=False)
class State:
    """All that the watch knows.

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
        """All that may be told of the cause of the step at hand, one after the other; nothing where none is known of the last save."""
        marks = None if self.errors.get(self.step.part) else self.marks.get(self.step.path)
        return marks.diagnosis.rungs(self.rungs) if marks and marks.diagnosis else ()

    @property
    def told_here(self) -> int:
        """How many of these are told: those that were asked for, and what the verdict says anyway."""
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
    """What is to be done about an event; the state holds the details."""

    MARK = auto()
    REMEMBER = auto()
    EXPLAIN = auto()
    NOTE_HINT = auto()
    NOTE_RUNG = auto()
    RESTORE = auto()
    DEBUG = auto()
    QUIT = auto()


Reaction = tuple[State, Sequence[Effect]]
