"""Finding similar work: how long a class takes, which disguised copies are found, and how many others are told.

Run: python benchmarks/similarity.py [--many N]. Each student writes each step as the solution or an alternative does, by lot; ten
have the work of another, disguised, and ten one part of it.
"""

import argparse
import ast
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from machine import describe_machine

from autograder.authoring import alternatives
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.similarity.compare import compare
from autograder.classroom.similarity.work import Known, compared, given_code, known_ways
from autograder.exam.syllabus import Syllabus, load
from autograder.sitting.reading import read_submission
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
CLASS = 2_000
COPIES = 10
MEGABYTE = 1024

Ways = dict[str, list[tuple[str, str]]]
"""By step, the label and the text of each right way."""


class Disguise(ast.NodeTransformer):
    """Other names for local values, other calls for the same operation, other orders; comments and docstrings go."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        stored = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in stored:
                one.id = f"my_{one.id}"
        self.generic_visit(node)
        node.body = list(exchanged(node.body))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return ast.Call(ast.Attribute(ast.Name("torch"), "matmul"), [node.left, node.right], [])
        return node


def exchanged(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, two neighbours that have nothing to do with each other the other way round."""
    left = [one for one in statements if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    while left:
        first = left.pop(0)
        if (
            left
            and all(isinstance(one, ast.Assign) for one in (first, left[0]))
            and names(first).isdisjoint(names(left[0]))
        ):
            yield left.pop(0)
        yield first


def names(statement: ast.stmt) -> set[str]:
    return {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)} - {"torch", "math", "nn", "F", "self"}


def ways_of(workspace: Workspace, syllabus: Syllabus) -> Ways:
    found: Ways = {}
    for part in syllabus.parts:
        text = (workspace.solutions / f"{part.name}.py").read_text(encoding="utf-8")
        own = {node.name: ast.get_source_segment(text, node) for node in ast.parse(text).body if hasattr(node, "name")}
        for step in part.steps:
            found[step.path] = [("in solutions/", own[step.name] or "")]
        for one in alternatives.read(part.name, workspace.root / "course" / part.name / "alternatives.py"):
            found[f"{one.part}.{one.step}"].append((one.label, one.text.lstrip()))
    return found


def write_class(folder: Path, number: int, syllabus: Syllabus, ways: Ways) -> set[frozenset[str]]:
    """Write a class of so many, and return who has the work of whom."""
    chance = random.Random(0)
    copied = set()
    for student in range(number):
        own = folder / f"s{student:04}"
        own.mkdir()
        for part in syllabus.parts:
            texts = (lot(chance, ways[step.path]) for step in part.steps)
            (own / f"{part.name}.py").write_text("\n\n\n".join(texts), encoding="utf-8")
    for place in range(2 * COPIES):
        source, copy = folder / f"s{2 * place:04}", folder / f"s{number // 2 + place:04}"
        parts = syllabus.parts if place < COPIES else [syllabus.parts[3 + place % 2]]
        for part in parts:
            tree = Disguise().visit(ast.parse((source / f"{part.name}.py").read_text(encoding="utf-8")))
            (copy / f"{part.name}.py").write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
        copied.add(frozenset((source.name, copy.name)))
    return copied


def lot(chance: random.Random, ways: list[tuple[str, str]]) -> str:
    return ways[0][1] if chance.random() < 0.3 else chance.choice(ways)[1]


def main() -> None:
    """Write a class, compare it, and print what was found and how long it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--many", type=int, default=CLASS)
    many = parser.parse_args().many
    print(describe_machine())
    workspace = Workspace(ROOT)
    syllabus = load(workspace.syllabus)
    ways = ways_of(workspace, syllabus)
    with tempfile.TemporaryDirectory() as place:
        copied = write_class(Path(place), many, syllabus, ways)
        begun = time.process_time()
        given = given_code(
            syllabus, [path.read_text(encoding="utf-8") for path in (ROOT / "docs/lectures").glob("*.md")]
        )
        known = known_ways(
            (Known(step, label, text) for step, several in ways.items() for label, text in several), syllabus, given
        )
        people = []
        for entry in read_class_folder(Path(place)).entries:
            people.append(compared(read_submission(entry.path, entry.student, syllabus.parts), syllabus, given))
        read = time.process_time()
        similarity = compare(people, [], syllabus, known)
        end = time.process_time()
    told = {frozenset((pair.one, pair.other)) for pair in similarity.pairs if pair.beyond_chance}
    listed = {frozenset((pair.one, pair.other)) for pair in similarity.pairs}
    whole = {pair for pair in copied if min(pair) < f"s{2 * COPIES:04}"}
    print(f"{many:,} submissions: read {read - begun:.1f} s, compared {end - read:.1f} s of one core")
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE:,.0f} MB")
    print(f"disguised copies found: {len(told & whole)} of {len(whole)} whole, ", end="")
    print(f"{len(told & (copied - whole))} of {len(copied - whole)} of one part", end="")
    print(f" ({len(listed & (copied - whole))} listed); told of others: {len(told - copied)}")
    print(
        f"likeness means nothing in {sum(not step.can_tell for step in similarity.steps)} of {len(similarity.steps)} steps"
    )


if __name__ == "__main__":
    main()
