"""A download becomes a class folder, or adds to one: later hand-ins replace earlier ones part by part, by what has work in it; these are kept aside.

Whatever was handed in is only copied: nothing of it is run, no link is followed, and sizes and counts are bounded.
"""

import os
import shutil
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from itertools import chain, count, groupby
from pathlib import Path, PurePosixPath

from autograder.classroom.class_folder import COURSE_FILES
from autograder.classroom.collecting.commit_time import commit_time
from autograder.classroom.collecting.handed_in import HANDED_IN, HandedIn, read_handed_in, write_handed_in
from autograder.classroom.collecting.platforms import (
    CANVAS,
    FOLDERS,
    BadDownload,
    Download,
    Upload,
    id_of,
    number_of,
    participant_of,
    read_download,
)
from autograder.classroom.out_of_git import keep_out_of_git
from autograder.classroom.people import COLUMNS as PERSON_COLUMNS
from autograder.classroom.people import People, Person, folded, read_people
from autograder.classroom.tables import to_table
from autograder.exam.syllabus import SyllabusPart
from autograder.sitting.archive import MOST_ENTRIES, TIMESTAMP, is_junk, is_left_out, read_file, unpack
from autograder.sitting.reading import is_named, read_submission
from autograder.sitting.submission import Submission, Unreadable, shown
from autograder.sitting.work import work_in
from autograder.whole_files import NO_ROOM, write_whole

ROSTER = "roster.csv"

GIVEN = ".roster-was-given"
"""Beside a roster that somebody gave: it says who takes part, so nobody is added to it."""

EARLIER = ".earlier"
"""Where hand-ins lie that a later one has replaced; hidden, so that nobody takes it for a student."""

LARGEST_UPLOAD = 200_000_000
"""Bytes of one file that is copied."""

LONGEST_FOLDER = 200
"""Bytes of the name of an entry: systems take 255, and some write more of them for the same letters."""

RESERVED = {HANDED_IN, ROSTER, "submitted", "marks", *COURSE_FILES}
"""What an entry cannot be called, since something else in a class folder or beside it is."""

DEEPEST = 50
"""Folders within each other that are copied; others would be too deep for what walks through them."""

UNIQUE = ("id", "login", "email")
"""The columns of a roster that tell who somebody is."""

SEVERAL = "hand-in"
"""The folder of a hand-in that holds several parts, or none."""

BETWEEN_FILES = "; "

Code = Mapping[str, str]
"""The text of a part and of the modules beside it that it names, by name."""


@dataclass(frozen=True)
class Collected:
    """What a download has brought, by the names of students.

    added, replaced, unchanged, older, untouched: hand-ins that are there now, in place of an earlier one, as they were, aside since a
    later one is there, and aside since they hold nothing but stubs of what is there. late: of the added and replaced. partless: whose hand-in holds no part of the course that can be found. strangers: not in the
    roster. renumbered: who has replaced a part under another number of Moodle's, so that the name alone tells that it is theirs. problems: what could not be copied. lacking: by part, who has handed in nothing of it, and by an empty name, who nothing at all.
    """

    download: Download
    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    partless: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    renumbered: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lacking: dict[str, list[str]] = field(default_factory=dict)

    def tell_lacking(self, students: Iterable[str], rows: Iterable[HandedIn], parts: Sequence[SyllabusPart]) -> None:
        """Note who has handed in nothing, and who nothing of a part that more than half of the others have."""
        handed_in: dict[str, set[str]] = {}
        for row in rows:
            handed_in.setdefault(row.student, set()).add(row.part)
        count = Counter(name for found in handed_in.values() for name in found)
        there = [part.name for part in parts if 2 * count[part.name] > len(handed_in)]
        for student in students:
            found = handed_in.get(student)
            lacks = [""] if found is None else [] if "" in found else [part for part in there if part not in found]
            for part in lacks:
                self.lacking.setdefault(part, []).append(student)


def collect(
    download: Path, out: Path, parts: Sequence[SyllabusPart], roster: Path | None, platform: str = "", part: str = ""
) -> Collected:
    """Bring a download into a class folder.

    download: a folder, or the zip as the platform gives it. roster: who takes part, which is kept as `roster.csv` of the class folder;
    where none ever was given, that says who is who, and is written. platform: one of PLATFORMS, or empty. part: the name of the one that all have
    handed in, if nothing else; found in what they handed in if empty. Raises BadDownload, BadRoster, BadHandedIn.
    """
    if out.resolve().is_relative_to(download.resolve()):
        raise BadDownload(f"{out} lies in the download: choose another place for --out.")
    out.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(out)
    with tempfile.TemporaryDirectory(dir=out, prefix=".collecting-") as staging:
        problems: list[str] = []
        if download.is_file():
            download = _unpacked(download, Path(staging) / "download", problems)
        collected = Collected(read_download(download, platform), problems=problems)
        class_ = _Class(out, Path(staging), parts, part, collected)
        given = roster or (out / ROSTER if (out / GIVEN).exists() else None)
        names = _Names(out, given, collected.download, class_.rows)
        uploads = sorted(((names.folder_of(upload), upload) for upload in collected.download.uploads), key=_student)
        by_student = {name: [one for _, one in own] for name, own in groupby(uploads, key=_student)}
        staged = {
            student: class_.staged(student, own) for student, own in by_student.items()
        }  # where a full disk shows
        for student, own in by_student.items():
            class_.add(student, own, staged[student])
        class_.settle()
        write_handed_in(out, class_.rows)
        collected.strangers.extend(names.strangers)
        collected.tell_lacking(names.all, class_.rows, parts)
        names.write()
    return collected


def _student(upload: tuple[str, Upload]) -> str:
    return upload[0]


def _unpacked(path: Path, folder: Path, problems: list[str]) -> Path:
    try:
        problems.extend(unpack(path, folder, LARGEST_UPLOAD))
    except Unreadable as error:
        raise BadDownload(f"{error} Give the folder or the zip that the platform gave.") from None
    return folder


class _Names:
    """Under which name in the class folder each person's work lies, always the same.

    strangers: those whom the roster does not name.
    """

    def __init__(self, out: Path, roster: Path | None, download: Download, rows: Iterable[HandedIn]) -> None:
        self._out, self._roster = out, roster
        self._path = None if roster else out / ROSTER
        known = roster or out / ROSTER
        people = read_people(known) if roster or known.exists() else People()
        self._has_lasting_ids = download.platform == CANVAS
        rows = [*rows] if self._has_lasting_ids else []
        self._people = _where_their_work_is(people, rows) if self._has_lasting_ids else people
        self._is_completed = self._people != people
        self._numbers = _numbers(self._people, rows) if self._path or self._has_lasting_ids else {}
        self._known = self._recognized(download)
        self._found: dict[Person, Person] = {}
        self._taken = {folded(_as_folder(person.entry)) for person in self._people.all}
        self._told = {(column, folded(getattr(person, column))) for person in self._people.all for column in UNIQUE}
        self.strangers: list[str] = []

    def folder_of(self, upload: Upload) -> str:
        """Return the name of a person's entry; a person whom nobody knows gets one."""
        person = self._known.get(upload.person) or self._found.get(upload.person) or self._stranger(upload.person)
        return _as_folder(person.entry)

    @property
    def all(self) -> list[str]:
        """The names of the entries of all who take part, or have handed in."""
        return sorted({_as_folder(person.entry) for person in (*self._people.all, *self._found.values())})

    def _recognized(self, download: Download) -> dict[Person, Person]:
        """Return by what the platform tells of somebody whom of the roster that is.

        A number is a person's. A name finds whoever no number is known of, and nobody where two of the download would be the same.
        """
        told = {upload.person: upload for upload in download.uploads}
        numbered = {one: person for one in told if (person := self._numbers.get(one.id))}
        named = {one: person for one in told.keys() - numbered.keys() if (person := self._named(told[one]))}
        times = Counter([*numbered.values(), *named.values()])
        return numbered | {one: person for one, person in named.items() if times[person] == 1}

    def _named(self, upload: Upload) -> Person | None:
        if upload.logins:
            return next(filter(None, map(self._people.of, upload.logins)), None)
        person = self._people.named(upload.person.name) or self._rotated.get(_squashed(upload.person.name))
        has_another = self._has_lasting_ids and person in self._numbers.values()
        return None if has_another else person

    @cached_property
    def _rotated(self) -> dict[str, Person | None]:
        """Everybody of a roster by their name as Canvas writes it; None for those of several."""
        found: dict[str, Person | None] = {}
        for person in self._people.all if self._has_lasting_ids else ():
            for rotated in _rotated(person.name):
                found[rotated] = None if rotated in found else person
        return found

    def _stranger(self, told: Person) -> Person:
        own = {column: self._of_nobody_else(told, column) for column in UNIQUE}
        person = Person(name=told.name, folder=self._free_folder(told), **own)
        self._found[told] = person
        if not self._path:
            self.strangers.append(person.folder)
        return person

    def _free_folder(self, told: Person) -> str:
        """Return the name of an entry that is nobody's yet, and by which nobody else of the roster is meant."""
        name = told.login or _without_at(told.name)
        suffixes = chain([""], filter(None, [told.id and f"-{told.id}"]), (f"-{number}" for number in count(2)))
        folders = (_as_folder(_without_at(name) if suffix else name, suffix) for suffix in suffixes)
        folder = next(one for one in folders if folded(one) not in self._taken and not self._people.of(one))
        self._taken.add(folded(folder))
        return folder

    def _of_nobody_else(self, told: Person, column: str) -> str:
        """Return what a platform tells of somebody, nothing where it has told it of another: no two rows of a roster may have it."""
        value: str = getattr(told, column)
        said = column, folded(value)
        if said in self._told:
            return ""
        self._told.add(said)
        return value

    def write(self) -> None:
        """Write the map of names; a roster that was given as it is, but for where the work lies of who was not in it before."""
        kept, people = self._out / ROSTER, [*self._people.all]
        if self._path:
            now = {person: told.id for told, person in self._known.items() if told.id}
            people = [replace(person, id=now.get(person, person.id)) for person in people]
            people = sorted((*people, *self._found.values()), key=lambda person: person.entry)
        if self._path or self._is_completed:
            content = to_table(PERSON_COLUMNS, map(astuple, people))
        else:
            content = self._roster.read_bytes() if self._roster else b""
        write_whole(kept, content)
        if self._roster and self._roster.resolve() != kept.resolve():
            (self._out / GIVEN).touch()


def _where_their_work_is(people: People, rows: Iterable[HandedIn]) -> People:
    """Return people with the folders in which their work lies already, as Canvas's ids in the names of its files tell."""
    told = {(number, row.student) for row in rows for number in _ids_of(row)}
    ids, students = (Counter(column) for column in zip(*told, strict=True)) if told else (Counter(), Counter())
    there = {number: student for number, student in told if ids[number] == students[student] == 1}
    taken = {folded(_as_folder(person.entry)) for person in people.all}

    def placed(person: Person) -> Person:
        folder = there.get(person.id, "")
        known = person.folder or not folder or folded(folder) in taken or _as_folder(person.entry) in students
        return person if known else replace(person, folder=folder)

    return People(tuple(map(placed, people.all)))


def _numbers(people: People, rows: Iterable[HandedIn]) -> dict[str, Person]:
    """Return everybody by the platform's number: as the roster has it, else as what they have handed in tells."""
    by_entry = {_as_folder(person.entry): person for person in people.all if not person.id}
    told = {number: by_entry[row.student] for row in rows if row.student in by_entry for number in _ids_of(row)}
    return told | {person.id: person for person in people.all if person.id}


def _ids_of(row: HandedIn) -> list[str]:
    """Return Canvas's ids in the names of the files of a hand-in."""
    return [number for file in row.from_file.split(BETWEEN_FILES) if (number := id_of(file))]


def _squashed(name: str) -> str:
    """Return a name as Canvas writes it: letters and digits alone."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def _rotated(name: str) -> set[str]:
    """Return a name in letters alone, whichever of its words comes first."""
    words = [word for word in map(_squashed, name.split()) if word]
    return {"".join(words[place:] + words[:place]) for place in range(len(words))}


def _as_folder(name: str, suffix: str = "") -> str:
    """Return a name that can be one of an entry on every system, and is neither taken for junk nor for a file of the grader's."""
    safe = _safe(name)
    safe = f"_{safe}" if is_junk(safe) or folded(safe) in RESERVED else safe
    short = safe.encode()[: LONGEST_FOLDER - len(suffix)].decode(errors="ignore").strip(" .")
    return f"{short or '_'}{suffix}"


def _without_at(name: str) -> str:
    """Return a name that is not read as a login and a domain."""
    return name.replace("@", "_")


def _safe(name: str) -> str:
    """Return a name without what some system does not allow in one."""
    safe = "".join("_" if character in '/\\:*?"<>|' else character for character in shown(name))
    return unicodedata.normalize("NFC", safe).strip(" .")


@dataclass
class _Class:
    """The class folder while a download is brought into it."""

    out: Path
    staging: Path
    parts: Sequence[SyllabusPart]
    only_part: str
    collected: Collected

    def __post_init__(self) -> None:
        self.rows = read_handed_in(self.out)

    def add(self, student: str, uploads: Sequence[Upload], staged: Path) -> None:
        """Bring what a student handed in into the class folder: it replaces, part by part, what it has work of. staged: a copy of it."""
        number = max(upload.number for upload in uploads)
        code = self._code_in(staged)
        told = self.only_part or ("" if code else self._named(staged))
        self._tell_part(student, staged, told)
        there, before = self._before(student)
        found = self._counted(code, before, there, told)
        older = {part for part in found if part in there and _number(there[part]) > number}
        takes = {
            part for part in found.keys() - older if part not in there or _worth(found[part]) >= _worth(before[part])
        }
        same = {part for part in takes if found[part] and found[part] == before.get(part)}
        if self._is_there(student, staged) or (takes and takes == same):
            self.collected.unchanged.append(student)
        elif takes or not found or (None in found.values() and not older):
            self._bring(staged, self._row(student, uploads, told), there, takes, same)
        else:
            self._put_aside(staged, student)
            (self.collected.older if older else self.collected.untouched).append(student)

    def settle(self) -> None:
        """Put aside what no part is known of where each part that anybody has written something in came from the student after it."""
        for row in [row for row in self.rows if not row.part and _number(row)]:
            since = [own for own in self.rows if own.student == row.student and _number(own) > _number(row)]
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
        if any(_of_two_numbers(row, there[part]) for part in takes if part in there):
            self.collected.renumbered.append(student)
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

    def staged(self, student: str, uploads: Sequence[Upload]) -> Path:
        """Copy what a student handed in beside the class, which stays as it is. Raises OSError where the disk takes nothing more."""
        folder = Path(tempfile.mkdtemp(dir=self.staging)) / student
        folder.mkdir()
        times = Counter(folded(_safe(upload.name)) for upload in uploads)
        for upload in uploads:
            alone = times[folded(_safe(upload.name))] == 1
            found = _copy(upload if alone else replace(upload, name=upload.path.name), folder)
            self.collected.problems.extend(f"{student}: {problem}" for problem in found)
        if self.collected.download.platform != FOLDERS:  # where nbgrader may have written it, and not the student
            for own in [path for path in folder.rglob(TIMESTAMP) if not path.is_dir()]:
                own.unlink()
        return folder

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
        read = read_submission(folder, folder.name, self.parts)
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


def _number(row: HandedIn) -> int:
    """Return which of all uploads a hand-in is, where the platform counts them."""
    return max(map(number_of, row.from_file.split(BETWEEN_FILES)))


def _of_two_numbers(one: HandedIn, other: HandedIn) -> bool:
    """Return whether Moodle tells two hand-ins to be of two participants."""
    numbers = [{*map(participant_of, row.from_file.split(BETWEEN_FILES))} - {""} for row in (one, other)]
    return all(numbers) and numbers[0].isdisjoint(numbers[1])


def _worth(code: Code | None) -> int:
    """Return what may replace what: a stub only a stub, and what cannot be read nothing that has work in it."""
    return 2 if code else 1 if code is None else 0


def _with_modules(read: Submission, part: str) -> Code:
    """Return the text of a part, and of all beside it that decides with it what it does."""
    return {name: source.text for name, source in read.code_of(part).items()}


def _content(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by path."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _free(folder: Path, name: str) -> Path:
    """Return a path in a folder that is not taken: of this name, or with a number after it."""
    taken = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    number = 1
    while (free := name if number == 1 else f"{name}-{number}") in taken:
        number += 1
    return folder / free


def _copy(upload: Upload, target: Path) -> list[str]:
    """Copy what was handed in, but for junk and links; return what could not be copied, and why."""
    if upload.name:
        root, waiting = upload.path.parent, [(upload.path, _safe(upload.name))]
    else:
        root, waiting = upload.path, [(path, path.name) for path in upload.path.iterdir()]
    problems, files = [], 0
    while waiting:
        path, name = waiting.pop()
        if is_left_out(PurePosixPath(path), os.path.lexists):
            continue
        if path.is_symlink():
            problems.append(f"{shown(name)} is a link, and was left out.")
        elif name.count("/") > DEEPEST:
            problems.append(f"{shown(name)} lies in more than {DEEPEST} folders, and was left out.")
        elif path.is_dir():
            waiting.extend((inner, f"{name}/{inner.name}") for inner in path.iterdir())
        elif files := files + 1:
            if files > MOST_ENTRIES:
                problems.append(f"of more than {MOST_ENTRIES:,} files, the others were left out.")
                break
            try:
                content = read_file(path, root, shown(name), LARGEST_UPLOAD)
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                write_whole(target / name, content)
            except Unreadable as error:
                problems.append(str(error))
            except OSError as error:
                if error.errno in NO_ROOM:
                    raise
                problems.append(f"{shown(name)} could not be copied: {error.strerror}.")
    return problems
