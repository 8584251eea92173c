"""`attn similar`: class folders go in; who is alike, and a page of it, come out."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from natural import natural_submissions

from autograder.cli.similar import similar
from autograder.workspace import Workspace

PART = "part5_inference"


def run(course: Workspace, *words: object) -> Result:
    return CliRunner().invoke(similar, list(map(str, words)), obj=course)


@pytest.fixture
def class_(course: Workspace, tmp_path: Path) -> Path:
    """People who have never met, each with steps of one part, and a copy of one of them."""
    texts: dict[str, str] = {}
    for one in natural_submissions():
        if one.part == PART:
            name = one.name.partition("-")[0]
            texts[name] = texts.get(name, "") + one.code
    for name, text in texts.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / f"{PART}.py").write_text(text, encoding="utf-8")
    return tmp_path / "class"


def people(class_: Path) -> int:
    return len(list(class_.iterdir()))


def disguised(text: str) -> str:
    """Return code in which names are others, and comments and empty lines stand between the lines."""
    names = {"keys": "k_mat", "values": "v_mat", "queries": "q_mat", "scores": "logits", "weights": "probs", "x": "inp"}
    for name, other in names.items():
        text = re.sub(rf"(?<![.\w\"']){name}\b", other, text)
    return text.replace("\n    return", "\n\n    # the result\n    return")


def copied(class_: Path, name: str, copy: str) -> None:
    (class_ / copy).mkdir()
    text = (class_ / name / f"{PART}.py").read_text(encoding="utf-8")
    (class_ / copy / f"{PART}.py").write_text(disguised(text), encoding="utf-8")


def test_people_who_have_never_met_are_not_alike(course: Workspace, class_: Path) -> None:
    done = run(course, class_)

    assert done.exit_code == 0, done.output
    assert f"Of {people(class_)} submissions no two are more alike than chance makes them." in done.output


def test_a_disguised_copy_is_told(course: Workspace, class_: Path) -> None:
    copied(class_, "unseen1", "copy")
    done = run(course, class_)

    assert f"Of {people(class_)} submissions 1 pair is more alike than chance makes them." in done.output
    assert "copy, unseen1" in done.output


def test_a_notebook_is_compared_too(course: Workspace, class_: Path) -> None:
    text = disguised((class_ / "unseen1" / f"{PART}.py").read_text(encoding="utf-8"))
    cell: dict[str, object] = {
        "cell_type": "code",
        "source": text,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    (class_ / "copy").mkdir()
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    (class_ / "copy" / f"{PART}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    assert "copy, unseen1" in run(course, class_).output


def test_an_earlier_class_is_named_by_its_folder(course: Workspace, class_: Path, tmp_path: Path) -> None:
    copied(class_, "unseen1", "copy")
    (tmp_path / "2025").mkdir()
    (class_ / "copy").rename(tmp_path / "2025" / "ada")

    assert "unseen1, 2025/ada" in run(course, class_, "--earlier", tmp_path / "2025").output


def test_who_handed_in_the_solutions_is_told_so(course: Workspace, class_: Path) -> None:
    (class_ / "ada").mkdir()
    text = course.course.solution(PART).read_text(encoding="utf-8").replace("### BEGIN SOLUTION", "")
    (class_ / "ada" / f"{PART}.py").write_text(text, encoding="utf-8")

    assert "As in solutions/, more than chance makes them: ada." in run(course, class_).output


def test_tiny_steps_are_said_to_tell_nothing(course: Workspace, class_: Path) -> None:
    told = next(line for line in run(course, class_).output.splitlines() if line.startswith("Likeness means nothing"))

    assert "in 4 of" in told or "steps:" in told


def test_the_page_has_the_pair_side_by_side(course: Workspace, class_: Path, tmp_path: Path) -> None:
    copied(class_, "unseen1", "copy")
    run(course, class_, "--out", tmp_path / "similar.html")
    page = (tmp_path / "similar.html").read_text(encoding="utf-8")

    assert "<bdi>copy</bdi> and <bdi>unseen1</bdi>" in page
    assert "q_mat" in page
    assert "default-src 'none'" in page


def test_what_a_student_wrote_is_text_on_the_page(course: Workspace, class_: Path, tmp_path: Path) -> None:
    path = class_ / "unseen1" / f"{PART}.py"
    path.write_text(path.read_text(encoding="utf-8").replace("return", "'<script>'; return"), encoding="utf-8")
    copied(class_, "unseen1", "copy")
    run(course, class_, "--out", tmp_path / "similar.html")

    assert "<script" not in (tmp_path / "similar.html").read_text(encoding="utf-8")


def test_a_folder_of_marks_is_refused(course: Workspace, tmp_path: Path) -> None:
    (tmp_path / "results" / "marks").mkdir(parents=True)
    done = run(course, tmp_path / "results")

    assert done.exit_code == 2
    assert "give the class folder that was marked" in done.output


def test_who_has_nothing_to_compare_is_named(course: Workspace, class_: Path) -> None:
    (class_ / "eve").mkdir()
    (class_ / "eve" / f"{PART}.py").write_text("def rotate(:\n", encoding="utf-8")

    assert f"1 of {people(class_)} have nothing that can be compared: eve." in run(course, class_).output
