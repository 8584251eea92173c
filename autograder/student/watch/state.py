"""What the watch knows, and what it can do: plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from rich.text import Text

from autograder.drawing.screen import Signs
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.marking.marks import Marks, StepMarks
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


class Effect(Enum):
    """What is to be done about an event; the state holds the details."""

    MARK = auto()
    REMEMBER = auto()
    NOTE_HINT = auto()
    RESTORE = auto()
    DEBUG = auto()
    QUIT = auto()


Reaction = tuple[State, Sequence[Effect]]
