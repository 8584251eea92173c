"""Verdicts: the outcomes of a step."""

from enum import StrEnum, auto


class Verdict(StrEnum):
    """The outcome of a step."""

    PASSED = auto()
    NOT_ATTEMPTED = auto()
    MISSING = auto()
    INCOMPLETE = auto()
    FORBIDDEN = auto()
    RAISED = auto()
    TIMED_OUT = auto()
    OUT_OF_MEMORY = auto()
    CRASHED = auto()
    WRONG_SHAPE = auto()
    WRONG_DTYPE = auto()
    WRONG_VALUES = auto()
    WRONG_GRADIENT = auto()
    CHANGED_INPUTS = auto()

    @property
    def words(self) -> str:
        """The verdict in words: `wrong shape`."""
        return self.replace("_", " ")

    @property
    def is_failure(self) -> bool:
        """True if the implementation gave no outputs."""
        return self not in (Verdict.PASSED, Verdict.CHANGED_INPUTS) and not self.startswith("wrong_")
