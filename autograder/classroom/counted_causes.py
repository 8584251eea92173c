"""Count why steps of a class are wrong, whatever lines and names each student's code has."""

from collections import Counter

from autograder.course.verdicts import Verdict
from autograder.diagnosis.operators.edits import SAYS
from autograder.grading.results import Diagnosis, StepMarks

ANY = "…"
"""Stands in messages for code that differs from student to student."""

IN_GENERAL = {
    "place_departs": "The first wrong value comes out of one line; each student's page says which.",
    "place_follows": "Something goes wrong after a line that is right; each student's page says where.",
    "place_returns": "All is right until the end, but what is returned is not the result.",
    "without_effect": "An input changes nothing in the answer.",
    "mixed": "What should be computed one by one is mixed.",
    "sees_later": "What comes first changes with what comes later.",
    "sees_too_much": "A part of the answer changes with something that it should not.",
    "sees_too_little": "A part of the answer does not change with something that it should.",
}
"""Texts by id for causes of the kinds `place` and `influence`: their own are about one student."""

FORBIDDEN = Diagnosis(
    "relation",
    "forbidden",
    "The step, or something of the student's that it calls, uses a function of torch's that the step forbids, and so earns nothing; "
    "each student's page says which and where.",
)


def cause_of(step: StepMarks) -> Diagnosis | None:
    """Return why a step is wrong; None if unknown."""
    return FORBIDDEN if step.verdict == Verdict.FORBIDDEN else step.diagnosis


def in_general(cause: Diagnosis) -> str:
    """Return a text about a cause that is true for each student who has it."""
    if cause.kind == "cure" and cause.id in SAYS:
        sentence = SAYS[cause.id].format(of=ANY, was=ANY)
        return f"{sentence[:1].upper()}{sentence[1:]}."
    return IN_GENERAL.get(cause.id, cause.says) if cause.kind in ("place", "influence") else cause.says


class CountedCauses:
    """Counts the students who have each cause of each step."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._said: dict[tuple[str, str], str] = {}

    def add(self, step: str, cause: Diagnosis) -> None:
        """Count why one student's step is wrong."""
        general = in_general(cause)
        of_one_line = cause.kind in ("place", "exception")  # the rest of its text is about one student's code
        own = general if of_one_line else cause.what or cause.says
        self._counts[step, general] += 1
        if self._said.setdefault((step, general), own) != own:
            self._said[step, general] = general

    def commonest(self, most: int) -> list[tuple[str, str, int]]:
        """Return step, text and count of the commonest causes; a general text if students' differ."""
        return [(key[0], self._said[key], count) for key, count in self._counts.most_common(most)]

    def __len__(self) -> int:
        return self._counts.total()
