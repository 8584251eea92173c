"""`attn similar`: class folders go in; pairs in their order, and a page of them, come out."""

import ast
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, attn_in
from disguise import disguised

from autograder.authoring import alternatives
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

PART = "part4_multihead"


def run(course: Workspace, *words: object) -> Run:
    return attn_in(course, "similar", *map(str, words))


def hand_in(folder: Path, text: str, part: str = PART) -> None:
    folder.mkdir(parents=True)
    (folder / f"{part}.py").write_text(text, encoding="utf-8")


def class_of(course: Workspace, folder: Path, part: str = PART, number: int = 12) -> Path:
    """Write a class that has handed in one part, each step in one of the known ways, whatever the others do."""
    tree = ast.parse(course.course.solution(part).read_text(encoding="utf-8"))
    ways = {one.name: [ast.unparse(one)] for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    for one in alternatives.read(part, course.root / "course" / part / "alternatives.py"):
        ways[one.step].append(one.text)
    chance = random.Random(0)
    for student in range(number):
        hand_in(folder / f"s{student:02}", "\n\n".join(chance.choice(several) for several in ways.values()), part)
    return folder


@pytest.fixture
def class_(course: Workspace, tmp_path: Path) -> Path:
    return class_of(course, tmp_path / "class")


def text_of(class_: Path, name: str, part: str = PART) -> str:
    return (class_ / name / f"{part}.py").read_text(encoding="utf-8")


def pairs(done: Run) -> list[set[str]]:
    """Return the names of each pair of the table, in order."""
    assert done.returncode == 0, done.stderr
    rows = done.stdout.partition("closest in\n")[2].splitlines()[:-1]
    return [set(re.split(" {2,}", row)[:2]) for row in rows]


@pytest.mark.parametrize("disguise", [str, disguised])
def test_a_copy_is_in_the_first_pair(course: Workspace, class_: Path, disguise: Callable[[str], str]) -> None:
    hand_in(class_ / "unseen0, unseen2", disguise(text_of(class_, "s07")))

    assert pairs(run(course, class_))[0] == {"unseen0, unseen2", "s07"}


def test_a_copy_in_a_notebook_of_an_earlier_class_is_in_the_first_pair(
    course: Workspace, class_: Path, tmp_path: Path
) -> None:
    cell = {"cell_type": "code", "source": disguised(text_of(class_, "s07")), "metadata": {}, "outputs": []}
    (tmp_path / "2025" / "ada").mkdir(parents=True)
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell | {"execution_count": None}]}
    (tmp_path / "2025" / "ada" / f"{PART}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    assert pairs(run(course, class_, "--earlier", tmp_path / "2025"))[0] == {"2025/ada", "s07"}


def test_a_copy_in_a_module_beside_the_part_is_in_the_first_pair_and_on_the_page(
    course: Workspace, class_: Path, tmp_path: Path
) -> None:
    text = text_of(class_, "s07")
    names = re.findall(r"(?m)^(?:def|class) (\w+)", text)
    hand_in(class_ / "copy", "import mine\n" + "".join(f"{name} = mine.{name}\n" for name in names))
    (class_ / "copy" / "mine.py").write_text(f"# of mine\n{text}", encoding="utf-8")

    assert pairs(run(course, class_, "--out", tmp_path / "similar.html"))[0] == {"copy", "s07"}
    assert "# of mine" in (tmp_path / "similar.html").read_text(encoding="utf-8")


def test_the_solutions_do_not_count(course: Workspace, class_: Path) -> None:
    for name in ("ada", "bob"):
        hand_in(class_ / name, course.course.solution(PART).read_text(encoding="utf-8"))
    done = run(course, class_)

    assert pairs(done)
    assert "ada" not in done.stdout
    assert "bob" not in done.stdout


def test_the_page_shows_both_codes_as_text_with_what_few_have_marked(
    course: Workspace, class_: Path, tmp_path: Path
) -> None:
    odd = "# <script> \x1b[8m hidden \u202e words \x1b]52;c;aGk=\x07 of nobody else"
    for name in ("ada", "bob"):
        hand_in(class_ / name, f"{odd}\n{text_of(class_, 's07')}")
    run(course, class_, "--out", tmp_path / "similar.html")
    page = (tmp_path / "similar.html").read_text(encoding="utf-8")

    assert "<bdi>ada</bdi> and <bdi>bob</bdi>" in page
    assert page.count("<mark># &lt;script&gt; [8m hidden  words ]52;c;aGk= of nobody else</mark>") >= 2
    assert "default-src 'none'" in page
    assert not set(page) & set("\x1b\x07\u202e")


UNREAD = {"line 1 is not Python": "def split_heads(:\n", "bytes": "#" * 200_000}


@pytest.mark.world
@pytest.mark.parametrize(("reason", "text"), UNREAD.items(), ids=UNREAD)
def test_code_that_is_not_followed_is_named_with_the_reason(
    course: Workspace, class_: Path, tmp_path: Path, reason: str, text: str
) -> None:
    hand_in(class_ / "eve", text)
    done = run(course, class_, "--out", tmp_path / "similar.html")

    assert f"eve ({PART}" in done.stderr
    page = (tmp_path / "similar.html").read_text(encoding="utf-8")
    assert re.search(rf"<bdi>eve</bdi>: {PART}: .*{reason}", page)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["results"], "give the class folder that was marked"),
        (["nowhere"], "cannot be read"),
        (["class", "other/class"], "have the same name"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    course: Workspace, class_: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    (tmp_path / "results" / "marks").mkdir(parents=True)
    (tmp_path / "other" / "class" / "ada").mkdir(parents=True)
    done = run(course, *(word if word.startswith("--") else tmp_path / word for word in words))

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
