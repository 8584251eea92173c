"""What the watch waits for. Threads of its own tell of it; one loop answers."""

from collections.abc import Callable
from dataclasses import dataclass

from autograder.marking.marks import Marks


@dataclass(frozen=True)
class Saved:
    """Modules of the exercises' folder were saved at once, by their names without `.py`."""

    modules: tuple[str, ...]


@dataclass(frozen=True)
class Deaf:
    """The file system has not told of a save, so files are looked at now and then."""


@dataclass(frozen=True)
class Pressed:
    """A key: a character in lower case, or `up`, `down`, `enter`, `escape`."""

    key: str


@dataclass(frozen=True)
class Resumed:
    """The watch goes on after Ctrl-Z."""


@dataclass(frozen=True)
class Begun:
    """Marking has come to a step."""

    step: str


@dataclass(frozen=True)
class Lost:
    """The warm process has ended; another one takes over, and may have to import torch first."""


@dataclass(frozen=True)
class Marked:
    """What was saved has marks. seconds: from the order to the marks."""

    marks: Marks
    seconds: float


@dataclass(frozen=True)
class Failed:
    """What was saved could not be marked."""

    error: Exception


@dataclass(frozen=True)
class Noticed:
    """Something is to be said beside the verdict."""

    text: str


Event = Saved | Deaf | Pressed | Resumed | Begun | Lost | Marked | Failed | Noticed
Tell = Callable[[Event], None]
