"""Rank pairs of submissions by the code that both have and few others have. No code is run.

A trait is a feature of code. There are three kinds. A computed trait is the operations of one
expression, without names and order. A written trait is a statement without its names. A worded
trait is a comment, a name or a line.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from jaxtyping import Float

from autograder.classroom.report.pages import templates
from autograder.exam.syllabus import Syllabus
from autograder.grading.grade import clean
from autograder.submission.model import Submission
from autograder.submission.parsed import ParsedModule

LARGEST = 300
"""The most nodes of an expression that are searched for operations, to limit the time."""

DIFFERENCE = 8
"""Added to the weight of what two submissions do not share: short submissions are often alike."""

FEW = 0.1
"""A trait is rare if at most this share of submissions has it, or if only two have it."""

MOST_PAIRS, MOST_SHOWN, MOST_PARTS = 100, 30, 3
"""The most pairs in the list, pairs whose code is shown, and parts that are shown of a pair."""

AT_ONCE = 4_096
"""The number of traits that are compared at once, to limit the memory."""

SAME = {
    **dict.fromkeys(("T", "mT", "t", "swapaxes", "swapdims", "permute"), "transpose"),
    **dict.fromkeys(("MatMult", "mm", "bmm", "mv", "dot", "inner"), "matmul"),
    **dict.fromkeys(("view", "flatten", "unflatten"), "reshape"),
    **dict.fromkeys(("Gt", "Lt", "GtE"), "LtE"),
    **{"Mult": "mul", "Div": "div", "Add": "add", "Sub": "sub", "sqrt": "Pow", "pow": "Pow", "size": "shape"},
}
"""Names of operations, each with the name under which the operation is counted."""

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Weights = Float[np.ndarray, "people everybody"]

Traits = dict[int, int]
"""Hashes of traits of one kind, each with the number of the line that has the trait."""

KINDS = range(3)
NOTHING: Sequence[Traits] = ({}, {}, {})
"""The computed, written and worded traits of a part that is missing: none."""


def of_code(module: ParsedModule) -> tuple[Traits, Traits]:
    """Return the computed and the written traits of a module."""
    computed: Traits = {}
    written: Traits = {}
    for node in chain.from_iterable(map(ast.walk, module.statements)):
        if isinstance(node, ast.expr):
            operations = _operations(node)
            computed |= {hash(operations): node.lineno} if len(operations) > 1 else {}
        elif isinstance(node, ast.stmt) and not isinstance(node, DEFINITIONS):
            shapes = [_shape(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
            whole = " ".join((type(node).__name__, *shapes))
            written |= {hash(shape): node.lineno for shape in (*shapes[-1:], whole) if shapes}
    return computed, written


def _operations(node: ast.expr) -> tuple[str, ...]:
    """Return the operations and constants of an expression, sorted."""
    found = []
    for one in islice(ast.walk(node), LARGEST):
        match one:
            case ast.Call(ast.Name(name)) | ast.Attribute(_, name):
                found.append(name)
            case ast.BinOp() | ast.UnaryOp():
                found.append(type(one.op).__name__)
            case ast.Compare():
                found += [type(operator).__name__ for operator in one.ops]
            case ast.Constant(value):
                found.append(repr(value))
            case ast.Subscript() | ast.ListComp():
                found.append(type(one).__name__)
    return tuple(sorted(SAME.get(operation, operation) for operation in found))


def _shape(node: ast.expr) -> str:
    """Return the structure of an expression as text, without names of variables."""
    found = []
    for one in ast.walk(node):
        word = one.attr if isinstance(one, ast.Attribute) else repr(one.value) if isinstance(one, ast.Constant) else ""
        found.append(f"{type(one).__name__} {word}")
    return " ".join(found)


def worded(text: str) -> Traits:
    """Return the worded traits of a text: its comments, its names, and its lines without spaces."""
    found: Traits = {}
    for number, line in enumerate(text.split("\n"), start=1):
        code, _, comment = line.partition("#")
        phrases = ["".join(code.split()), f"# {' '.join(comment.lower().split())}", *re.findall(r"[^\W\d]\w*", code)]
        found |= {hash(phrase): number for phrase in phrases if len(phrase) > 2}
    return found


@dataclass(frozen=True)
class Compared:
    """A submission and its traits. code: by part, the code that the part imports and its own code.

    traits: by part, one dict for each kind. unread: by part, why some code could not be compared.
    """

    name: str
    code: Mapping[str, str]
    traits: Mapping[str, Sequence[Traits]]
    unread: Mapping[str, str]


class Given:
    """Leaves out traits that students may have copied from the course.

    If a part's solution has all computed traits of the part, only the part's worded traits count.
    Worded traits in solutions, stubs, hints or pages never count. solutions: texts by part. pages:
    texts.
    """

    def __init__(self, syllabus: Syllabus, solutions: Mapping[str, str], pages: Iterable[str]) -> None:
        self._parts = syllabus.parts
        self._computed = {name: of_code(ParsedModule(text))[0].keys() for name, text in solutions.items()}
        stubs, hints = [part.stub for part in self._parts], [hint for step in syllabus.steps for hint in step.hints]
        self._worded = set(chain.from_iterable(map(worded, [*solutions.values(), *stubs, *hints, *pages])))

    def compared(self, submission: Submission) -> Compared:
        """Return a submission with the traits that are not from the course."""
        parts = [part.name for part in self._parts if part.name in submission.modules]
        unread = {name: failure.message for name, failure in submission.problems.items()}
        code, traits = {}, {}
        for name in parts:
            beside = (source.text for one, source in submission.code_of(name).items() if one not in parts)
            code[name] = "\n".join([*beside, submission.modules[name].text])
            module = ParsedModule(code[name])
            computed, written = of_code(module)
            unread |= {name: f"line {module.error.lineno} is not Python"} if module.error else {}
            if computed.keys() <= self._computed.get(name, set()):
                computed, written = {}, {}
            wording = {one: line for one, line in worded(code[name]).items() if one not in self._worded}
            traits[name] = (computed, written, wording)
        return Compared(submission.name, code, traits, unread)


@dataclass(frozen=True)
class Pair:
    """Two submissions, and how close they are.

    closeness: for each kind of traits, in standard deviations above the mean of all pairs. lines: by
    part, closest first, the numbers of each submission's lines with shared rare traits (see FEW).
    """

    one: Compared
    other: Compared
    closeness: Sequence[float]
    lines: Mapping[str, tuple[set[int], set[int]]]


def ranked(people: Sequence[Compared], others: Sequence[Compared] = ()) -> list[Pair]:
    """Return the closest pairs, closest first. At least one submission of each pair is from `people`."""
    everybody = [*people, *others]
    parts = sorted({part for one in people for part in one.traits})
    if not parts:
        return []
    of_kinds = [[[one.traits.get(part, NOTHING)[kind] for one in everybody] for part in parts] for kind in KINDS]
    held = [[Counter(chain.from_iterable(traits)) for traits in of_parts] for of_parts in of_kinds]
    closeness = np.array([_closeness(*one, len(people)) for one in zip(of_kinds, held, strict=True)])
    rows, columns = np.triu_indices(len(people), 1, len(everybody))
    highest = closeness.max(axis=(0, 1))[rows, columns]
    pairs = []
    for index in np.argsort(-highest, kind="stable")[:MOST_PAIRS]:
        if highest[index] > 0:
            one, other = int(rows[index]), int(columns[index])
            of_pair = closeness[:, :, one, other]
            order = np.argsort(-of_pair[:, : len(parts)].max(axis=0), kind="stable")[:MOST_PARTS]
            traits = {part: [(of_kinds[kind][part], held[kind][part]) for kind in KINDS] for part in order}
            lines = {parts[part]: _lines(own, one, other) for part, own in traits.items()}
            pairs.append(Pair(everybody[one], everybody[other], of_pair.max(axis=1).tolist(), lines))
    return pairs


def _closeness(
    of_parts: Sequence[Sequence[Traits]], held: Sequence[Counter[int]], people: int
) -> Float[np.ndarray, "parts people everybody"]:
    """Return how close every two submissions are, for each part, and last for all parts together."""
    overlaps = np.array([_overlap(*one, people) for one in zip(of_parts, held, strict=True)])
    overlaps = np.concatenate([overlaps, overlaps.sum(axis=0, keepdims=True)])
    closeness = np.zeros_like(overlaps[:, 0])
    for number, (both, either) in enumerate(overlaps):
        close = np.log2((either + DIFFERENCE) / (either - both + DIFFERENCE))
        pairs = close[np.triu(either > 0, 1)]
        if pairs.size and pairs.std():
            closeness[number] = np.where(either > 0, (close - pairs.mean()) / pairs.std(), 0)
    return closeness


def _overlap(traits: Sequence[Traits], held: Counter[int], people: int) -> tuple[Weights, Weights]:
    """Return, for every two submissions, the weights of shared and of all traits; 0 if one has none."""
    everybody = sum(map(bool, traits))
    weights = {trait: math.log2((everybody + 1) / count) for trait, count in held.items()}
    both = np.zeros((people, len(traits)), dtype=np.float32)
    common = [trait for trait, count in held.items() if count > 1]
    for start in range(0, len(common), AT_ONCE):
        some = common[start : start + AT_ONCE]
        has = np.array([[trait in one for trait in some] for one in traits], dtype=np.float32)
        has *= np.sqrt(np.array([weights[trait] for trait in some], dtype=np.float32))
        both += has[:people] @ has.T
    total = np.array([sum(weights[trait] for trait in one) for one in traits], dtype=np.float32)
    return both, np.where((total[:people, None] > 0) & (total > 0), total[:people, None] + total - both, 0)


def _lines(
    of_kinds: Sequence[tuple[Sequence[Traits], Counter[int]]], one: int, other: int
) -> tuple[set[int], set[int]]:
    """Return the numbers of the lines in which two submissions have a shared rare trait (see FEW)."""
    shared = []
    for traits, held in of_kinds:
        few = max(2, FEW * sum(map(bool, traits)))
        both = (trait for trait in traits[one].keys() & traits[other].keys() if held[trait] <= few)
        shared += [(traits[one][trait], traits[other][trait]) for trait in both]
    return {line for line, _ in shared}, {line for _, line in shared}


def page_of(pairs: Sequence[Pair], people: Sequence[Compared]) -> str:
    """Return an HTML page of the pairs. It shows the code of the first MOST_SHOWN side by side."""
    shown = [(pair, [(part, list(_sides(pair, part))) for part in pair.lines]) for pair in pairs[:MOST_SHOWN]]
    return templates().get_template("similar.html").render(pairs=pairs, shown=shown, people=people, picture_style="")


def _sides(pair: Pair, part: str) -> Iterator[list[tuple[str, bool]]]:
    """Yield for each student the lines of a part, each with True if the line is to be highlighted."""
    for person, marked in zip((pair.one, pair.other), pair.lines[part], strict=True):
        lines = person.code.get(part, "").split("\n")
        yield [(clean(line), number in marked) for number, line in enumerate(lines, start=1)]
