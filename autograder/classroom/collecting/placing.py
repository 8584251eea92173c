"""Where hand-ins lie in a class folder: later ones replace earlier ones part by part, by what has work in it; these are kept aside."""

import hashlib
import shutil
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from autograder.classroom.collecting.collected import Collected
from autograder.classroom.collecting.commit_time import commit_time
from autograder.classroom.collecting.handed_in import BETWEEN_FILES, HandedIn, read_handed_in
from autograder.classroom.collecting.platforms import BadDownload, Upload, participant_of
from autograder.exam.syllabus import SyllabusPart
from autograder.submission.model import Submission, shown
from autograder.submission.reading import is_named, read_hand_in, work_in

EARLIER = ".earlier"
"""Where hand-ins lie that a later one has replaced; hidden, so that nobody takes it for a student."""

SEVERAL = "hand-in"
"""The folder of a hand-in that holds several parts, or none."""

Code = Mapping[str, str]
"""The text of a part and of the modules beside it that it names, by name."""


@dataclass(frozen=True)
class _Beside:
    """Parts of a hand-in, beside what is there of them.

    same: unchanged. older: there is a later upload. of_another: other work is there under another number of Moodle's. takes: those that it
    brings, or may take the place of.
    """

    same: Set[str]
    older: Set[str]
    of_another: Set[str]
    takes: Set[str]


@dataclass
class Placing:
    """The class folder while a download is brought into it."""

    out: Path
    parts: Sequence[SyllabusPart]
    only_part: str
    collected: Collected

    def __post_init__(self) -> None:
        _refuse_strays(self.out)
        self.rows = read_handed_in(self.out)

    def add(self, student: str, uploads: Sequence[Upload], staged: Path) -> None:
        """Bring what a student handed in into the class folder: it replaces, part by part, what it has work of. staged: a copy of it."""
        code = self._code_in(staged)
        told = self.only_part or ("" if code else self._named(staged))
        self._tell_part(student, staged, told)
        there, before = self._before(student)
        found = self._counted(code, before, there, told)
        beside = _beside(found, before, there, uploads)
        takes, same = beside.takes, beside.same
        if self._is_there(student, staged) or (takes and takes <= same and not beside.of_another):
            self.collected.unchanged.append(student)
            return
        if beside.of_another:
            self.collected.renumbered.append(student)
        if takes - same or not found or (None in found.values() and not beside.older):
            self._bring(staged, self._row(student, uploads, told), there, takes, takes & same)
            return
        self._put_aside(staged, student)
        if not beside.of_another:
            (self.collected.older if beside.older else self.collected.untouched).append(student)

    def settle(self) -> None:
        """Put aside what no part is known of where each part that anybody has written something in came from the student after it."""
        for row in [row for row in self.rows if not row.part and row.number]:
            since = [own for own in self.rows if own.student == row.student and own.number > row.number]
            came = {own.part for own in since if self._is_work(own)}
            if came and not any(self._is_work(other) for other in self.rows if other.part not in came):
                self._put_aside(self.out / row.place, row.student)
                self.rows.remove(row)

    def _is_work(self, row: HandedIn) -> bool:
        return bool(row.part and self._code_in(self.out / row.place).get(row.part))

    def _named(self, staged: Path) -> str:
        """Return the one part that files are named like, empty if there is none or several."""
        files = [PurePosixPath(path) for path in staged.rglob("*") if path.is_file()]
        named = [part.name for part in self.parts if any(is_named(path, part) for path in files)]
        return named[0] if len(named) == 1 else ""

    def _tell_part(self, student: str, staged: Path, told: str) -> None:
        """Note which part it is that lies there without one, where the same comes again and the part is told."""
        for place, row in enumerate(self.rows) if told else ():
            if row.student == student and not row.part and _content(self.out / row.place) == _content(staged):
                self.rows[place] = replace(row, part=told)

    def _counted(
        self,
        found: Mapping[str, Code | None],
        before: Mapping[str, Code | None],
        there: Mapping[str, HandedIn],
        told: str,
    ) -> Mapping[str, Code | None]:
        """Return the parts of a hand-in that count: of one for a certain part, others of which there is no work from elsewhere, too."""
        if not self.only_part:
            return found or ({told: None} if told else {})
        box = {row.part for row in there.values() if self.only_part in self._parts_at(row.place)}
        others = {part: code for part, code in found.items() if code and (part in box or not before.get(part))}
        return others | {self.only_part: found.get(self.only_part)}

    def _bring(
        self, staged: Path, row: HandedIn, there: Mapping[str, HandedIn], takes: Set[str], same: Set[str]
    ) -> None:
        """Let a hand-in take parts over.

        row: what there is to say of it. there: the rows of before, by part. takes: the parts. same: those of them that are as they were, so that
        they were handed in when they were.
        """
        student = row.student
        replaced = [
            place for place in self._places(student) if self._parts_at(place) and self._parts_at(place) <= takes
        ]
        for place in replaced:
            if (self.out / place).is_dir():
                self._put_aside(self.out / place, student)
        moved = {part for part in takes if part not in same or there[part].place in replaced}
        parts = {*moved} or {row.part}
        name = min(parts) if len(parts) == 1 and "" not in parts else SEVERAL
        target = self._left_behind(student, staged) or _free(self.out / student, name)
        target.parent.mkdir(exist_ok=True)
        if not target.exists():
            shutil.move(staged, target)
        place = target.relative_to(self.out).as_posix()
        self.rows = [old for old in self.rows if old.student != student or old.part not in moved]
        self.rows += [replace(there[part] if part in same else replace(row, part=part), place=place) for part in parts]
        (self.collected.replaced if replaced else self.collected.added).append(student)
        if row.late == "yes":
            self.collected.late.append(student)
        if not moved:
            self.collected.partless.append(student)

    def _left_behind(self, student: str, staged: Path) -> Path | None:
        """Return where the same lies already that no row names: a run that was stopped has left it there."""
        own, named = self.out / student, {self.out / place for place in self._places(student)}
        there = (
            (folder for folder in sorted(own.iterdir()) if folder.is_dir() and folder not in named)
            if own.is_dir()
            else ()
        )
        return next((folder for folder in there if _content(folder) == _content(staged)), None)

    def _row(self, student: str, uploads: Sequence[Upload], part: str) -> HandedIn:
        """Return what there is to say of a hand-in. part: the one that it is where nothing can be read; empty if nobody knows."""
        times = [time for upload in uploads if not upload.name and (time := commit_time(upload.path))]
        at = max(times).isoformat() if times else ""
        lateness = [upload.late for upload in uploads if upload.late is not None]
        late = ("yes" if any(lateness) else "no") if lateness else ""
        files = BETWEEN_FILES.join(shown(upload.path.name).replace(";", "_") for upload in uploads)
        return HandedIn(student, part, at, late, files, "")

    def _code_in(self, folder: Path) -> dict[str, Code | None]:
        """Return the code of each part in a folder, empty for a stub."""
        read = read_hand_in(folder, folder.name, self.parts)
        return {
            part.name: _with_modules(read, part.name) if work_in(read.modules[part.name], part) else {}
            for part in self.parts
            if part.name in read.modules
        }

    def _before(self, student: str) -> tuple[dict[str, HandedIn], dict[str, Code | None]]:
        """Return the row and the code of each part that a student has handed in before: of work, where something else lies beside it."""
        code = {place: self._code_in(self.out / place) for place in self._places(student)}
        rows = [row for row in self.rows if row.student == student and row.part]
        rows.sort(key=lambda row: _worth(code[row.place].get(row.part)))
        return {row.part: row for row in rows}, {row.part: code[row.place].get(row.part) for row in rows}

    def _is_there(self, student: str, staged: Path) -> bool:
        """Return whether the same files are there already, for all that is known as the same part."""
        part = self.only_part
        alike = (place for place in self._places(student) if not part or part in (self._parts_at(place) or [part]))
        return any((self.out / place).is_dir() and _content(self.out / place) == _content(staged) for place in alike)

    def _places(self, student: str) -> list[str]:
        return sorted({row.place for row in self.rows if row.student == student})

    def _parts_at(self, place: str) -> set[str]:
        return {row.part for row in self.rows if row.place == place and row.part}

    def _put_aside(self, folder: Path, student: str) -> None:
        """Keep a hand-in that does not count, once."""
        aside = self.out / EARLIER / student
        aside.mkdir(parents=True, exist_ok=True)
        if not any(_content(other) == _content(folder) for other in aside.iterdir() if other.is_dir()):
            shutil.move(folder, _free(aside, "1"))


def _refuse_strays(out: Path) -> None:
    """Refuse a class folder from which something leads away, or in which something blocks: neither `attn collect` nor a platform makes one."""
    for folder in (out, out / EARLIER):
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                raise BadDownload(
                    f"{shown(str(path))} is a link or a pipe: remove it, a class folder holds files and folders alone."
                )


def _beside(
    found: Mapping[str, Code | None],
    before: Mapping[str, Code | None],
    there: Mapping[str, HandedIn],
    uploads: Sequence[Upload],
) -> _Beside:
    """Compare a hand-in with what is there. found, before: the code of each part. there: the rows of before."""
    number = max(upload.number for upload in uploads)
    participants = {participant_of(upload.path.name) for upload in uploads} - {""}
    again = found.keys() & there.keys()
    same = {part for part, code in found.items() if code and code == before.get(part)}
    older = {part for part in again if there[part].number > number}
    works = {part for part in again - older - same if found[part] and before[part]}
    of_another = {part for part in works if there[part].is_anothers(participants)}
    weaker = {part for part in again if _worth(found[part]) < _worth(before[part])}
    return _Beside(same, older, of_another, found.keys() - older - of_another - weaker)


def _worth(code: Code | None) -> int:
    """Return what may replace what: a stub only a stub, and what cannot be read nothing that has work in it."""
    return 2 if code else 1 if code is None else 0


def _with_modules(read: Submission, part: str) -> Code:
    """Return the text of a part, and of all beside it that decides with it what it does."""
    return {name: source.text for name, source in read.code_of(part).items()}


def _content(folder: Path) -> dict[str, bytes]:
    """Return digests of the files of a folder, by path."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): _digest(path) for path in files}


def _digest(path: Path) -> bytes:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _free(folder: Path, name: str) -> Path:
    """Return a path in a folder that is not taken: of this name, or with a number after it."""
    taken = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    number = 1
    while (free := name if number == 1 else f"{name}-{number}") in taken:
        number += 1
    return folder / free
