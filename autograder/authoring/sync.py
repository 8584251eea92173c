"""Making everything that is made from `solutions/` and the course data, and finding what has drifted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.atomic_write import atomic_write
from autograder.authoring.course_name import headed
from autograder.exam.build import build_exam, make_syllabus
from autograder.exam.files import NotAnExam, digest_of_sources, read_exam, write_exam
from autograder.exam.model import Exam, Scope, joined, restricted_to
from autograder.exam.syllabus import Syllabus, SyllabusPart, load, to_json
from autograder.workspace import Workspace

PRACTICE_SEED = 1


@dataclass(frozen=True)
class Product:
    """One file that is made from the source. problem: empty if the file is as it should be."""

    path: Path
    problem: str


def check(workspace: Workspace, scope: Scope = None) -> list[Product]:
    """Compare texts with what would be made now, and the exam's digests with those of the sources. Writes nothing.

    scope: the paths of the steps that are checked.
    """
    syllabus = _syllabus(workspace, scope)
    products = [Product(path, _drift_of_text(path, text)) for path, text in _texts(workspace, syllabus, scope).items()]
    return [*products, Product(workspace.practice_exam, _drift_of_exam(workspace, syllabus, scope))]


def sync(workspace: Workspace, scope: Scope = None) -> list[Product]:
    """Make every file that has drifted. A stub that somebody has written in is kept and named in its product's problem.

    scope: the steps of the parts that are made; the files keep what they hold of the others.
    """
    syllabus = _syllabus(workspace, scope)
    if _drift_of_exam(workspace, syllabus, scope):
        write_exam(_exam(workspace, syllabus, scope), workspace.practice_exam)
    earlier = _earlier_stubs(workspace)
    products = []
    for path, text in _texts(workspace, syllabus, scope).items():
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
        atomic_write(path.resolve(), text.encode())
        products.append(Product(path, ""))
    return [*products, Product(workspace.practice_exam, "")]


def of_no_part(workspace: Workspace) -> list[Product]:
    """Return the exercises that stay behind when a part is taken out of the course. They may hold work, so nobody deletes them."""
    parts = workspace.course.parts
    problem = "belongs to no part that course.toml names: delete it, or name its part there"
    found = (path for path in sorted(workspace.exercises.glob("*.py")) if path.stem not in parts)
    return [Product(path, problem) for path in found]


def _syllabus(workspace: Workspace, scope: Scope) -> Syllabus:
    """Return the syllabus of the course. Parts of which no step is in scope are as the file has them."""
    made = make_syllabus(workspace.course)
    if scope is None:
        return made
    others = {part.name: part for part in _earlier_parts(workspace)}
    parts = (part if _is_in(scope, part.name) else others.get(part.name) for part in made.parts)
    return replace(made, parts=tuple(part for part in parts if part))


def _texts(workspace: Workspace, syllabus: Syllabus, scope: Scope) -> dict[Path, str]:
    stubs = {workspace.exercise(part.name): part.stub for part in syllabus.parts if _is_in(scope, part.name)}
    return stubs | {workspace.syllabus: to_json(syllabus)} | headed(workspace.root, workspace.course.title)


def _is_in(scope: Scope, part: str) -> bool:
    """Return whether any step of a part is in scope."""
    return scope is None or any(path.startswith(f"{part}.") for path in scope)


def _earlier_stubs(workspace: Workspace) -> Mapping[Path, str]:
    """Return the stubs as they were made last time: a file equal to one of them holds no work."""
    return {workspace.exercise(part.name): part.stub for part in _earlier_parts(workspace)}


def _earlier_parts(workspace: Workspace) -> tuple[SyllabusPart, ...]:
    try:
        return load(workspace.syllabus).parts
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _drift_of_text(path: Path, text: str) -> str:
    if not path.exists():
        return "does not exist"
    return "" if path.read_text(encoding="utf-8") == text else "differs from what the source makes"


def _drift_of_exam(workspace: Workspace, syllabus: Syllabus, scope: Scope) -> str:
    try:
        exam = read_exam(workspace.practice_exam)
    except NotAnExam as error:
        return str(error)
    stale = _stale(workspace, exam, syllabus, scope)
    if stale or exam.syllabus != syllabus:
        return f"was made from other sources{': ' if stale else ''}{', '.join(sorted(stale))}"
    return ""


def _stale(workspace: Workspace, exam: Exam | None, syllabus: Syllabus, scope: Scope) -> set[str]:
    """Return the paths of the steps in scope that an exam holds as made from other sources, or not at all."""
    wanted = {step.path for step in syllabus.steps} & {*(scope or (step.path for step in syllabus.steps))}
    parts = {path.partition(".")[0] for path in wanted}
    digests = {part: digest_of_sources(workspace.course, part) for part in parts}
    known = exam.made_from if exam else {}
    return {path for path in wanted if known.get(path) != digests[path.partition(".")[0]]}


def _exam(workspace: Workspace, syllabus: Syllabus, scope: Scope) -> Exam:
    """Set the practice exam on the steps that are stale. The others are as the file has them."""
    try:
        earlier = read_exam(workspace.practice_exam)
    except NotAnExam:
        earlier = None
    stale = _stale(workspace, earlier, syllabus, scope)
    made = build_exam(workspace.course, PRACTICE_SEED, scope=stale)
    paths = [step.path for step in syllabus.steps]
    return joined(syllabus, [restricted_to(made if path in stale else earlier or made, {path}) for path in paths])
