"""A download becomes attempts in a class folder; nothing is lost, and nothing leads out of it."""

import zipfile
from pathlib import Path

import pytest
from downloads import FIRST, OF_SECOND, ONE, Gather, history, read, students, texts

from autograder.classroom.attempts import ATTEMPT, HANDED_IN, BadHandedIn, attempts_in, read_handed_in
from autograder.classroom.collecting import collect as collecting
from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.platforms import BadDownload


def test_each_student_has_an_attempt_with_all_files(gather: Gather, class_: Path) -> None:
    gather({"doejane_101_1_part1.py": ONE, "doejane_101_2_helper.py": "x = 1", "roe_102_3_work.pdf": ""})

    assert students(class_) == ["doejane", "roe"]
    assert history(class_, "doejane") == [["helper.py", "part1.py"]]
    assert history(class_, "roe") == [["work.pdf"]]
    assert all(ATTEMPT.fullmatch(Path(row.place).name) for row in read_handed_in(class_))


def test_a_later_download_adds_an_attempt_and_changes_none(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE, "poe_103_4_part1.py": ONE})
    before = {path: path.read_bytes() for path in class_.rglob("*.py")}
    told = gather({"roe_LATE_102_9_part1-1.py": ONE + "x = 1", "poe_103_4_part1.py": ONE})

    assert (told.added, told.unchanged, told.late) == (["roe"], ["poe"], ["roe"])
    assert history(class_, "roe") == [["part1.py"], ["part1.py"]]
    assert {path: path.read_bytes() for path in before} == before


def test_an_earlier_download_that_is_collected_later_is_an_earlier_attempt(gather: Gather, class_: Path) -> None:
    gather({"roe_102_9_part1-1.py": ONE + "x = 1"})
    gather({"roe_102_3_part1.py": ONE})

    assert texts(class_, "roe") == {FIRST: ONE + "x = 1"}


def test_a_run_that_was_stopped_is_repeated(gather: Gather, class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"doejane_101_1_part1.py": ONE, "roe_LATE_102_3_part1.py": ONE}

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr(collecting.shutil, "move", stop)
        with pytest.raises(KeyboardInterrupt):
            gather(files)
    gather(files)

    assert [len(attempts_in(class_ / student)) for student in ("doejane", "roe")] == [1, 1]
    assert "late" in read(class_, "roe").submitted_at[FIRST]


def test_a_download_is_read_as_the_zip_that_the_platform_gives(tmp_path: Path, class_: Path) -> None:
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        archive.writestr("roe_102_3_part1.py", ONE)
        archive.writestr("../../roe_102_4_out.py", "x = 1")
    collect(tmp_path / "submissions.zip", class_)

    assert history(class_, "roe") == [["out.py", "part1.py"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "submissions.zip"]


def test_a_list_that_cannot_be_used_is_refused(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    (class_ / HANDED_IN).write_text("who\nroe\n")
    with pytest.raises(BadHandedIn, match="has no column `student`"):
        gather({"roe_102_4_part1-1.py": ONE + "x = 1"})


def test_who_of_the_roster_has_handed_in_nothing_is_reported(gather: Gather) -> None:
    roster = "name,id,login\nJane Doe,101,jd\nPoe,103,poe\n"

    assert gather({"doejane_101_1_a.py": ONE}, roster=roster).absent == ["poe"]
    assert gather({"poe_103_9_b.py": OF_SECOND}, roster=roster).absent == []


def test_a_class_folder_made_by_hand_is_refused_and_left_alone(gather: Gather, class_: Path) -> None:
    (class_ / "ada").mkdir(parents=True)
    (class_ / "ada" / "part1.py").write_text(ONE)

    with pytest.raises(BadDownload, match="ada was not collected"):
        gather({"eve_105_9_part1.py": ONE})

    assert [path.name for path in class_.rglob("*")] == ["ada", "part1.py"]
