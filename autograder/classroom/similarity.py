"""Rank pairs of submissions by the code that both have and few others have. No code is run.

Code is compared by its traits, which are of three kinds. Computed traits are operations with their
operands, without names and layout; code of a helper counts where it is called. Written traits are
statements without names. Worded traits are comments, names and lines.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from jaxtyping import Float

from autograder.classroom.report.pages import templates
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.grade import clean
from autograder.submission.model import Submission
from autograder.submission.parsed import ParsedModule, within

DEPTH = 3
"""The most levels of nested operations in a computed trait."""

MOST_WORK = 50_000
"""The most expressions of a part's code: ten times those of the longest solution."""

DIFFERENCE = 8
"""Added to the weight of what two do not share, because short submissions are often alike."""

FEW = 0.1
"""The largest share of a class that has a rare trait. A trait of only two is always rare."""

MOST_PAIRS, MOST_SHOWN, MOST_PARTS = 100, 30, 3
"""The most pairs in the list, pairs with their code, and parts of a pair."""

AT_ONCE = 4_096
"""Traits that are compared at once, to bound memory."""

SAME = {
    **dict.fromkeys(("T", "mT", "t", "swapaxes", "swapdims", "permute"), "transpose"),
    **dict.fromkeys(("MatMult", "mm", "bmm", "mv", "dot", "inner"), "matmul"),
    **dict.fromkeys(("view", "flatten", "unflatten"), "reshape"),
    **dict.fromkeys(("Gt", "Lt", "GtE"), "LtE"),
    **{"Mult": "mul", "Div": "div", "Add": "add", "Sub": "sub", "sqrt": "Pow", "pow": "Pow", "size": "shape"},
}
"""Other names of operations, each with the name that stands for it."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Weights = Float[np.ndarray, "people everybody"]

Labels = tuple[int, ...]
"""A value: hashes of its operation, alone and with its operands down to each depth."""

Traits = dict[int, int]
"""Hashes of features of code, each with its line."""


KINDS = range(3)
NOTHING: Sequence[Traits] = ({}, {}, {})
"""The computed, written and worded traits of a missing part."""


def leaf(text: str) -> Labels:
    """Return the labels of a value without operands."""
    return (hash(text),) * (DEPTH + 1)


INPUT = leaf("input")


class Reader:
    """Collects the traits of the steps of a part. Code of a helper counts where it is called.

    computed: each operation with its operands. written: each statement without its names.
    """

    def __init__(self, statements: Iterable[ast.stmt], part: SyllabusPart) -> None:
        self.computed: Traits = {}
        self.written: Traits = {}
        self._definitions: dict[str, Function | ast.ClassDef] = {}
        self._open: list[ast.AST] = []
        self._step, self._line, self._left = "", 0, MOST_WORK
        for statement in statements:
            self._define(statement, "")
        steps = {step.name for step in part.steps} & self._definitions.keys()
        self._helpers = self._definitions.keys() - steps
        for step in sorted(steps):
            self._step = step
            self._follow(self._definitions[step], [], {})

    def _define(self, node: ast.AST, owner: str) -> None:
        """Note the definitions in a statement; methods as `self.name`."""
        if isinstance(node, Function | ast.ClassDef):
            self._definitions[owner + node.name] = node
            owner = "self." if isinstance(node, ast.ClassDef) else ""
        for inner in within(node):
            self._define(inner, owner)

    def _follow(self, node: Function | ast.ClassDef, given: Sequence[Labels], named: dict[str, Labels]) -> Labels:
        """Follow a function or class with these arguments, and return the labels of its result."""
        if node in self._open:
            return self._made("again", given)
        line, returned = self._line, list[Labels]()
        self._open.append(node)
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Function):
                    self._follow(method, [], {})
        else:
            nodes = list(ast.walk(node))
            names = {one.id: INPUT for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            parameters = [one.arg for one in nodes if isinstance(one, ast.arg)]
            names |= dict.fromkeys(parameters, INPUT) | dict(zip(parameters, given, strict=False)) | named
            returned = self._run(node.body, names)
        self._open.pop()
        self._line = line
        return returned[0] if len(returned) == 1 else self._made("returned", returned)

    def _run(self, statements: Iterable[ast.AST], names: Mapping[str, Labels]) -> list[Labels]:
        """Follow statements except definitions, and return the values of `return` statements."""
        returned = []
        for node in statements:
            if isinstance(node, Function | ast.ClassDef):
                continue
            self._line = getattr(node, "lineno", self._line)
            hint = node.annotation if isinstance(node, ast.AnnAssign) else None
            parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr) and one is not hint]
            values = [self._value(one, names) for one in parts]
            if shapes := [_shape(one) for one in parts]:
                for shape in (shapes[-1], " ".join((type(node).__name__, *shapes))):
                    self.written[hash((self._step, shape))] = self._line
            returned += values if isinstance(node, ast.Return) else []
            returned += self._run(within(node), names)
        return returned

    def _value(self, node: ast.AST, names: Mapping[str, Labels]) -> Labels:
        self._left -= 1
        if self._left < 0:
            raise RecursionError  # a helper that calls a helper many times, or code for thousands of steps
        match node:
            case ast.Constant(value):
                return leaf(repr(value))
            case ast.Name(name):
                return names.get(name, INPUT)
            case ast.Attribute(ast.Name("self")):
                return INPUT
            case ast.Call(ast.Attribute(ast.Name("self"), name)) if f"self.{name}" in self._helpers:
                return self._helper(node, f"self.{name}", [INPUT], names)
            case ast.Call(ast.Name(name) | ast.Attribute(_, name)) if name in self._helpers:
                return self._helper(node, name, [], names)
        operation, operands = _operation(node)
        inside = (one for one in operands if not isinstance(one, ast.Name) or one.id in names)  # not torch
        return self._made(operation, [self._value(one, names) for one in inside])

    def _helper(self, node: ast.Call, name: str, first: list[Labels], names: Mapping[str, Labels]) -> Labels:
        given = [self._value(one, names) for one in node.args]
        named = {one.arg or "": self._value(one.value, names) for one in node.keywords}
        return self._follow(self._definitions[name], first + given, named)

    def _made(self, operation: str, operands: Sequence[Labels]) -> Labels:
        """Return the labels of an operation, and note its traits. The order of operands is ignored."""
        operation = SAME.get(operation, operation)
        if operation == "transpose":
            operands = operands[:1]  # dimensions are counted from the front or from the back
        if not operands:
            return leaf(operation)
        operands = sorted(operands)
        labels = [hash((operation, *(one[depth] for one in operands))) for depth in range(DEPTH)]
        self.computed |= {hash((self._step, label)): self._line for label in labels}
        return hash(operation), *labels


def _shape(node: ast.expr) -> str:
    """Return the structure of an expression as text, without names of variables."""
    found = []
    for one in ast.walk(node):
        word = one.attr if isinstance(one, ast.Attribute) else repr(one.value) if isinstance(one, ast.Constant) else ""
        found.append(f"{type(one).__name__} {word}")
    return " ".join(found)


def _operation(node: ast.AST) -> tuple[str, list[ast.AST]]:
    """Return the operation of an expression, and its operands."""
    match node:
        case ast.BinOp(left, operator, right):
            return type(operator).__name__, [left, right]
        case ast.UnaryOp(operator, operand):
            return type(operator).__name__, [operand]
        case ast.Compare(left, [operator, *_], others):
            return type(operator).__name__, [left, *others]
        case ast.Attribute(owner, name):
            return name, [owner]
        case ast.Subscript(owner, index):
            return "item", [owner, *_flat([index])]
        case ast.Call(ast.Attribute(owner, name), arguments, keywords):
            return name, [owner, *_flat(arguments), *(one.value for one in keywords)]
        case ast.Call(ast.Name(name), arguments, keywords):
            return name, [*_flat(arguments), *(one.value for one in keywords)]
    return type(node).__name__, [
        one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr | ast.comprehension | ast.keyword)
    ]


def _flat(arguments: Sequence[ast.expr]) -> Iterator[ast.expr]:
    """Yield arguments, with tuples unpacked, so that `reshape((a, b))` equals `reshape(a, b)`."""
    for one in arguments:
        yield from one.elts if isinstance(one, ast.Tuple | ast.List) else (one,)


def of_code(text: str, part: SyllabusPart) -> tuple[Traits, Traits, str]:
    """Return the computed and the written traits of a part, and why some code was not followed."""
    module = ParsedModule(text)
    try:
        reader = Reader(module.statements, part)
    except RecursionError:
        return {}, {}, "it has far more code than a part needs, or is nested too deeply"
    return reader.computed, reader.written, f"line {module.error.lineno} is not Python" if module.error else ""


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
    """A submission to compare. code: by part, the code that the part imports and its own.

    traits: by part, computed, written and worded. unread: by part, why code was not followed.
    """

    name: str
    code: Mapping[str, str]
    traits: Mapping[str, Sequence[Traits]]
    unread: Mapping[str, str]


class Given:
    """Leaves out the course's own code: parts that compute like the solution, and words of its texts."""

    def __init__(self, syllabus: Syllabus, solutions: Mapping[str, str], pages: Iterable[str]) -> None:
        self._parts = syllabus.parts
        self._computed = {part.name: of_code(solutions.get(part.name, ""), part)[0].keys() for part in self._parts}
        stubs, hints = [part.stub for part in self._parts], [hint for step in syllabus.steps for hint in step.hints]
        self._worded = set(chain.from_iterable(map(worded, [*solutions.values(), *stubs, *hints, *pages])))

    def compared(self, submission: Submission) -> Compared:
        """Return a submission with the traits that count."""
        parts = {part.name: part for part in self._parts if part.name in submission.modules}
        unread = {name: failure.message for name, failure in submission.problems.items()}
        code, traits = {}, {}
        for name, part in parts.items():
            beside = (source.text for one, source in submission.code_of(name).items() if one not in parts)
            code[name] = "\n".join([*beside, submission.modules[name].text])
            computed, written, reason = of_code(code[name], part)
            unread |= {name: reason} if reason else {}
            if computed.keys() <= self._computed[name]:
                computed, written = {}, {}
            wording = {one: line for one, line in worded(code[name]).items() if one not in self._worded}
            traits[name] = (computed, written, wording)
        return Compared(submission.name, code, traits, unread)


@dataclass(frozen=True)
class Pair:
    """Two submissions.

    closeness: by computed, written and worded traits, in standard deviations above the mean of all
    pairs. lines: by part, closest first, the lines of each with traits that both have and few others.
    """

    one: Compared
    other: Compared
    closeness: Sequence[float]
    lines: Mapping[str, tuple[set[int], set[int]]]


def ranked(people: Sequence[Compared], others: Sequence[Compared] = ()) -> list[Pair]:
    """Return the closest pairs, closest first. At least one of each pair is from `people`."""
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
            lines = {
                parts[part]: _lines([(of_kinds[kind][part], held[kind][part]) for kind in KINDS], one, other)
                for part in order
            }
            pairs.append(Pair(everybody[one], everybody[other], of_pair.max(axis=1).tolist(), lines))
    return pairs


def _closeness(
    of_parts: Sequence[Sequence[Traits]], held: Sequence[Counter[int]], people: int
) -> Float[np.ndarray, "parts people everybody"]:
    """Return how close each two submissions are in each part, and last in all parts together."""
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
    """Return for each two the weight of shared traits, and that of all; 0 if one has no traits."""
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
    """Return the lines of two submissions with traits that both have and few others have."""
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
    """Yield each student's lines of a part, as pairs: the line, and True if it is to be highlighted."""
    for person, marked in zip((pair.one, pair.other), pair.lines[part], strict=True):
        lines = person.code.get(part, "").split("\n")
        yield [(clean(line), number in marked) for number, line in enumerate(lines, start=1)]
