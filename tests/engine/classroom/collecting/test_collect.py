"""A download becomes a class folder, and a later one adds to it; nothing is lost, and nothing leads out of it."""

import os
import zipfile
from pathlib import Path

import pytest
from downloads import FIRST, OF_SECOND, ONE, PARTS, SECOND, Gather, files_of, students

from autograder.classroom.collecting import collect as collecting
from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.handed_in import BadHandedIn, read_handed_in
from autograder.classroom.collecting.platforms import BadDownload


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


def test_a_download_is_read_as_the_zip_that_the_platform_gives(tmp_path: Path, class_: Path) -> None:
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        archive.writestr("roe_102_3_part1.py", ONE)
        archive.writestr("../../roe_102_4_out.py", "x = 1")
    collect(tmp_path / "submissions.zip", class_, PARTS, None)

    assert files_of(class_, "roe") == [f"{FIRST}/out.py", f"{FIRST}/part1.py"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "submissions.zip"]


def test_a_list_that_cannot_be_used_is_refused_before_anything_is_moved(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    (class_ / "handed_in.csv").write_text("who\nroe\n")
    with pytest.raises(BadHandedIn, match="has no column `student`"):
        gather({"roe_102_4_part1-1.py": ONE + "x = 1"})


@pytest.mark.parametrize("place", ["../thesis", "{out}/thesis", "roe/link/thesis", "", "."])
def test_a_list_that_leads_out_of_the_class_folder_moves_nothing(
    gather: Gather, class_: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "thesis").mkdir()
    (class_ / "roe").mkdir(parents=True)
    (class_ / "roe/link").symlink_to(tmp_path)
    there = place.format(out=tmp_path)
    (class_ / "handed_in.csv").write_text(f"student,part,handed_in_at,late,from_file,place\nroe,{FIRST},,,,{there}\n")
    with pytest.raises(BadHandedIn, match="which is not in"):
        gather({"roe/part1.py": ONE}, platform="folders")
    assert (tmp_path / "thesis").is_dir()


def test_the_same_download_again_changes_nothing(gather: Gather, class_: Path) -> None:
    files = {"doejane_101_1_part1.py": ONE, "roe_102_3_work.pdf": ""}
    gather(files)
    before = {path: path.read_bytes() for path in class_.rglob("*") if path.is_file()}
    told = gather(files)

    assert told.unchanged == ["doejane", "roe"]
    assert {path: path.read_bytes() for path in class_.rglob("*") if path.is_file()} == before


def test_who_lacks_what_others_have_handed_in_is_told(gather: Gather) -> None:
    roster = "name,id,login\nJane Doe,101,jd\nPoe,103,poe\nZoe,104,zoe\n"
    first = gather({"doejane_101_1_a.py": ONE, "eve_102_2_a.py": ONE, "eve_102_3_b.py": OF_SECOND}, roster=roster)
    second = gather({"poe_103_9_b.py": OF_SECOND})

    assert first.lacking == {"": ["poe", "zoe"]}  # one who has handed in both parts is not half of the class
    assert second.lacking == {"": ["zoe"], FIRST: ["poe"], SECOND: ["jd"]}


@pytest.mark.parametrize("name", ["handed_in.csv", "roster.csv", "roe", ".earlier", ".earlier/roe"])
@pytest.mark.parametrize("kind", ["a link", "a pipe"])
def test_nothing_is_written_through_what_a_stranger_has_put_into_a_class_folder(
    gather: Gather, class_: Path, tmp_path: Path, name: str, kind: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (class_ / name).parent.mkdir(parents=True)
    if kind == "a link":
        (class_ / name).symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(class_ / name)
    with pytest.raises(BadDownload, match=f"{name} is a link or a pipe: remove it"):
        gather({"roe_102_3_part1.py": ONE})
    assert not any((tmp_path / "elsewhere").iterdir())
