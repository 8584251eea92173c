"""Count the causes of wrong steps in a class, regardless of lines and names in students' code."""

from collections import Counter
from collections.abc import Iterable

from autograder.course.verdicts import Verdict
from autograder.diagnosis.operators.edits import SAYS
from autograder.grading.results import Diagnosis, Marks

ANY = "…"
"""The sign that replaces, in messages, code that differs from student to student."""

IN_GENERAL = {
    "place_departs": "The first wrong value comes out of one line; each student's page says which.",
    "place_follows": "Something goes wrong after a line that is right; each student's page says where.",
    "place_returns": "Every intermediate value is right, but the function returns something else.",
    "without_effect": "An input changes nothing in the answer.",
    "mixed": "What should be computed one by one is mixed.",
    "sees_later": "Earlier positions change when later ones change: they see the future.",
    "sees_too_much": "A part of the answer changes with something that it should not.",
    "sees_too_little": "A part of the answer does not change with something that it should.",
}
"""Texts by id for causes of the kinds `place` and `influence`, whose own text is about one student."""

FORBIDDEN = Diagnosis(
    "relation",
    "forbidden",
    "The step, or something of the student's that it calls, uses a function of torch's that the step forbids, and so earns nothing; "
    "each student's page says which and where.",
)


def causes_of(students: Iterable[Marks]) -> list[tuple[str, str, int]]:
    """Return the step, the text and the number of students of each cause, the most common first.

    The text quotes students' code only if the code is the same for all students with this cause.
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
    """Describe a cause in words that are true for every student who has the cause."""
    if cause.kind == "cure" and cause.id in SAYS:
        sentence = SAYS[cause.id].format(of=ANY, was=ANY)
        return f"{sentence[:1].upper()}{sentence[1:]}."
    return IN_GENERAL.get(cause.id, cause.says) if cause.kind in ("place", "influence") else cause.says
