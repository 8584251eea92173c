"""Finding similar work: how long a class takes, which copies are found, and how many others are told.

Run: python benchmarks/similarity.py [--many N] [--part PART] [--classes N] [--seed N]. Each student writes each step as the solution or an
alternative does, by lot, in a style of their own: names, comments, calls, values on the way. Of each kind of copy there are ten.
"""

import argparse
import ast
import keyword
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from machine import describe_machine

from autograder.authoring import alternatives
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.similarity.compare import compare
from autograder.classroom.similarity.work import Known, compared, given_code, known_ways, reading_many
from autograder.exam.syllabus import Syllabus, SyllabusPart, load
from autograder.submission.reading import read_hand_in
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from disguise import USED, Disguise, without_docstring  # noqa: E402

CLASS = 2_000
COPIES = 10
MEGABYTE = 1024

Ways = dict[str, list[tuple[str, str]]]
"""By step, the label and the text of each right way."""


COMMENTS = """the scores|one row per query|scale|softmax over the keys|the last dimension|weighted sum|mask the future|for numerical stability|
batch first|same shape as the input|now the context|split into heads|put the heads back together|one step at a time|normalise|
avoid inf|first the dot products|largest score of each row|keys as columns|no gradient here|all tokens at once|result|setup|
loop over the tokens|broadcast over the batch|here it becomes a matrix|check the shape|stack them again|as in the lecture|done""".replace(
    "\n", ""
).split("|")
"""What students write beside their code, the most usual first."""


class Style(ast.NodeTransformer):
    """How one student writes: names, calls of the same operation, and which values on the way have a name. Docstrings go."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.functional, self.mT, self.named, self.commented = (chance.random() for _ in range(4))
        namings: list[Callable[[str], str]] = [str, str, str.upper, self.short, self.short, self.suffixed]
        self.naming = chance.choice(namings)
        self.suffix = chance.choice(["_mat", "_t", "2", "_out", "_new", "_", "s"])
        self.odd = ["".join(map(chance.choice, ("bdfgklmnprst", "aeiou", "bdfgklmnprst", "aeiou"))) for _ in range(4)]

    def short(self, name: str) -> str:
        return "".join(word[:1] for word in name.split("_")) or name

    def suffixed(self, name: str) -> str:
        return name + self.suffix

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        stored = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        names: dict[str, str] = {}
        for name in sorted(stored):
            other = self.naming(name) if self.chance.random() < 0.8 else f"{name}_{self.chance.choice(self.odd)}"
            names[name] = name if keyword.iskeyword(other) or other in names.values() or other in USED else other
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in names:
                one.id = names[one.id]
        self.generic_visit(node)
        node.body = [of for one in without_docstring(node.body) for of in self.in_steps(one)]
        return node

    def in_steps(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Return(ast.BinOp() | ast.Call() as value) if self.chance.random() < self.named:
                name = self.chance.choice(["result", "out", "output", "res", "y", "ret", self.odd[0]])
                return [ast.Assign([ast.Name(name, ast.Store())], value), ast.Return(ast.Name(name))]
        return [node]

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult) and self.chance.random() < self.functional:
            return ast.Call(ast.Attribute(ast.Name("torch"), "matmul"), [node.left, node.right], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name("torch"), "softmax" | "exp" | "sum" as name), [first], keywords):
                if self.chance.random() > self.functional:
                    return ast.Call(ast.Attribute(first, name), [], keywords)
            case ast.Call(ast.Attribute(first, "transpose"), [ast.UnaryOp(), ast.UnaryOp()], []):
                if self.chance.random() < self.mT:
                    return ast.Attribute(first, "mT")
        return node

    def written(self, text: str) -> str:
        """Return a step in this style, with comments."""
        tree = ast.fix_missing_locations(self.visit(ast.parse(text)))
        lines = []
        for line in ast.unparse(tree).split("\n"):
            if line.startswith("    ") and self.chance.random() < self.commented / 3:
                lines.append(line[: len(line) - len(line.lstrip())] + f"# {self.comment()}")
            lines.append(line)
        return "\n".join(lines)

    def comment(self) -> str:
        one = COMMENTS[min(int(self.chance.expovariate(0.1)), len(COMMENTS) - 1)]
        return one if self.chance.random() < 0.7 else f"{one} {self.chance.choice(self.odd)}"


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


def write_class(
    folder: Path, number: int, parts: Sequence[SyllabusPart], ways: Ways, seed: int = 0
) -> dict[str, set[frozenset[str]]]:
    """Write a class of so many, and return who has the work of whom, by the kind of copy."""
    chance = random.Random(seed)
    for student in range(number):
        own, style = folder / f"s{student:04}", Style(chance)
        own.mkdir()
        for part in parts:
            texts = (style.written(lot(chance, ways[step.path])) for step in part.steps)
            (own / f"{part.name}.py").write_text("\n\n\n".join(texts), encoding="utf-8")
    kinds: dict[str, tuple[Sequence[SyllabusPart] | None, Callable[[str], str]]] = {
        "all parts, disguised": (parts, disguised),
        "one part, disguised": (None, disguised),
        "one part, as it is": (None, str),
    }
    copied: dict[str, set[frozenset[str]]] = {kind: set() for kind in kinds}
    students = list(range(number))
    chance.shuffle(students)
    for place, kind in enumerate(list(kinds) * min(COPIES, number // 40)):
        of, disguise = kinds[kind]
        source, copy = (folder / f"s{student:04}" for student in students[2 * place : 2 * place + 2])
        for part in of or [parts[place % len(parts)]]:
            text = (source / f"{part.name}.py").read_text(encoding="utf-8")
            (copy / f"{part.name}.py").write_text(disguise(text), encoding="utf-8")
        copied[kind].add(frozenset((source.name, copy.name)))
    return copied


def disguised(text: str) -> str:
    return ast.unparse(ast.fix_missing_locations(Disguise().visit(ast.parse(text))))


def lot(chance: random.Random, ways: list[tuple[str, str]]) -> str:
    return ways[0][1] if chance.random() < 0.3 else chance.choice(ways)[1]


def main() -> None:
    """Write classes, compare them, and print what was found and how long it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--many", type=int, default=CLASS)
    parser.add_argument("--part", help="the one that was handed in; all without")
    parser.add_argument("--classes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of the first class")
    given = parser.parse_args()
    print(describe_machine())
    workspace = Workspace(ROOT)
    syllabus = load(workspace.syllabus)
    parts = [syllabus.part(given.part)] if given.part else syllabus.parts
    for seed in range(given.seed, given.seed + given.classes):
        measure(given.many, syllabus, parts, ways_of(workspace, syllabus), seed)


def measure(many: int, syllabus: Syllabus, parts: Sequence[SyllabusPart], ways: Ways, seed: int) -> None:
    """Write a class, compare it, and print what was found and how long it took."""
    with tempfile.TemporaryDirectory() as place:
        copied = write_class(Path(place), many, parts, ways, seed)
        begun = time.process_time()
        pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs/lectures").glob("*.md")]
        given = given_code(syllabus, pages)
        known = known_ways(
            (Known(step, label, text) for step, several in ways.items() for label, text in several), syllabus, given
        )
        with reading_many():
            people = [
                compared(read_hand_in(entry.path, entry.student, syllabus.parts), syllabus, given)
                for entry in read_class_folder(Path(place)).entries
            ]
        read = time.process_time()
        similarity = compare(people, [], syllabus, known)
        end = time.process_time()
    told = {frozenset((pair.one, pair.other)) for pair in similarity.pairs if pair.beyond_chance}
    listed = {frozenset((pair.one, pair.other)) for pair in similarity.pairs}
    print(f"{many:,} submissions: read {read - begun:.1f} s, compared {end - read:.1f} s of one core")
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE:,.0f} MB")
    for kind, pairs in copied.items():
        print(f"copies of {kind}: {len(told & pairs)} of {len(pairs)} told, {len(listed & pairs)} listed")
    print(f"others told: {len(told.difference(*copied.values()))}")
    nothing = sum(not step.can_tell for step in similarity.steps)
    print(f"likeness means nothing in {nothing} of {len(similarity.steps)} steps")


if __name__ == "__main__":
    main()
