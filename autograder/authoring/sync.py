"""Make the files that derive from `solutions/` and the course data, and find outdated ones."""

from dataclasses import dataclass, replace
from pathlib import Path

from autograder.atomic_write import write_output
from autograder.exam.build import build_exam, make_syllabus
from autograder.exam.files import NotAnExam, digest_of_sources, read_exam, write_exam
from autograder.exam.model import Exam, Scope, joined, restricted_to
from autograder.exam.syllabus import Syllabus, SyllabusPart, load, to_json
from autograder.workspace import Workspace

PRACTICE_SEED = 1


@dataclass(frozen=True)
class Product:
    """A file made from `solutions/` and the course data. problem: what is wrong with it, or empty."""

    path: Path
    problem: str


def check(workspace: Workspace, scope: Scope = None) -> list[Product]:
    """Return each product, with a problem if it is outdated. Exams are compared by their digests.

    scope: paths of steps. Only the parts of these steps are checked.
    """
    syllabus = _syllabus(workspace, scope)
    products = [Product(path, _drift_of_text(path, text)) for path, text in _texts(workspace, syllabus, scope).items()]
    return [*products, Product(workspace.practice_exam, _drift_of_exam(workspace, syllabus, scope))]


def sync(workspace: Workspace, scope: Scope = None) -> list[Product]:
    """Make every outdated file again, except exercises that somebody has edited.

    scope: paths of steps. Only the parts of these steps are made; the files keep the other parts.
    """
    syllabus, earlier = _syllabus(workspace, scope), _earlier_parts(workspace)
    if _drift_of_exam(workspace, syllabus, scope):
        write_exam(_exam(workspace, syllabus, scope), workspace.practice_exam)
    made_before = {workspace.exercise(part.name): part.stub for part in earlier}
    products = []
    for path, text in _texts(workspace, syllabus, scope).items():
        problem = ""
        is_stub = path.parent == workspace.exercises and path.exists()
        if is_stub and path.read_text(encoding="utf-8") not in (text, made_before.get(path)):
            problem = f"has been edited, so it is kept; `attn reset {path.stem}` puts the stub there, with a backup"
        else:
            write_output(path, text.encode())
        products.append(Product(path, problem))
    return [*products, Product(workspace.practice_exam, "")]


def of_no_part(workspace: Workspace) -> list[Product]:
    """Return the exercises whose parts have left the course. They are kept, as they may contain work."""
    problem = "belongs to no part that course.toml names: delete it, or name its part there"
    found = (path for path in sorted(workspace.exercises.glob("*.py")) if path.stem not in workspace.course.parts)
    return [Product(path, problem) for path in found]


def _syllabus(workspace: Workspace, scope: Scope) -> Syllabus:
    """Return the course's syllabus. Parts out of scope are taken from the present syllabus file."""
    made = make_syllabus(workspace.course)
    others = {part.name: part for part in _earlier_parts(workspace)} if scope is not None else {}
    parts = (part if _is_in(scope, part.name) else others.get(part.name) for part in made.parts)
    return replace(made, parts=tuple(part for part in parts if part))


def _texts(workspace: Workspace, syllabus: Syllabus, scope: Scope) -> dict[Path, str]:
    stubs = {workspace.exercise(part.name): part.stub for part in syllabus.parts if _is_in(scope, part.name)}
    return stubs | {workspace.syllabus: to_json(syllabus)}


def _is_in(scope: Scope, part: str) -> bool:
    return scope is None or any(path.startswith(f"{part}.") for path in scope)


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
        return f"was made from other sources{': ' if stale else ''}{', '.join(stale)}"
    return ""


def _stale(workspace: Workspace, exam: Exam | None, syllabus: Syllabus, scope: Scope) -> list[str]:
    """Return the parts in scope whose sources have changed since an exam was made."""
    known = exam.made_from if exam else {}
    parts = [part for part in syllabus.parts if _is_in(scope, part.name)]
    digests = {part.name: {digest_of_sources(workspace.course, part.name)} for part in parts}
    return [part.name for part in parts if {known.get(step.path) for step in part.steps} != digests[part.name]]


def _exam(workspace: Workspace, syllabus: Syllabus, scope: Scope) -> Exam:
    """Build the exam's parts whose sources have changed, and take the other parts from the old exam."""
    try:
        earlier = read_exam(workspace.practice_exam)
    except NotAnExam:
        earlier = None
    stale = _stale(workspace, earlier, syllabus, scope)
    paths = {part.name: {step.path for step in part.steps} for part in syllabus.parts}
    made = build_exam(workspace.course, PRACTICE_SEED, scope=set[str]().union(*(paths[name] for name in stale)))
    parts = [restricted_to(made if name in stale else earlier or made, own) for name, own in paths.items()]
    return joined(syllabus, parts)
