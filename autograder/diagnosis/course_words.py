"""The causes of wrong steps in the words of a course: it may say a kind of slip in its own way."""

from collections.abc import Mapping
from dataclasses import replace

from autograder.grading.results import Diagnosis, Marks


def in_words_of(sentences: Mapping[str, str], marks: Marks) -> Marks:
    """Return marks in which what is wrong is said by a course's own sentences, by kind of slip."""
    if not sentences:
        return marks
    parts = (
        replace(part, steps=tuple(replace(step, diagnosis=_said(sentences, step.diagnosis)) for step in part.steps))
        for part in marks.parts
    )
    return replace(marks, parts=tuple(parts))


def _said(sentences: Mapping[str, str], cause: Diagnosis | None) -> Diagnosis | None:
    if cause and cause.kind in ("cure", "slip") and cause.id in sentences:
        return replace(cause, what=sentences[cause.id])
    return cause
