"""Count why steps of a class are wrong, whatever lines and names each student's code has."""

from collections import Counter
from collections.abc import Iterable

from autograder.course.verdicts import Verdict
from autograder.diagnosis.operators.edits import SAYS
from autograder.grading.results import Diagnosis, Marks

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


def causes_of(students: Iterable[Marks]) -> list[tuple[str, str, int]]:
    """Return the causes of wrong steps, the most common first: step, text, and number of students.

    The text names a student's code only if it is the same for all students.
    """
    counts: Counter[tuple[str, str]] = Counter()
    texts: dict[tuple[str, str], set[str]] = {}
    for part in (part for student in students for part in student.parts):
        for step in part.steps:
            if cause := FORBIDDEN if step.verdict == Verdict.FORBIDDEN else step.diagnosis:
                general = _in_general(cause)
                of_one_line = cause.kind in ("place", "exception")  # the rest of its text is about one student's code
                key = f"{part.part}.{step.step}", general
                counts[key] += 1
                texts.setdefault(key, set()).add(general if of_one_line else cause.what or cause.says)
    said = {key: next(iter(found)) if len(found) == 1 else key[1] for key, found in texts.items()}
    return [(key[0], said[key], count) for key, count in counts.most_common()]


def _in_general(cause: Diagnosis) -> str:
    """Return a text about a cause that is true for each student who has it."""
    if cause.kind == "cure" and cause.id in SAYS:
        sentence = SAYS[cause.id].format(of=ANY, was=ANY)
        return f"{sentence[:1].upper()}{sentence[1:]}."
    return IN_GENERAL.get(cause.id, cause.says) if cause.kind in ("place", "influence") else cause.says
