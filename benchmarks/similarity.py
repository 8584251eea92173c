"""Finding similar work: copies among the first pairs of the ranking, by kind, and seconds.

Run: python benchmarks/similarity.py [--many N] [--part PART] [--classes N] [--seed N]. Each student writes each step as the solution or an
alternative does, by lot, in a style of their own: names, comments, calls, values on the way. Of each kind of copy there is one in 40 students.
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
from autograder.classroom.similarity import Given, ranked
from autograder.exam.syllabus import Syllabus, SyllabusPart, load
from autograder.submission.reading import read_hand_in
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from disguise import USED, disguised, extracted, without_docstring  # noqa: E402

FIRST = (20, 50, 100)
"""Pairs that an instructor looks at."""

Ways = dict[str, list[str]]
"""The text of each right way, by step; the solution's first."""

KINDS: dict[str, tuple[bool, Callable[[str], str]]] = {
    "all parts, disguised": (True, disguised),
    "one part, disguised": (False, disguised),
    "one part, as it is": (False, str),
    "all parts, helpers extracted": (True, extracted),
    "one part, helpers extracted": (False, extracted),
}
"""Kinds of copy: all parts or one, and what becomes of the text."""

COMMENTS = """the scores|one row per query|scale|softmax over the keys|the last dimension|weighted sum|mask the future|for numerical stability|
batch first|same shape as the input|now the context|split into heads|put the heads back together|one step at a time|normalise|
avoid inf|first the dot products|largest score of each row|keys as columns|no gradient here|all tokens at once|result|setup|
loop over the tokens|broadcast over the batch|here it becomes a matrix|check the shape|stack them again|as in the lecture|done""".replace(
    "\n", ""
).split("|")
"""Texts that students write beside their code, the most usual first."""


class Style(ast.NodeTransformer):
    """One student's style: names, calls of the same operation, values on the way that have a name. Docstrings go."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.functional, self.mT, self.named, self.commented = (chance.random() for _ in range(4))
        suffix = chance.choice(["_mat", "_t", "2", "_out", "_new", "_", "s"])
        namings: list[Callable[[str], str]] = [str, str, str.upper, initials, initials, lambda name: name + suffix]
        self.naming = chance.choice(namings)
        self.odd = ["".join(map(chance.choice, ("bdfgklmnprst", "aeiou", "bdfgklmnprst", "aeiou"))) for _ in range(4)]

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
                return [ast.Assign([ast.Name(name, ast.Store())], value), ast.Return(ast.Name(name, ast.Load()))]
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
        lines = []
        for line in ast.unparse(ast.fix_missing_locations(self.visit(ast.parse(text)))).split("\n"):
            if line.startswith("    ") and self.chance.random() < self.commented / 3:
                comment = COMMENTS[min(int(self.chance.expovariate(0.1)), len(COMMENTS) - 1)]
                odd = "" if self.chance.random() < 0.7 else f" {self.chance.choice(self.odd)}"
                lines.append(line[: len(line) - len(line.lstrip())] + f"# {comment}{odd}")
            lines.append(line)
        return "\n".join(lines)


def initials(name: str) -> str:
    return "".join(word[:1] for word in name.split("_")) or name


def solution(workspace: Workspace, part: SyllabusPart) -> str:
    return (workspace.solutions / f"{part.name}.py").read_text(encoding="utf-8")


def ways_of(workspace: Workspace, syllabus: Syllabus) -> Ways:
    found: Ways = {}
    for part in syllabus.parts:
        text = solution(workspace, part)
        own = {node.name: ast.get_source_segment(text, node) for node in ast.parse(text).body if hasattr(node, "name")}
        found |= {step.path: [own[step.name] or ""] for step in part.steps}
        for one in alternatives.read(part.name, workspace.root / "course" / part.name / "alternatives.py"):
            found[f"{one.part}.{one.step}"].append(one.text.lstrip())
    return found


def lot(chance: random.Random, ways: list[str]) -> str:
    return ways[0] if chance.random() < 0.3 else chance.choice(ways)


Copies = dict[str, set[frozenset[str]]]
"""The pairs of students of whom one has the work of the other, by the kind of copy."""


def write_class(folder: Path, number: int, parts: Sequence[SyllabusPart], ways: Ways, seed: int = 0) -> Copies:
    """Write a class of so many, copies included."""
    chance = random.Random(seed)
    for student in range(number):
        own, style = folder / f"s{student:04}", Style(chance)
        own.mkdir()
        for part in parts:
            texts = (style.written(lot(chance, ways[step.path])) for step in part.steps)
            (own / f"{part.name}.py").write_text("\n\n\n".join(texts), encoding="utf-8")
    copied: Copies = {kind: set() for kind in KINDS}
    students = [folder / f"s{student:04}" for student in chance.sample(range(number), number)]
    for place, (kind, (whole, disguise)) in enumerate(list(KINDS.items()) * (number // 40)):
        source, copy = students[2 * place : 2 * place + 2]
        for part in parts if whole else [parts[place % len(parts)]]:
            text = (source / f"{part.name}.py").read_text(encoding="utf-8")
            (copy / f"{part.name}.py").write_text(disguise(text), encoding="utf-8")
        copied[kind].add(frozenset((source.name, copy.name)))
    return copied


def main() -> None:
    """Write classes, rank their pairs, and print how many copies are among the first, and seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--many", type=int, default=200)
    parser.add_argument("--part", help="the one that was handed in; all without")
    parser.add_argument("--classes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7001, help="of the first class")
    options = parser.parse_args()
    print(describe_machine())
    workspace = Workspace(ROOT)
    syllabus = load(workspace.syllabus)
    parts = [syllabus.part(options.part)] if options.part else syllabus.parts
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs/lectures").glob("*.md")]
    given = Given(syllabus, {part.name: solution(workspace, part) for part in syllabus.parts}, pages)
    for seed in range(options.seed, options.seed + options.classes):
        with tempfile.TemporaryDirectory() as place:
            copied = write_class(Path(place), options.many, parts, ways_of(workspace, syllabus), seed)
            begun = time.process_time()
            entries = read_class_folder(Path(place)).entries
            people = [given.compared(read_hand_in(one.path, one.student, syllabus.parts)) for one in entries]
            pairs = [frozenset((pair.one.name, pair.other.name)) for pair in ranked(people)]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"seed {seed}, {options.many:,} submissions: {time.process_time() - begun:.1f} s, {memory:,} MB")
        for kind, of_kind in (*copied.items(), ("all", set().union(*copied.values()))):
            found = (f"{len(of_kind.intersection(pairs[:first]))} in the first {first}" for first in FIRST)
            print(f"  {kind}: of {len(of_kind)} copies {', '.join(found)}")


if __name__ == "__main__":
    main()
