"""What was handed in and cannot be read is told of the part, beside whatever else is there, and no stub stands for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.handed_in import LATE, read_handed_in, write_handed_in
from autograder.classroom.collecting.listed import as_listed
from autograder.exam.syllabus import load
from autograder.submission.model import Submission, Urgency
from autograder.submission.reading import read_hand_in
from autograder.workspace import COURSE

PARTS = load(COURSE.syllabus).parts[:2]
FIRST, SECOND = PARTS
OF_FIRST = f"def {FIRST.steps[0].name}(a, b):\n    return a @ b\n"
OF_SECOND = f"def {SECOND.steps[0].name}(x):\n    return x + 1\n"


def read(out: Path) -> Submission:
    return as_listed(read_hand_in(out / "roe", "roe", PARTS), read_handed_in(out), out, PARTS)


def gather(tmp_path: Path, files: dict[str, str], part: str = "") -> Submission:
    """What is marked of roe once these files have been collected, too."""
    download = tmp_path / f"download{len(list(tmp_path.iterdir()))}"
    download.mkdir()
    for name, text in files.items():
        (download / name).write_text(text)
    collect(download, tmp_path / "class", PARTS, None, part=part)
    return read(tmp_path / "class")


def parts_of(submission: Submission) -> set[str]:
    return submission.modules.keys() & {FIRST.name, SECOND.name}


@pytest.mark.parametrize("name", ["hw.pdf", "hw.rar", "hw.docx", "hw.py"])
@pytest.mark.parametrize("beside", [{}, {"roe_1_8_stub.py": FIRST.stub}], ids=["alone", "beside a stub"])
def test_what_was_handed_in_for_a_part_and_cannot_be_read_is_a_problem_of_it(
    tmp_path: Path, name: str, beside: dict[str, str]
) -> None:
    gather(tmp_path, {f"roe_1_3_{name}": ""}, part=FIRST.name)
    found = gather(tmp_path, {"roe_1_9_part2.py": OF_SECOND, **beside}, part=SECOND.name)

    assert parts_of(found) == {SECOND.name}
    assert f"roe_1_3_{name}" in found.problems[FIRST.name].message


@pytest.mark.parametrize("beside", [{}, {"roe_1_8_stub.py": FIRST.stub}], ids=["alone", "beside a stub"])
def test_what_was_handed_in_for_an_unknown_part_must_be_looked_at(tmp_path: Path, beside: dict[str, str]) -> None:
    gather(tmp_path, {"roe_1_3_hw.pdf": "", "poe_2_4_part1.py": OF_FIRST})
    found = gather(tmp_path, {"roe_1_9_part2.py": OF_SECOND, **beside})

    assert parts_of(found) == {SECOND.name}
    assert [(look.urgency, look.part) for look in found.looks] == [(Urgency.MUST_ACT, "")]
    assert "roe_1_3_hw.pdf" in found.looks[0].says


def test_a_time_that_is_written_by_hand_counts_and_stays(tmp_path: Path) -> None:
    gather(tmp_path, {"roe_LATE_1_3_part1.py": OF_FIRST})
    by_hand = [replace(row, handed_in_at="2026-10-02T09:30:00+02:00") for row in read_handed_in(tmp_path / "class")]
    write_handed_in(tmp_path / "class", by_hand)
    found = gather(tmp_path, {"roe_LATE_1_3_part1.py": OF_FIRST, "roe_1_9_part2.py": OF_SECOND})

    assert found.submitted_at == {FIRST.name: "2026-10-02T09:30:00+02:00", SECOND.name: LATE}
