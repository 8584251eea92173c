"""A download becomes a class folder, and a later one adds to it; nothing is lost, and nothing leads out of it."""

import os
import zipfile
from collections.abc import Callable
from copy import copy
from pathlib import Path

import pytest

from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.collecting import collect as collecting
from autograder.classroom.collecting import copying, placing
from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.collected import Collected
from autograder.classroom.collecting.copying import DEEPEST
from autograder.classroom.collecting.handed_in import BadHandedIn, HandedIn, read_handed_in
from autograder.classroom.collecting.platforms import BadDownload
from autograder.classroom.people import read_people
from autograder.exam.syllabus import load
from autograder.workspace import COURSE

PARTS = load(COURSE.syllabus).parts[:2]
FIRST, SECOND = (part.name for part in PARTS)
ONE = "def dot_product(a, b):\n    return a @ b\n"
OF_SECOND = f"def {PARTS[1].steps[0].name}(x):\n    return x\n"

Gather = Callable[..., Collected]


@pytest.fixture
def class_(tmp_path: Path) -> Path:
    return tmp_path / "class"


@pytest.fixture
def gather(tmp_path: Path, class_: Path) -> Gather:
    """Collect a download of these files, each by path with its text. Each time it is another download."""

    def run(files: dict[str, str], roster: str = "", platform: str = "", part: str = "") -> Collected:
        download = tmp_path / f"download {len(list(tmp_path.iterdir()))}"
        for name, text in files.items():
            (download / name).parent.mkdir(parents=True, exist_ok=True)
            (download / name).write_text(text)
        if roster:
            (tmp_path / "people.csv").write_text(roster)
        return collect(download, class_, PARTS, tmp_path / "people.csv" if roster else None, platform, part)

    return run


def files_of(class_: Path, student: str) -> list[str]:
    return sorted(
        path.relative_to(class_ / student).as_posix() for path in (class_ / student).rglob("*") if path.is_file()
    )


def students(class_: Path) -> list[str]:
    return [entry.student for entry in read_class_folder(class_).entries]


# A class folder


def test_every_student_has_an_entry_with_what_they_handed_in(gather: Gather, class_: Path) -> None:
    gather({"doejane_101_1_part1.py": ONE, "doejane_101_2_helper.py": "x = 1", "roe_102_3_work.pdf": ""})

    assert students(class_) == ["doejane", "roe"]
    assert files_of(class_, "doejane") == [f"{FIRST}/helper.py", f"{FIRST}/part1.py"]
    assert files_of(class_, "roe") == ["hand-in/work.pdf"]


def test_a_run_that_was_stopped_before_its_list_was_written_leaves_no_second_copy(
    gather: Gather, class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"doejane_101_1_part1.py": ONE, "doejane_101_2_part2.py": OF_SECOND, "roe_102_3_work.pdf": "so far"}

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr(collecting, "write_handed_in", stop)
        with pytest.raises(KeyboardInterrupt):
            gather(files)
    left = sorted(class_.rglob("*.p*"))
    gather(files)

    assert sorted(class_.rglob("*.p*")) == left
    assert {row.student for row in read_handed_in(class_)} == {"doejane", "roe"}
    assert all((class_ / row.place).is_dir() for row in read_handed_in(class_))


def test_a_list_tells_part_lateness_and_file(gather: Gather, class_: Path) -> None:
    gather({"doejane_LATE_101_1_part1.py": ONE, "roe_102_3_work.pdf": ""})

    assert read_handed_in(class_) == [
        HandedIn("doejane", FIRST, "", "yes", "doejane_LATE_101_1_part1.py", f"doejane/{FIRST}"),
        HandedIn("roe", "", "", "no", "roe_102_3_work.pdf", "roe/hand-in"),
    ]


def test_a_hand_in_of_several_parts_has_a_line_for_each(gather: Gather, class_: Path) -> None:
    gather({"roe_1_1_a.py": ONE, "roe_1_2_b.py": OF_SECOND})
    assert [(row.part, row.place) for row in read_handed_in(class_)] == [
        (FIRST, "roe/hand-in"),
        (SECOND, "roe/hand-in"),
    ]


def test_a_part_that_is_asked_for_is_that_of_all(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_work.pdf": ""}, part=SECOND)
    assert [(row.part, row.place) for row in read_handed_in(class_)] == [(SECOND, f"roe/{SECOND}")]


def test_work_of_another_part_than_is_asked_for_is_listed_too_and_as_late(gather: Gather, class_: Path) -> None:
    gather({"roe_LATE_102_3_a.py": ONE, "roe_LATE_102_4_b.py": OF_SECOND}, part=SECOND)

    rows = [(row.part, row.late, row.place) for row in read_handed_in(class_)]
    assert rows == [(FIRST, "yes", "roe/hand-in"), (SECOND, "yes", "roe/hand-in")]


def test_a_stub_of_another_part_than_is_asked_for_is_not_listed(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_a.py": PARTS[0].stub, "roe_102_4_b.py": OF_SECOND}, part=SECOND)
    assert [row.part for row in read_handed_in(class_)] == [SECOND]


def test_work_in_time_is_not_replaced_by_what_comes_with_another_part_that_is_asked_for(
    gather: Gather, class_: Path
) -> None:
    gather({"roe_102_3_a.py": ONE}, part=FIRST)
    gather({"roe_LATE_102_8_a.py": ONE + "x = 1", "roe_LATE_102_9_b.py": OF_SECOND}, part=SECOND)

    assert [(row.part, row.late) for row in read_handed_in(class_)] == [(FIRST, "no"), (SECOND, "yes")]
    assert (class_ / "roe" / FIRST / "a.py").read_text() == ONE


def test_what_came_with_the_part_that_is_asked_for_is_replaced_with_it(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_a.py": ONE, "roe_102_4_b.py": OF_SECOND}, part=SECOND)
    gather({"roe_102_8_a.py": ONE + "x = 1", "roe_102_9_b.py": OF_SECOND + "x = 1"}, part=SECOND)

    assert {row.from_file for row in read_handed_in(class_)} == {"roe_102_8_a.py; roe_102_9_b.py"}
    assert files_of(class_, "roe") == ["hand-in/a.py", "hand-in/b.py"]


def test_what_lies_too_deep_is_left_out_and_told(gather: Gather, class_: Path) -> None:
    deep = "/".join("a" * (DEEPEST + 1))

    told = gather({f"Jane Doe_1_assignsubmission_file_/{name}": ONE for name in (f"{FIRST}.py", f"{deep}/x.py")})

    assert files_of(class_, "Jane Doe") == [f"{FIRST}/{FIRST}.py"]
    assert told.problems == [f"Jane Doe: {deep}/x.py lies in more than {DEEPEST} folders, and was left out."]


TIME = "2020-01-01 12:00:00 UTC"


@pytest.mark.parametrize("of", ["doejane_101_{}_{}", "doejane_1_assignsubmission_file_/{1}"], ids=["Canvas", "Moodle"])
def test_no_time_is_taken_from_what_a_student_uploads(gather: Gather, class_: Path, of: str) -> None:
    gather({of.format(1, f"{FIRST}.py"): ONE, of.format(2, "timestamp.txt"): TIME})

    assert files_of(class_, "doejane") == [f"{FIRST}/{FIRST}.py"]


def test_a_time_beside_folders_of_students_is_kept(gather: Gather, class_: Path) -> None:
    gather({f"ada/{FIRST}.py": ONE, "ada/timestamp.txt": TIME}, platform="folders")

    assert files_of(class_, "ada") == [f"{FIRST}/{FIRST}.py", f"{FIRST}/timestamp.txt"]


@pytest.mark.parametrize("other", ["Janet Doe_1", "\uff2aane Doe_2"], ids=["of the same number", "that looks the same"])
def test_another_name_than_before_spoils_no_later_download(gather: Gather, class_: Path, other: str) -> None:
    for name in ("Jane Doe_1", other, "Bob Roe_3"):
        gather({f"{name}_assignsubmission_file_/{FIRST}.py": ONE})

    assert "Bob Roe" in students(class_)
    assert "Bob Roe" in [person.name for person in read_people(class_ / "roster.csv").all]


@pytest.mark.parametrize("name", ["Jane Doe", "Doe, Jane", "\uff2aane Doe"])
def test_who_takes_the_name_of_another_takes_nothing_of_theirs(gather: Gather, class_: Path, name: str) -> None:
    uploads = {f"Jane Doe_1_assignsubmission_file_/{FIRST}.py": ONE, f"{name}_2_assignsubmission_file_/{FIRST}.py": ""}

    told = gather(uploads, roster="name\nJane Doe\nEve Evil\n")

    assert len(told.added) == len(told.strangers) == 2
    assert students(class_) == sorted(told.strangers)


def test_what_is_in_a_folder_of_moodle_keeps_its_places(gather: Gather, class_: Path) -> None:
    gather({"Jane Doe_7_assignsubmission_file_/hw/part1.py": ONE})
    assert files_of(class_, "Jane Doe") == [f"{FIRST}/hw/part1.py"]


def test_junk_and_what_git_keeps_are_left_out(gather: Gather, class_: Path) -> None:
    names = "part1.py", ".DS_Store", "__MACOSX/part1.py", "env/pyvenv.cfg", "env/lib/x.py", ".git/HEAD"
    gather({f"Jane Doe_7_assignsubmission_file_/{name}": ONE for name in names})
    assert files_of(class_, "Jane Doe") == [f"{FIRST}/env/pyvenv.cfg", f"{FIRST}/part1.py"]


def test_a_download_is_read_as_the_zip_that_the_platform_gives(tmp_path: Path, class_: Path) -> None:
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        archive.writestr("roe_102_3_part1.py", ONE)
        archive.writestr("../../roe_102_4_out.py", "x = 1")
    collect(tmp_path / "submissions.zip", class_, PARTS, None)

    assert files_of(class_, "roe") == [f"{FIRST}/out.py", f"{FIRST}/part1.py"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "submissions.zip"]


def test_what_unpacks_to_too_much_is_left_out_and_told(
    tmp_path: Path, class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "LARGEST_UPLOAD", 1_000)
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("roe_102_3_part1.py", ONE)
        archive.writestr("roe_102_4_zeros.py", bytes(1_001))

    assert collect(tmp_path / "submissions.zip", class_, PARTS, None).problems == [
        "roe_102_4_zeros.py has more than 1,000 bytes, the most that is read."
    ]
    assert files_of(class_, "roe") == [f"{FIRST}/part1.py"]


def test_a_link_is_left_out_and_told(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    (folder / "secret.py").symlink_to("/etc/passwd")

    assert collect(tmp_path / "download", class_, PARTS, None).problems == [
        "Jane Doe: secret.py is a link, and was left out."
    ]
    assert files_of(class_, "Jane Doe") == []


def test_a_fifo_is_left_out_without_waiting(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "part1.py")

    assert collect(tmp_path / "download", class_, PARTS, None).problems == ["Jane Doe: part1.py is no regular file."]


def test_more_files_than_are_marked_are_not_copied(gather: Gather, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "MOST_ENTRIES", 2)
    told = gather({f"Jane Doe_7_assignsubmission_file_/{number}.py": "" for number in range(3)}).problems
    assert told == ["Jane Doe: of more than 2 files, the others were left out."]


def test_a_file_that_is_packed_to_next_to_nothing_is_left_out(tmp_path: Path, class_: Path) -> None:
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("roe_102_3_part1.py", ONE)
        archive.writestr("roe_102_4_blanks.py", b" " * 1_000_000)

    (told,) = collect(tmp_path / "submissions.zip", class_, PARTS, None).problems
    assert told.startswith("roe_102_4_blanks.py has more than ")
    assert files_of(class_, "roe") == [f"{FIRST}/part1.py"]


def test_a_download_of_files_that_share_their_bytes_is_refused(tmp_path: Path, class_: Path) -> None:
    path = tmp_path / "submissions.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("roe_102_3_part1.py", ONE * 100)
        for name in ("one", "two"):
            other = copy(archive.filelist[0])
            other.filename = f"roe_102_3_{name}.py"
            archive.filelist.append(other)
    with pytest.raises(BadDownload, match="the same bytes are in several files"):
        collect(path, class_, PARTS, None)


def test_a_class_folder_in_the_download_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDownload, match="lies in the download"):
        collect(tmp_path, tmp_path / "class", PARTS, None)


def test_a_list_that_cannot_be_used_is_refused_before_anything_is_moved(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    (class_ / "handed_in.csv").write_text("who\nroe\n")
    with pytest.raises(BadHandedIn, match="has no column `student`"):
        gather({"roe_102_4_part1-1.py": ONE + "x = 1"})


@pytest.mark.parametrize("place", ["../thesis", "{out}/thesis", "link/thesis", "", "."])
def test_a_list_that_leads_out_of_the_class_folder_moves_nothing(
    gather: Gather, class_: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "thesis").mkdir()
    class_.mkdir()
    (class_ / "link").symlink_to(tmp_path)
    there = place.format(out=tmp_path)
    (class_ / "handed_in.csv").write_text(f"student,part,handed_in_at,late,from_file,place\nroe,{FIRST},,,,{there}\n")
    with pytest.raises(BadHandedIn, match="which is not in"):
        gather({"roe/part1.py": ONE}, platform="folders")
    assert (tmp_path / "thesis").is_dir()


# Again


def test_the_same_download_again_changes_nothing(gather: Gather, class_: Path) -> None:
    files = {"doejane_101_1_part1.py": ONE, "roe_102_3_work.pdf": ""}
    gather(files)
    before = {path: path.read_bytes() for path in class_.rglob("*") if path.is_file()}
    told = gather(files)

    assert told.unchanged == ["doejane", "roe"]
    assert {path: path.read_bytes() for path in class_.rglob("*") if path.is_file()} == before


def test_a_later_attempt_counts_and_the_earlier_is_kept_aside(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    told = gather({"roe_LATE_102_9_part1-1.py": ONE + "x = 1"})

    assert (told.replaced, told.late) == (["roe"], ["roe"])
    assert (class_ / "roe" / FIRST / "part1.py").read_text() == ONE + "x = 1"
    assert (class_ / ".earlier/roe/1/part1.py").read_text() == ONE
    assert [row.late for row in read_handed_in(class_)] == ["yes"]
    assert students(class_) == ["roe"]


def test_an_earlier_download_that_comes_later_does_not_count(gather: Gather, class_: Path) -> None:
    gather({"roe_102_9_part1-1.py": ONE + "x = 1"})
    for _ in range(2):
        assert gather({"roe_102_3_part1.py": ONE}).older == ["roe"]

    assert (class_ / "roe" / FIRST / "part1.py").read_text() == ONE + "x = 1"
    assert [path.name for path in (class_ / ".earlier/roe").iterdir()] == ["1"]


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ({"roe_102_3_work-1.py": ONE, "roe_102_9_work-2.py": OF_SECOND}, "hand-in"),
        ({"roe_102_3_part1.py": ONE, "roe_102_9_part1-1.py": ONE + "x = 1"}, FIRST),
        ({"roe_102_3_part1.py": ONE, "roe_102_9_Part1.py": ONE + "x = 1"}, FIRST),
    ],
    ids=["of two parts", "of one part", "but for the case"],
)
def test_two_files_of_one_download_that_differ_by_a_number_are_both_there(
    gather: Gather, class_: Path, files: dict[str, str], folder: str
) -> None:
    gather(files)
    told = gather(files)

    assert files_of(class_, "roe") == sorted(f"{folder}/{name}" for name in files)
    assert told.unchanged == ["roe"]
    assert not (class_ / ".earlier").exists()


def test_another_part_is_put_beside_the_first(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_102_9_part2.py": OF_SECOND})
    assert files_of(class_, "roe") == [f"{FIRST}/part1.py", f"{SECOND}/part2.py"]


def test_what_cannot_be_read_does_not_replace_what_can(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_102_9_work.pdf": ""})
    assert files_of(class_, "roe") == ["hand-in/work.pdf", f"{FIRST}/part1.py"]


def listed(class_: Path) -> list[tuple[str, str]]:
    """The parts that are there, each with the file in which it was handed in."""
    return [(row.part, row.from_file) for row in read_handed_in(class_)]


def test_a_stub_replaces_no_work_and_takes_away_no_lateness(gather: Gather, class_: Path) -> None:
    gather({"roe_LATE_102_3_part1.py": ONE})
    gather({"roe_102_8_part1.py": PARTS[0].stub, "roe_102_9_part2.py": OF_SECOND})

    assert listed(class_) == [(FIRST, "roe_LATE_102_3_part1.py"), (SECOND, "roe_102_8_part1.py; roe_102_9_part2.py")]
    assert [row.late for row in read_handed_in(class_)] == ["yes", "no"]
    assert (class_ / "roe" / FIRST / "part1.py").read_text() == ONE


def test_a_stub_alone_in_place_of_work_is_put_aside_and_told(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    told = gather({"roe_102_8_part1.py": PARTS[0].stub})

    assert (told.untouched, told.replaced, told.added) == (["roe"], [], [])
    assert files_of(class_, "roe") == [f"{FIRST}/part1.py"]
    assert (class_ / ".earlier/roe/1/part1.py").read_text() == PARTS[0].stub


def test_a_part_that_comes_again_unchanged_keeps_its_time(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_LATE_102_8_part1.py": ONE, "roe_LATE_102_9_part2.py": OF_SECOND})

    assert [(row.part, row.late) for row in read_handed_in(class_)] == [(FIRST, "no"), (SECOND, "yes")]
    assert {row.place for row in read_handed_in(class_)} == {"roe/hand-in"}


@pytest.mark.parametrize(
    ("head", "late"),
    [
        ("import mine", "yes"),
        ("import \\\n    mine", "yes"),
        ("import \uff4dine", "yes"),
        ("from more import *", "yes"),
        ("import math", "no"),
    ],
)
def test_a_part_is_changed_where_what_it_imports_is_changed(gather: Gather, class_: Path, head: str, late: str) -> None:
    part = f"{head}\n{ONE}"
    gather({"roe_102_3_part1.py": part, "roe_102_4_mine.py": "x = 1", "roe_102_5_more.py": "x = 1"})
    gather({"roe_LATE_102_8_part1.py": part, "roe_LATE_102_9_mine.py": "x = 2", "roe_LATE_102_10_more.py": OF_SECOND})

    assert [row.late for row in read_handed_in(class_)] == [late, "yes"]


def test_a_part_is_changed_where_it_imports_another_part_that_is(gather: Gather, class_: Path) -> None:
    part = f"from {SECOND} import *\n{ONE}"
    gather({"roe_102_3_part1.py": part, f"roe_102_4_{SECOND}.py": OF_SECOND})
    gather({"roe_LATE_102_8_part1.py": part, f"roe_LATE_102_9_{SECOND}.py": OF_SECOND + "x = 1"})

    assert [row.late for row in read_handed_in(class_)] == ["yes", "yes"]


def test_of_two_parts_the_one_that_is_changed_is_replaced(gather: Gather, class_: Path) -> None:
    gather({"roe_102_1_a.py": ONE, "roe_102_2_b.py": OF_SECOND})
    gather({"roe_102_8_a.py": ONE + "x = 1", "roe_102_9_b.py": OF_SECOND})

    assert listed(class_) == [(FIRST, "roe_102_8_a.py; roe_102_9_b.py"), (SECOND, "roe_102_1_a.py; roe_102_2_b.py")]
    assert files_of(class_, "roe") == ["hand-in/a.py", "hand-in/b.py"]


@pytest.mark.parametrize("files", [{"roe_102_3_work.pdf": ""}, {"roe_102_3_work.rar": ""}, {"roe_102_3_work.py": ""}])
def test_what_holds_no_part_stays_when_a_part_comes(gather: Gather, class_: Path, files: dict[str, str]) -> None:
    gather({**files, "poe_101_1_part1.py": ONE})
    gather({"roe_102_9_part2.py": OF_SECOND})

    assert [(row.part, row.from_file) for row in read_handed_in(class_) if row.student == "roe"] == [
        ("", *files),
        (SECOND, "roe_102_9_part2.py"),
    ]
    assert not (class_ / ".earlier").exists()


def test_what_holds_no_part_is_kept_though_a_part_came_before_that_was_handed_in_later(
    gather: Gather, class_: Path
) -> None:
    gather({"roe_102_9_part2.py": OF_SECOND, "poe_101_1_part1.py": ONE})
    gather({"roe_102_3_work.pdf": ""})
    assert ("", "roe_102_3_work.pdf") in listed(class_)


def test_what_can_be_read_replaces_what_was_handed_in_for_the_part_and_cannot(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_work.pdf": ""}, part=FIRST)
    gather({"roe_102_9_part1.py": ONE})
    assert listed(class_) == [(FIRST, "roe_102_9_part1.py")]


@pytest.mark.parametrize("text", [ONE, ""], ids=["work", "nothing"])
def test_two_parts_that_are_asked_for_are_two_though_they_are_the_same_file(
    gather: Gather, class_: Path, text: str
) -> None:
    for part in (FIRST, SECOND):
        gather({"roe_102_3_work.pdf": text}, part=part)
    assert listed(class_) == [(FIRST, "roe_102_3_work.pdf"), (SECOND, "roe_102_3_work.pdf")]


def test_nothing_to_be_read_for_a_part_lies_beside_the_work_of_before(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    for _ in range(2):
        gather({"roe_102_9_work.pdf": ""}, part=FIRST)
    assert listed(class_) == [(FIRST, "roe_102_3_part1.py"), (FIRST, "roe_102_9_work.pdf")]


@pytest.mark.parametrize("name", [f"{FIRST}.py", f"{FIRST}-1.ipynb", f"{FIRST}.pdf"])
def test_what_cannot_be_read_is_of_the_part_that_it_is_named_like(gather: Gather, class_: Path, name: str) -> None:
    gather({f"roe_102_3_{name}": ""})
    assert listed(class_) == [(FIRST, f"roe_102_3_{name}")]


def test_the_part_of_what_is_there_without_one_can_be_told_later(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_work.pdf": ""})
    gather({"roe_102_3_work.pdf": ""}, part=FIRST)
    assert listed(class_) == [(FIRST, "roe_102_3_work.pdf")]


def test_what_no_part_is_known_of_is_settled_by_all_parts_that_come_later(gather: Gather, class_: Path) -> None:
    gather({"poe_101_1_a.py": ONE, "poe_101_2_b.py": OF_SECOND, "roe_102_4_work.pdf": ""})
    gather({"roe_102_8_part1.py": ONE})
    unsettled = listed(class_)
    gather({"roe_102_9_part2.py": OF_SECOND})

    assert ("", "roe_102_4_work.pdf") in unsettled
    assert [row.from_file for row in read_handed_in(class_) if row.student == "roe"] == [
        "roe_102_8_part1.py",
        "roe_102_9_part2.py",
    ]
    assert files_of(class_, ".earlier/roe") == ["1/work.pdf"]


def test_what_no_part_is_known_of_is_not_settled_by_what_came_before_it(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_102_9_work.pdf": ""})
    assert ("", "roe_102_9_work.pdf") in listed(class_)


def test_stubs_of_a_part_that_nobody_has_written_in_keep_nothing_from_being_settled(
    gather: Gather, class_: Path
) -> None:
    gather({"poe_101_1_a.py": ONE, f"poe_101_2_{SECOND}.py": PARTS[1].stub, "roe_102_4_work.pdf": ""})
    gather({"roe_102_8_part1.py": ONE})
    assert "roe_102_4_work.pdf" not in [file for _, file in listed(class_)]


# Who is who


def test_a_map_of_names_is_written_that_a_later_download_goes_by(gather: Gather, class_: Path) -> None:
    gather({"doejane_101_1_part1.py": ONE, "doejane_102_2_part1.py": ONE})
    gather({"doejane_102_3_part2.py": OF_SECOND, "doejane_103_4_part2.py": OF_SECOND})

    people = read_people(class_ / "roster.csv").all
    assert [(person.id, person.folder) for person in people] == [
        ("101", "doejane"),
        ("102", "doejane-102"),
        ("103", "doejane-103"),
    ]
    assert files_of(class_, "doejane-102") == [f"{FIRST}/part1.py", f"{SECOND}/part2.py"]


def test_moodle_s_numbers_of_another_assignment_are_the_same_people(gather: Gather, class_: Path) -> None:
    gather({"Jane Doe_7_assignsubmission_file_/part1.py": ONE})
    gather({"Jane Doe_907_assignsubmission_file_/part2.py": OF_SECOND})
    assert students(class_) == ["Jane Doe"]


def test_a_name_that_begins_with_an_apostrophe_stays_as_it_is(gather: Gather, class_: Path) -> None:
    files = {"'tHart_7_assignsubmission_file_/part1.py": ONE}
    assert (gather(files).added, gather(files).unchanged) == (["'tHart"], ["'tHart"])
    assert "\n'tHart,7," in (class_ / "roster.csv").read_text(encoding="utf-8")


def test_two_people_of_one_name_in_moodle_are_two(gather: Gather, class_: Path) -> None:
    files = {f"Jane Doe_{number}_assignsubmission_file_/part1.py": ONE for number in (7, 8)}
    gather(files)
    assert len(gather(files).unchanged) == 2
    assert students(class_) == ["Jane Doe", "Jane Doe-8"]


@pytest.mark.parametrize(
    "row", ["Jane Doe,101,jd,", "Jane Doe,,jd,", "Doe Jane,,jd,", '"Doe, Jane",,jd,', "J. D.,101,jd,jd@uni.edu"]
)
def test_a_roster_s_login_is_the_name_of_an_entry(gather: Gather, class_: Path, row: str) -> None:
    told = gather({"doejane_101_1_part1.py": ONE}, roster=f"name,id,login,email\n{row}\n")
    assert (students(class_), told.strangers) == (["jd"], [])
    assert (class_ / "roster.csv").read_text(encoding="utf-8") == f"name,id,login,email\n{row}\n"


def test_who_is_not_in_a_roster_that_was_given_is_told_each_time(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE}, roster="name,id,login\nJane Doe,101,jd\n")
    again = gather({"roe_102_9_part2.py": OF_SECOND})

    assert again.strangers == ["roe"]
    assert (class_ / "roster.csv").read_text() == "name,id,login\nJane Doe,101,jd\n"


@pytest.mark.parametrize("before", ["", "name,id,login\nJane Doe,101,jd\n"], ids=["no list", "a list without her"])
def test_who_is_added_to_the_roster_later_keeps_the_folder_with_the_work(
    gather: Gather, class_: Path, before: str
) -> None:
    gather({"roe_LATE_102_3_part1.py": ONE, "poe_103_4_part1.py": ONE}, roster=before)
    later = "Student,ID,SIS Login ID\nJane Doe,101,jd\nRoe,102,u102\nPoe,103,poe\n"
    again = gather({"roe_102_8_part2.py": OF_SECOND + "x = 1"}, roster=later)
    gather({"roe_102_9_part2.py": OF_SECOND})

    assert (students(class_), again.strangers) == (["poe", "roe"], [])
    assert [(row.part, row.late) for row in read_handed_in(class_) if row.student == "roe"] == [
        (FIRST, "yes"),
        (SECOND, "no"),
    ]
    people = read_people(class_ / "roster.csv")
    assert people.of("roe") == people.of("u102")


def test_a_folder_that_is_called_like_another_of_the_roster_is_not_shared(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_102_9_part2.py": OF_SECOND}, roster="name,id,login\nJane Roe,101,roe\nRoe,102,u102\n")
    assert students(class_) == ["roe", "u102"]


def test_who_lacks_what_others_have_handed_in_is_told(gather: Gather) -> None:
    roster = "name,id,login\nJane Doe,101,jd\nPoe,103,poe\nZoe,104,zoe\n"
    first = gather({"doejane_101_1_a.py": ONE, "eve_102_2_a.py": ONE, "eve_102_3_b.py": OF_SECOND}, roster=roster)
    second = gather({"poe_103_9_b.py": OF_SECOND})

    assert first.lacking == {"": ["poe", "zoe"]}  # one who has handed in both parts is not half of the class
    assert second.lacking == {"": ["zoe"], FIRST: ["poe"], SECOND: ["jd"]}


def test_who_is_not_in_the_roster_has_an_entry_and_is_told(gather: Gather, class_: Path) -> None:
    told = gather({"roe_102_1_part1.py": ONE}, roster="name,id\nJane Doe,101\n")
    assert (students(class_), told.strangers) == (["roe"], ["roe"])


@pytest.mark.parametrize("name", ["..", ".hidden", "README", "a\\b", "=cmd|calc", "x" * 200])
def test_no_name_leads_out_or_is_lost(gather: Gather, class_: Path, name: str) -> None:
    files = {f"{name}_7_assignsubmission_file_/part1.py": ONE, "Jane Doe_8_assignsubmission_file_/part1.py": ONE}
    for _ in range(2):
        gather(files)
    assert len(students(class_)) == 2


def test_a_clone_has_the_time_of_its_last_commit(gather: Gather, class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    monkeypatch.setattr(placing, "commit_time", lambda _: datetime(2026, 10, 1, 12, tzinfo=UTC))
    gather({"hw-ada/.git/HEAD": "", "hw-ada/part1.py": ONE, "hw-bob/.git/HEAD": "", "hw-bob/part1.py": ONE})
    assert [(row.student, row.handed_in_at) for row in read_handed_in(class_)] == [
        ("ada", "2026-10-01T12:00:00+00:00"),
        ("bob", "2026-10-01T12:00:00+00:00"),
    ]


# Who wants to be somebody else

ADA_S = "name,login\nAda Adams,ada\nMallory M,mal\n"
BAD = ONE + "x = 0"


def moodle(name: str, number: int, text: str = ONE) -> dict[str, str]:
    return {f"{name}_{number}_assignsubmission_file_/part1.py": text}


@pytest.mark.parametrize("name", ["ada", "ada@ M", "ADA@uni.edu", "m77"])
def test_a_chosen_name_is_nobody_s_login(gather: Gather, class_: Path, name: str) -> None:
    roster = "name,login,sis_id\nAda Adams,ada,m77\n"
    gather(moodle("Ada Adams", 101), roster=roster)
    told = gather(moodle(name, 202, BAD))

    assert (class_ / "ada" / FIRST / "part1.py").read_text() == ONE
    assert (told.added, told.replaced) == (told.strangers, [])
    assert not any(map(read_people(class_ / "roster.csv").of, told.strangers))


def test_another_number_of_canvas_s_is_another_person(gather: Gather, class_: Path) -> None:
    roster = 'name,id,login\n"Adams, Ada",11,ada\n"B, Bob",12,bob\n'
    gather({"adamsada_11_900_part1.py": ONE}, roster=roster)
    for name in ("ada", "adamsada", "adaadams"):
        told = gather({f"{name}_13_950_part1.py": BAD})
        assert told.replaced == []
    assert (class_ / "ada" / FIRST / "part1.py").read_text() == ONE


def test_a_number_of_canvas_s_is_known_by_what_was_handed_in_where_a_roster_has_none(
    gather: Gather, class_: Path
) -> None:
    gather({"adamsada_11_900_part1.py": ONE}, roster=ADA_S)
    other = gather({"adamsada_13_950_part1.py": BAD})
    own = gather({"newname_11_960_part2.py": OF_SECOND})

    assert (own.added, other.strangers, other.replaced) == (["ada"], ["adamsada"], [])
    assert (class_ / "ada" / FIRST / "part1.py").read_text() == ONE


def test_two_of_a_download_who_would_be_the_same_by_their_names_are_neither(gather: Gather, class_: Path) -> None:
    told = gather({"adamsada_11_900_part1.py": ONE, "adaadams_13_950_part1.py": BAD}, roster=ADA_S)
    assert (students(class_), told.strangers) == (["adaadams", "adamsada"], ["adaadams", "adamsada"])


def test_a_name_that_two_of_the_roster_have_in_canvas_s_way_is_neither_s(gather: Gather, class_: Path) -> None:
    told = gather({"leekim_11_900_part1.py": ONE}, roster="name,login\nKim Lee,k1\nLee Kim,k2\n")
    assert told.strangers == ["leekim"]


def test_a_number_of_moodle_s_is_a_person_s_whatever_the_name_is_now(gather: Gather, class_: Path) -> None:
    gather(moodle("Ada Adams", 101) | moodle("Mallory M", 102))
    gather(moodle("Ada Adams", 102, BAD))

    assert (class_ / "Ada Adams" / FIRST / "part1.py").read_text() == ONE
    assert (class_ / "Mallory M" / FIRST / "part1.py").read_text() == BAD


def test_a_number_of_moodle_s_in_the_roster_is_that_of_the_last_hand_in(gather: Gather, class_: Path) -> None:
    gather(moodle("Ada Adams", 102, BAD))
    told = gather(moodle("Ada Adams", 101))

    assert [person.id for person in read_people(class_ / "roster.csv").all] == ["101"]
    assert told.replaced == told.renumbered == ["Ada Adams"]


def test_another_part_under_another_number_of_moodle_s_is_nothing_to_be_told(gather: Gather) -> None:
    gather(moodle("Ada Adams", 101))
    assert gather(moodle("Ada Adams", 201, OF_SECOND)).renumbered == []


# Names that would stop a class


def test_a_folder_called_like_the_file_of_the_time_stops_nobody(gather: Gather, class_: Path) -> None:
    gather({"hw-ada/.git/HEAD": "", "hw-ada/timestamp.txt/x.py": "", "hw-bob/.git/HEAD": "", "hw-bob/part1.py": ONE})
    assert students(class_) == ["ada", "bob"]


@pytest.mark.parametrize(
    "name",
    [
        "handed_in.csv",
        "Roster.csv",
        "nbgrader_config.py",
        "marks",
        "gradebook.db",
        pytest.param("\U0001d160" * 40, id="long in NFC"),
    ],
)
def test_no_name_is_taken_for_a_file_of_the_class_folder(gather: Gather, class_: Path, name: str) -> None:
    for text in (ONE, BAD):
        told = gather(moodle(name, 102, text) | moodle("Ada Adams", 101))

    assert len(students(class_)) == 2
    assert (told.replaced, told.unchanged) == (
        [entry for entry in students(class_) if entry != "Ada Adams"],
        ["Ada Adams"],
    )
    assert not (class_ / "marks").exists()


@pytest.mark.parametrize("name", ["x" * 210, "\u00e9" * 105, "\u6f22" * 70], ids=["x", "two bytes", "three bytes"])
def test_two_people_of_one_long_name_have_a_folder_each(gather: Gather, class_: Path, name: str) -> None:
    files = {f"{name}_{number}_assignsubmission_file_part1.py": ONE + f"x = {number}" for number in (7, 8)}
    for _ in range(2):
        told = gather(files)
    assert len(told.unchanged) == len(students(class_)) == 2


def test_a_file_s_own_name_tells_nothing_of_another_s_number(gather: Gather, class_: Path) -> None:
    gather({"adamsada_11_900_part1.py": ONE, "mallorym_13_902_p; adamsada_11_1_part1.py": BAD})
    gather({"adamsada_11_950_part2.py": OF_SECOND}, roster="name,id,login\nA Adams,11,u101\nM,13,u103\n")
    assert students(class_) == ["adamsada", "mallorym"]
