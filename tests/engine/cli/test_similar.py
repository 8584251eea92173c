"""`attn similar`: class folders go in; who is alike, and a page of it, come out."""

import ast
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from disguise import Disguise
from submissions import natural_submissions

from autograder.authoring import alternatives
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
            name = one.id.partition("-")[0]
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
    assert f"Of {people(class_)} submissions no two are more alike than chance makes them" in done.output


def are_told(one: str, other: str, output: str) -> bool:
    """Return whether a line of the table begins with these two, in whichever order."""
    return re.search(rf"^({one} +{other}|{other} +{one}) +\d", output, re.MULTILINE) is not None


def test_a_disguised_copy_is_told(course: Workspace, class_: Path) -> None:
    copied(class_, "unseen1", "copy")
    done = run(course, class_)

    assert f"Of {people(class_)} submissions 1 pair is more alike than chance makes them." in done.output
    assert are_told("copy", "unseen1", done.output)


def test_an_earlier_class_is_named_by_its_folder(course: Workspace, class_: Path, tmp_path: Path) -> None:
    copied(class_, "unseen1", "copy")
    (tmp_path / "2025").mkdir()
    (class_ / "copy").rename(tmp_path / "2025" / "ada")

    assert are_told("unseen1", "2025/ada", run(course, class_, "--earlier", tmp_path / "2025").output)


def test_who_handed_in_the_solutions_is_told_so(course: Workspace, class_: Path) -> None:
    (class_ / "ada").mkdir()
    text = course.course.solution(PART).read_text(encoding="utf-8").replace("### BEGIN SOLUTION", "")
    (class_ / "ada" / f"{PART}.py").write_text(text, encoding="utf-8")

    assert "As in solutions/, more than chance makes them: ada." in run(course, class_).output


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


WEEKLY = "part4_multihead"


def ways(course: Workspace, part: str) -> dict[str, list[str]]:
    """Return the right ways that the course knows to write each step of a part."""
    text = course.course.solution(part).read_text(encoding="utf-8")
    found = {
        one.name: [ast.unparse(one)] for one in ast.parse(text).body if isinstance(one, ast.FunctionDef | ast.ClassDef)
    }
    for one in alternatives.read(part, course.root / "course" / part / "alternatives.py"):
        found[one.step].append(one.text)
    return found


def weekly(course: Workspace, folder: Path, part: str = WEEKLY, number: int = 40) -> Path:
    """Write a class that has handed in one part, each step in one of the known ways, whatever the others do."""
    chance = random.Random(0)
    known = ways(course, part)
    for student in range(number):
        text = "\n\n".join(chance.choice(several) for several in known.values())
        hand_in(folder / f"s{student:02}", text, part)
    return folder


def hand_in(folder: Path, text: str, part: str = WEEKLY) -> None:
    folder.mkdir(parents=True)
    (folder / f"{part}.py").write_text(text, encoding="utf-8")


def told_pairs(output: str) -> str:
    """Return the table of pairs beyond chance; empty where none is."""
    return "" if "no two are" in output else output.partition("The closest of the others")[0]


def test_a_copy_of_one_part_with_other_names_another_order_and_other_comments_is_told(
    course: Workspace, tmp_path: Path
) -> None:
    class_ = weekly(course, tmp_path / "class")
    text = (class_ / "s07" / f"{WEEKLY}.py").read_text(encoding="utf-8")
    other = ast.unparse(ast.fix_missing_locations(Disguise().visit(ast.parse(text))))
    hand_in(class_ / "copy", re.sub(r"^( *)return", r"\1# and so it is done\n\1return", other, flags=re.MULTILINE))
    done = run(course, class_)

    assert "1 pair is more alike than chance makes them" in done.output
    assert are_told("copy", "s07", told_pairs(done.output))


@pytest.mark.parametrize("part", ["part1_simplified", WEEKLY])
def test_independent_right_solutions_of_one_part_are_not_told(course: Workspace, tmp_path: Path, part: str) -> None:
    assert "no two are more alike than chance" in run(course, weekly(course, tmp_path / "class", part)).output


ODD = """
def wobbel(a, b):
    # teh scroe of two toekns
    return (a * b).sum()


def dot_product(a, b):
    # jsut the helpr
    summ = wobbel(a, b)
    return summ
"""


def test_two_short_hand_ins_letter_for_letter_alike_are_told_with_what_they_share(
    course: Workspace, tmp_path: Path
) -> None:
    part = "part1_simplified"
    class_ = weekly(course, tmp_path / "class", part)
    text = (class_ / "s07" / f"{part}.py").read_text(encoding="utf-8")
    for name in ("ada", "bob"):
        hand_in(class_ / name, text + ODD, part)
    told = told_pairs(run(course, class_).output)

    assert are_told("ada", "bob", told)
    assert "teh scroe" in told


def test_a_copy_in_a_module_beside_the_part_is_told_and_shown(course: Workspace, tmp_path: Path) -> None:
    class_ = weekly(course, tmp_path / "class")
    text = (class_ / "s07" / f"{WEEKLY}.py").read_text(encoding="utf-8")
    names = re.findall(r"(?m)^(?:def|class) (\w+)", text)
    hand_in(class_ / "copy", "import mine\n" + "".join(f"{name} = mine.{name}\n" for name in names))
    (class_ / "copy" / "mine.py").write_text(f"# of mine\n{text}", encoding="utf-8")
    done = run(course, class_, "--out", tmp_path / "similar.html")
    page = (tmp_path / "similar.html").read_text(encoding="utf-8")

    assert are_told("copy", "s07", told_pairs(done.output))
    assert "mine." not in page
    assert "not compared" not in done.output


UNREAD = {
    "nested too deeply": "def split_heads(x):\n    if x: " + "~" * 900 + "0\n",
    "more to read than ever is": "def split_heads(x):\n    "
    + ", ".join(f"a{n}" for n in range(9_000))
    + " = x\n"
    + "    if x: 0\n" * 900,
    "cannot be read": "exec('def split_heads(x): return x')\n",
    "one thing or another": "import random\ndef split_heads(x): return x\nif random.random():\n    def split_heads(x): return x * 2",
}


@pytest.mark.parametrize(("reason", "text"), UNREAD.items(), ids=UNREAD)
def test_work_that_was_not_compared_is_named_with_the_reason(
    course: Workspace, tmp_path: Path, reason: str, text: str
) -> None:
    class_ = weekly(course, tmp_path / "class", number=5)
    hand_in(class_ / "eve", text)
    done = run(course, class_, "--out", tmp_path / "similar.html")
    told = " ".join(done.output.partition("Look at it yourself:")[2].split())
    page = (tmp_path / "similar.html").read_text(encoding="utf-8").partition('<section id="unread">')[2]

    assert "eve" in told
    assert "split_heads" in told.replace(" ", "")
    assert reason in told.replace("\n", " ")
    assert re.search(rf"<bdi>eve</bdi>.*split_heads.*{reason}", page)
    assert "s0" not in page.partition("</section>")[0]
