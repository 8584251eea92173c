"""A class in which nobody's text is another's: each step by lot as the solution, an alternative, a known mistake or a student wrote it."""

import ast
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from submissions import natural_submissions  # noqa: E402

from autograder.authoring import alternatives  # noqa: E402
from autograder.authoring.trial import text_with  # noqa: E402
from autograder.exam.model import Exam  # noqa: E402
from autograder.workspace import Workspace  # noqa: E402

WRONG = 0.15
"""The share of steps that are written as a mistake or a wrong student wrote them."""

SPELLINGS = ("{}", "my_{}", "{}_", "the_{}")
"""What local values are called, by how they are called where the text comes from."""


@dataclass(frozen=True)
class Ways:
    """The texts of a step, in every spelling."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]


class Respelled(ast.NodeTransformer):
    """Other names for the local values of functions; parameters and what other statements may name stay."""

    def __init__(self, spelling: str) -> None:
        self._spelling = spelling

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        inside = list(ast.walk(node))
        if any(isinstance(one, ast.ClassDef | ast.Global | ast.Nonlocal) for one in inside):
            return node
        stored = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        local = stored - {one.arg for one in inside if isinstance(one, ast.arg)}
        for one in inside:
            if isinstance(one, ast.Name) and one.id in local:
                one.id = self._spelling.format(one.id)
        return node


def write_class(folder: Path, number: int, workspace: Workspace, exam: Exam) -> list[str]:
    """Write a class of so many, a folder each, and return their names. The same number gives the same class."""
    ways = ways_of(workspace, exam)
    texts = {
        part.name: (workspace.solutions / f"{part.name}.py").read_text(encoding="utf-8") for part in exam.syllabus.parts
    }
    names, seen = [f"s{student:05}" for student in range(number)], set()
    for name in names:
        chance = random.Random(name)
        own = folder / name
        own.mkdir(parents=True)
        modules = {part: "\n\n\n".join(_statements(part, text, ways, chance)) + "\n" for part, text in texts.items()}
        for part, text in modules.items():
            (own / f"{part}.py").write_text(text, encoding="utf-8")
        seen.add(tuple(modules.values()))
    assert len(seen) == number, "two have the same text"
    return names


def ways_of(workspace: Workspace, exam: Exam) -> dict[str, Ways]:
    """Return the ways to write each step, by its path."""
    natural: dict[str, list[str]] = {}
    for one in natural_submissions():
        natural.setdefault(one.step, []).append(one.code)
    found = {}
    for part in exam.syllabus.parts:
        text = (workspace.solutions / f"{part.name}.py").read_text(encoding="utf-8")
        other = alternatives.read(part.name, workspace.root / "course" / part.name / "alternatives.py")
        own = {node.name: ast.unparse(node) for node in ast.parse(text).body if isinstance(node, DEFINITION)}
        for step in part.steps:
            right = [own[step.name], *(one.text for one in other if one.step == step.name)]
            mistakes = [text_with(workspace.course, part.name, one) for one in exam.key.fingerprints.get(step.path, ())]
            found[step.path] = Ways(_respelled(right), _respelled([*mistakes, *natural.get(step.path, ())]))
    return found


DEFINITION = (ast.FunctionDef, ast.ClassDef)


def _respelled(texts: list[str]) -> tuple[str, ...]:
    return tuple(
        ast.unparse(Respelled(spelling).visit(ast.parse(text.strip("\n")))) for text in texts for spelling in SPELLINGS
    )


def _statements(part: str, text: str, ways: dict[str, Ways], chance: random.Random) -> Iterator[str]:
    """Yield the statements of a module, each step in a way of its own."""
    for node in ast.parse(text).body:
        own = ways.get(f"{part}.{node.name}") if isinstance(node, DEFINITION) else None
        if own:
            yield chance.choice(own.wrong if own.wrong and chance.random() < WRONG else own.right)
        else:
            yield ast.get_source_segment(text, node) or ""
