"""A messy class goes from Canvas's download to Canvas's upload, with decisions and a regrade, and nothing is lost on the way."""

import csv
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, attn_in
from messy_class import ALL, CLASS, LOST, NAME, PART, RIGHT, Files, canvas, py

from autograder.workspace import Workspace

pytestmark = [pytest.mark.world, pytest.mark.system]

KINDS = [kind for kind, (files, _) in CLASS.items() if sum(map(len, files.values())) < 1_000_000 and len(files) < 100]
"""One of each but the largest."""

NO_ZERO = {
    "nothing in it",
    "another part",
    "another language",
    "a picture",
    "a broken notebook",
    "a document",
    "a broken zip",
    "a rar",
    "an empty zip",
    "nothing",
}
"""What cannot be read as part 1: somebody has to decide, and it is no zero."""

Attn = Callable[..., Run]


def entry(kind: str) -> str:
    return f"student{KINDS.index(kind)}"


def download(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def exported_gradebook() -> str:
    """What Canvas exports: everybody, with no points yet."""
    rows = [f"{entry(kind)},{1_000 + number},A," for number, kind in enumerate(KINDS)]
    header = ["Student,ID,Section,Part 1 (7)", f"    Points Possible,,,{ALL:g}"]
    return "\n".join([*header, *rows]) + "\n"


def uploaded(path: Path) -> dict[str, str]:
    """By kind, the cell that Canvas is given."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))[1:]
    return {KINDS[int(row["ID"]) - 1_000]: row["Part 1 (7)"] for row in rows}


def late_in(summary: Path) -> set[str]:
    """The kinds that the list of all calls late, of those that can be read."""
    rows = csv.DictReader(io.StringIO(summary.read_text(encoding="utf-8")))
    return {KINDS[int(row["student"].removeprefix("student"))] for row in rows if row["late"]} - NO_ZERO


@pytest.fixture
def attn(course: Workspace, class_exam: Path, tmp_path: Path) -> Attn:
    """Run a verb, and see it end as it should."""

    def run(*words: object, code: int = 0) -> Run:
        done = attn_in(course, *map(str, words))
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def test_a_messy_class_goes_from_canvas_to_canvas(attn: Attn, class_exam: Path, tmp_path: Path) -> None:
    taken, results, upload = tmp_path / "class", tmp_path / "results", tmp_path / "upload.csv"
    grade = ("grade", taken, "--out", results, "--exam", class_exam, "--part", NAME)
    canvas_csv = tmp_path / "gradebook.csv"
    canvas_csv.write_text(exported_gradebook(), encoding="utf-8")
    export = ("export", results, "--format", "canvas", "--canvas", canvas_csv, "--out", upload)
    assert len(KINDS) >= 100

    # the first time
    everything = {
        name: data for number, kind in enumerate(KINDS) for name, data in canvas(number, CLASS[kind][0]).items()
    }
    attn("collect", download(tmp_path / "submissions.zip", everything), "--out", taken, "--part", NAME)
    marked = attn(*grade, code=3)
    assert f"{len(KINDS)} of {len(KINDS)} submissions marked" in marked.stdout
    assert late_in(results / "summary.csv") == {kind for kind in KINDS[::5] if kind not in NO_ZERO}
    attn("report", results, "--out", tmp_path / "report.html")
    attn(*export, "--column", f"{NAME}=Part 1")
    expected = {kind: "" if kind in NO_ZERO else f"{CLASS[kind][1]:g}" for kind in KINDS}
    assert uploaded(upload) == expected

    # what a person decides
    oral, ill, kind_of_right = "a broken zip", "a document", "prints"
    lost = next(step.points for step in PART.steps if step.name == LOST)
    decisions = [
        "student,part,step,points,excused,reason",
        f"{entry(oral)},{NAME},,0,,nothing came",
        f"{entry(ill)},{NAME},,,yes,ill",
        f"{entry(kind_of_right)},{NAME},{LOST},1,,copied from the board",
    ]
    (results / "adjustments.csv").write_text("\n".join(decisions) + "\n", encoding="utf-8")
    attn(*export, "--column", f"{NAME}=Part 1")
    decided = expected | {oral: "0", ill: "EX", kind_of_right: f"{ALL - lost + 1:g}"}
    assert uploaded(upload) == decided

    # one of them hands in after all
    number = KINDS.index(oral)
    late = {f"student{number}_LATE_{1_000 + number}_{99_000}_{NAME}-1.py": py(RIGHT)[f"{NAME}.py"]}
    attn("collect", download(tmp_path / "later.zip", late), "--out", taken, "--part", NAME)
    again = attn(*grade, code=3)
    assert f"1 of {len(KINDS)} submissions marked" in again.stdout
    assert re.search(rf"{entry(oral)} +a new attempt of {NAME} has come after line 2 of the adjustments", again.stdout)
    attn(*export, "--column", f"{NAME}=Part 1")
    assert uploaded(upload) == decided  # until somebody has looked

    (results / "adjustments.csv").write_text("\n".join(decisions[:1] + decisions[2:]) + "\n", encoding="utf-8")
    done = attn(*export, "--column", f"{NAME}=Part 1")
    assert uploaded(upload) == decided | {oral: f"{ALL:g}"}
    assert "new attempt" not in done.stderr
    attn("report", results, "--out", tmp_path / "report.html")
    assert "copied from the board" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert {path.name for path in (results / "superseded").iterdir()}
