"""Does each submission have exactly one mark, and the one that it would have had elsewhere? Pure functions over marks that were read."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks

Outcome = Mapping[str, tuple[Verdict, float]]
"""By the path of each step, how it was marked."""

NAMED = 3


def outcome(marks: Marks) -> Outcome:
    """Return what marks say of each step. Causes are left out: how long they are searched for depends on how busy the machine is."""
    return {f"{part.part}.{step.step}": (step.verdict, step.score) for part in marks.parts for step in part.steps}


def faults(
    handed_in: Collection[str], marked: Iterable[str], replaced: Collection[str], steps: Mapping[str, int], wanted: int
) -> Iterator[str]:
    """Yield what was lost or done twice, a sentence each.

    handed_in: the names of the submissions. marked: the name of each mark that is there. replaced: those of marks that others took
    the place of. steps: how many steps the marks of each have. wanted: how many they must have.
    """
    marks_of = Counter(marked)
    several = [name for name, count in marks_of.items() if count > 1]
    yield from _told("have no mark", set(handed_in) - marks_of.keys())
    yield from _told("have more than one mark", several)
    yield from _told("were marked again", replaced)
    yield from _told("were never handed in, and have a mark", marks_of.keys() - set(handed_in))
    yield from _told(f"have not {wanted} steps", [name for name, count in steps.items() if count != wanted])


def differences(here: Mapping[str, Outcome], there: Mapping[str, Outcome]) -> Iterator[str]:
    """Yield who was marked otherwise in two places, a sentence each. there: some of those who have marks here, or all."""
    for name, expected in there.items():
        found = here.get(name, {})
        for path in sorted(expected.keys() | found.keys()):
            if found.get(path) != expected.get(path):
                yield f"{name}: {path} is {_shown(found, path)} on the cluster, {_shown(expected, path)} on one machine"


def _shown(marks: Outcome, path: str) -> str:
    verdict, score = marks.get(path, (None, 0.0))
    return f"{verdict} ({score:g})" if verdict else "not marked"


def _told(what: str, names: Collection[str]) -> Iterator[str]:
    if names:
        few = sorted(names)[:NAMED]
        yield f"{len(names)} {what}: {', '.join(few)}{' …' if len(names) > len(few) else ''}"
