"""Making everything that is made from `solutions/` and the course data, and finding what has drifted."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autograder import pages
from autograder.authoring.course_name import headed
from autograder.course.answer import Answer, close
from autograder.course.trace import Made
from autograder.exam.agreement import same_answer
from autograder.exam.files import NotAnExam, read_exam, write_exam
from autograder.exam.make_exam import set_exam
from autograder.exam.model import Exam, KeyCase, PaperCase, PaperInput
from autograder.exam.scope import Scope, merged, restricted_to
from autograder.exam.syllabus import load, to_json
from autograder.whole_files import write_whole
from autograder.workspace import Workspace

PRACTICE_SEED = 1

STYLESHEETS = Path(pages.__file__).parent / "stylesheets"
"""Those of what pages of any course draw: `docs/stylesheets` has them, from where a site takes them."""


@dataclass(frozen=True)
class Product:
    """One file that is made from the source. problem: empty if the file is as it should be."""

    path: Path
    problem: str


def check(workspace: Workspace, scope: Scope = None) -> list[Product]:
    """Compare each made file with what would be made now. Writes nothing. scope: the steps that are checked."""
    exam = _made(workspace, scope)
    products = [Product(path, _drift_of_text(path, text)) for path, text in _texts(workspace, exam, scope).items()]
    return [*products, Product(workspace.practice_exam, _drift_of_exam(workspace.practice_exam, exam, scope))]


def sync(workspace: Workspace, scope: Scope = None) -> list[Product]:
    """Make every file again. A stub that somebody has written in is kept and named in its product's problem.

    scope: the steps of the parts that are made; the files keep what they hold of the others.
    """
    exam = _made(workspace, scope)
    earlier = _earlier_stubs(workspace)
    products = []
    for path, text in _texts(workspace, exam, scope).items():
        edited = (
            path.parent == workspace.exercises
            and path.exists()
            and path.read_text(encoding="utf-8") not in (text, earlier.get(path))
        )
        if edited:
            problem = f"has been edited, so it is kept; `attn reset {path.stem}` puts the stub there, with a backup"
            products.append(Product(path, problem))
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path.resolve(), text.encode())
        products.append(Product(path, ""))
    if _drift_of_exam(workspace.practice_exam, exam, scope):
        write_exam(exam, workspace.practice_exam)
    return [*products, Product(workspace.practice_exam, "")]


def of_no_part(workspace: Workspace) -> list[Product]:
    """Return the exercises that stay behind when a part is taken out of the course. They may hold work, so nobody deletes them."""
    parts = workspace.course.parts
    problem = "belongs to no part that course.toml names: delete it, or name its part there"
    found = (path for path in sorted(workspace.exercises.glob("*.py")) if path.stem not in parts)
    return [Product(path, problem) for path in found]


def _made(workspace: Workspace, scope: Scope) -> Exam:
    """Set the practice exam on the steps in scope; of the others it has what the file has, as far as that can be read."""
    course = workspace.course
    exam = set_exam(course, PRACTICE_SEED, scope=scope)
    if scope is None:
        return exam
    try:
        return merged(read_exam(workspace.practice_exam), exam, scope, course.parts)
    except NotAnExam:
        return exam


def _texts(workspace: Workspace, exam: Exam, scope: Scope) -> dict[Path, str]:
    stubs = {workspace.exercise(part.name): part.stub for part in restricted_to(exam, scope).syllabus.parts}
    styles = {
        workspace.root / "docs" / "stylesheets" / path.name: path.read_text(encoding="utf-8")
        for path in sorted(STYLESHEETS.glob("*.css"))
    }
    made = stubs | {workspace.syllabus: to_json(exam.syllabus)} | styles
    return made | headed(workspace.root, workspace.course.title)


def _earlier_stubs(workspace: Workspace) -> Mapping[Path, str]:
    """Return the stubs as they were made last time: a file equal to one of them holds no work."""
    try:
        return {workspace.exercise(part.name): part.stub for part in load(workspace.syllabus).parts}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _drift_of_text(path: Path, text: str) -> str:
    if not path.exists():
        return "does not exist"
    return "" if path.read_text(encoding="utf-8") == text else "differs from what the source makes"


def _drift_of_exam(path: Path, made: Exam, scope: Scope = None) -> str:
    """Compare exams by value: another processor may round the last digit differently. scope: the steps of which cases are compared."""
    try:
        found = read_exam(path)
    except NotAnExam as error:
        return str(error)
    if found.syllabus != made.syllabus:
        return "holds another syllabus than the source makes"
    found, made = restricted_to(found, scope), restricted_to(made, scope)
    if [case.path for case in found.paper.cases] != [case.path for case in made.paper.cases]:
        return "has other cases than the source makes"
    for one, other in zip(found.paper.cases, made.paper.cases, strict=True):
        if not _same_case(one, other, found.key.cases[one.path], made.key.cases[one.path]):
            return f"has another {one.path} than the source makes"
    if _catalogue(found) != _catalogue(made):
        return "knows other mistakes than the source"
    for path_of_case, case in made.key.cases.items():
        if not same_answer(found.key.cases[path_of_case].expected, case.expected, case.tolerance):
            return f"expects another answer to {path_of_case} than the source makes"
        way = found.key.cases[path_of_case].way
        if len(way) != len(case.way) or not all(map(Made.is_same, way, case.way)):
            return f"knows another way to {path_of_case} than the source takes"
    for step, fingerprints in made.key.fingerprints.items():
        for known, earlier in zip(fingerprints, found.key.fingerprints[step], strict=True):
            if not _same_answers(known.answers, earlier.answers, made):
                return f"has another fingerprint of {known.id} than the source makes"
    if _slips(found) != _slips(made):
        return "knows other slips of the reference than the source makes"
    return ""


def _same_case(one: PaperCase, other: PaperCase, key: KeyCase, other_key: KeyCase) -> bool:
    """Compare two cases of one name: what is asked, and how it is judged."""
    terms = (one.seed, one.gradients, key.tolerance, key.shapes, key.labels)
    other_terms = (other.seed, other.gradients, other_key.tolerance, other_key.shapes, other_key.labels)
    if terms != other_terms or one.inputs.keys() != other.inputs.keys():
        return False
    return all(_same_input(value, other.inputs[name]) for name, value in one.inputs.items())


def _same_input(one: PaperInput, other: PaperInput) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return close(one, other, rtol=1e-5, atol=1e-6)
    return type(one) is type(other) and bool(one == other)


def _catalogue(exam: Exam) -> list[tuple[str, str, str]]:
    return [(step, one.id, one.says) for step, known in exam.key.fingerprints.items() for one in known]


def _slips(exam: Exam) -> list[tuple[str, str, str]]:
    return [(step, one.slip, one.says) for step, generated in exam.key.generated.items() for one in generated]


def _same_answers(ones: Mapping[str, Answer], others: Mapping[str, Answer], exam: Exam) -> bool:
    return ones.keys() == others.keys() and all(
        same_answer(answer, others[path], exam.key.cases[path].tolerance) for path, answer in ones.items()
    )
