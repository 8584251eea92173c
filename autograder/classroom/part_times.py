"""When a part counts as handed in: with the last of what runs with it, which may have come with another part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from autograder.classroom.collecting.handed_in import HandedIn
from autograder.classroom.grades import read_time
from autograder.submission.model import Look, Submission, Urgency


@dataclass(frozen=True)
class _HandIn:
    """time: when it came, in the platform's words. number: which of all uploads it is, where the platform counts them. told_by: what tells it from others."""

    time: str
    number: int
    told_by: str

    def may_follow(self, other: "_HandIn") -> bool:
        """Return whether it came after another, or nothing tells that it came before."""
        if self.told_by == other.told_by:
            return False
        moment, before = read_time(self.time), read_time(other.time)
        if moment and before:
            return moment > before
        return not 0 < self.number < other.number


def with_what_runs(submission: Submission, rows: Sequence[HandedIn], parts: Iterable[str]) -> Submission:
    """Return a submission in which each part has the time of the last hand-in of which anything runs with it. rows: the student's in the class's list."""
    times, looks = dict(submission.submitted_at), list(submission.looks)
    named = {source.path: name for name, source in submission.modules.items()}
    for part in submission.modules.keys() & {*parts}:
        own = _hand_in(submission, part, rows)
        came = {
            source.path: _hand_in(submission, named[source.path], rows) for source in submission.code_of(part).values()
        }
        later = {path: hand_in for path, hand_in in came.items() if hand_in.may_follow(own)}
        if later:
            times[part] = _last(later)
            said = f"{part} runs {' and '.join(sorted(later))}, of another hand-in, and counts as handed in with it."
            looks.append(Look(Urgency.CHECK, said, part))
    return replace(submission, submitted_at=times, looks=tuple(looks))


def _hand_in(submission: Submission, module: str, rows: Sequence[HandedIn]) -> _HandIn:
    """Return in what a module came, by its place in the class's list where that has one."""
    path, time = PurePosixPath(submission.modules[module].path), submission.submitted_at.get(module, "")
    beside = [row for row in rows if path.is_relative_to(row.place)]
    if not beside:
        return _HandIn(time, 0, time)
    its = [row for row in beside if row.part == module] or beside
    last = max(its, key=lambda row: (row.number, row.handed_in_at))
    return _HandIn(last.handed_in_at, last.number, last.place)


def _last(later: dict[str, _HandIn]) -> str:
    """Return the time of the last hand-in, or that nothing tells it."""
    unknown = [PurePosixPath(path).name for path, hand_in in later.items() if not read_time(hand_in.time)]
    if unknown:
        return f"with {unknown[0]} of another hand-in, the platform does not tell when"
    return max((moment, one.time) for one in later.values() if (moment := read_time(one.time)))[1]
