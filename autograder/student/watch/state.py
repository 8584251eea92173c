"""The data of the watch: its state, and the effects of events."""

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
    """The screens. The screen decides what a key means. QUESTION: asks whether to put a stub back."""

    VERDICT = auto()
    CARD = auto()
    LIST = auto()
    QUESTION = auto()


@dataclass(frozen=True, eq=False)
class State:
    """The state of the watch. The first five fields, causes and rungs never change.

    steps: the watched steps. keys: whether keys are read. step: the current step. chosen: the step that
    the list points at or the question is about. marks: the last marks of each step, by path. hints: how
    many hints are shown, by step. owed: the parts that wait for marks. latest: the marks made last.
    errors: by marked part, why it could not be loaded. news: lines beside the verdict. under_way: what
    the watch waits for. causes: whether to search for causes. rungs: the last hint level shown, one of
    RUNGS. searching: whether the current step's cause is being searched for. told: how many hint levels
    of a cause were asked for, by step.
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
        """Return the hints of a step. A hint for its error comes first."""
        marks = self.marks.get(step.path)
        return hints_led_by(marks.hint if marks else None, step)

    @property
    def all_rungs(self) -> tuple[str, ...]:
        """The hint levels of the current step's cause; none if no cause is known."""
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
    """The result of a search for a cause. step: its path. marks: the step's, with the cause if found."""

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
