"""Attempts: a submission with some edits, and how far its answers come with them."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue, Value
from autograder.course.model import Tolerance
from autograder.diagnosis.operators.edits import Edit
from autograder.exam.agreement import same_answer, same_outputs, same_value
from autograder.grading.checks import Sheet
from autograder.submission.definitions import Definitions
from autograder.submission.model import Source, parse

FEWEST, NEAR = 4, 1e-5
"""Fewer numbers than these may be related by chance; related ones differ by less than this share."""

RAISED, ANSWERED, TENSORS, SHAPES, OUTPUTS, RIGHT = range(6)
"""How far an answer comes: an exception, something, tensors of another shape, of the right shapes, the right numbers, right in everything.
Between the last but one and the one before lies the share of outputs that are right."""

RELATED = 0.5
"""What numbers count of which the right ones are a multiple, or that are the right ones in another order; right ones count 1."""


@dataclass(frozen=True)
class Definition:
    """A definition at the top level of a submission's module. file: as tracebacks name it. line: its first one."""

    name: str
    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Change:
    """One edit of one definition."""

    definition: Definition
    edit: Edit


@dataclass(frozen=True)
class Attempt:
    """The submission with some changes. texts: the definitions as they are then, by name.

    right: the cases that are right. wrong: the first that is not; none if all are right. progress: how far that one comes.
    lines: those that were running when it raised, from the outside in; error: what it raised. made: how much of what the reference makes is made on the way, where that was seen.
    """

    changes: tuple[Change, ...]
    texts: Mapping[str, str]
    right: frozenset[str]
    wrong: Sheet | None
    progress: float
    lines: tuple[int, ...] = ()
    error: str = ""
    made: int = 0

    @property
    def text(self) -> str:
        """All definitions that were changed, each in its own lines, as far as the edits leave room."""
        text = ""
        for first, name in sorted({(one.definition.line, one.definition.name) for one in self.changes}):
            text += "\n" * max(first - 1 - text.count("\n"), 1) + self.texts[name]
        return text

    def is_further_than(self, other: "Attempt") -> bool:
        """Return whether the first wrong case comes further than with other changes, or at least raises only later."""
        later = self.progress == other.progress == RAISED and self.lines > other.lines
        return self.progress > other.progress or later


def attempted(
    changes: tuple[Change, ...], texts: Mapping[str, str], sheets: Sequence[Sheet], answers: Mapping[str, Answer]
) -> Attempt:
    """Return an attempt whose answers to all cases are known."""
    wrong = [sheet for sheet in sheets if not is_right(sheet, answers.get(sheet.paper.path))]
    right = frozenset(sheet.paper.path for sheet in sheets) - {sheet.paper.path for sheet in wrong}
    if not wrong:
        return Attempt(changes, texts, right, None, RIGHT)
    answer = answers.get(wrong[0].paper.path)
    return Attempt(changes, texts, right, wrong[0], how_far(wrong[0], answer), lines_of(answer), error_of(answer))


def how_far(sheet: Sheet, answer: Answer | None) -> float:
    """Return how far the answer to a case comes."""
    expected = sheet.key.expected
    if answer is None or answer.failure:
        return RAISED
    if is_right(sheet, answer):
        return RIGHT
    if same_outputs(answer, expected, sheet.key.tolerance):
        return OUTPUTS
    pairs = [(answer.outputs.get(name), one) for name, one in expected.outputs.items()]
    tensors = [(yours, one) for yours, one in pairs if isinstance(one, TensorValue)]
    if not tensors or not all(isinstance(yours, TensorValue) for yours, _ in tensors):
        return ANSWERED
    if not all(isinstance(yours, TensorValue) and yours.shape == one.shape for yours, one in tensors):
        return TENSORS
    return SHAPES + sum(_how_right(yours, one, sheet.key.tolerance) for yours, one in pairs) / len(pairs)


def _how_right(yours: Value | None, expected: Value, tolerance: Tolerance) -> float:
    """Return 1 for an output that is right, less for numbers that are related to the right ones, and nothing for any other."""
    if yours is not None and same_value(yours, expected, tolerance):
        return 1
    match yours, expected:
        case TensorValue(array=mine), TensorValue(array=theirs) if _are_related(mine, theirs):
            return RELATED
    return 0


def lines_of(answer: Answer | None, path: str = "") -> tuple[int, ...]:
    """Return the lines that were running when an answer's code raised, from the outside in; of one file, if it is given."""
    file = re.escape(path) if path else ".*"
    found = re.findall(rf"^{file}, line (\d+), in", answer.failure.traceback, re.M) if answer and answer.failure else []
    return tuple(map(int, found))


def error_of(answer: Answer | None) -> str:
    """Return what an answer's code raised; nothing if it did not."""
    return answer.failure.message if answer and answer.failure else ""


def lines_naming(sheet: Sheet, answer: Answer, text: str) -> tuple[int, ...]:
    """Return the lines of a text that give a value to what a wrong output, or what failed, is called by, such as `self.out_proj`."""
    expected, tolerance = sheet.key.expected.outputs, sheet.key.tolerance
    wrong = [name for name, one in answer.outputs.items() if not same_value(one, expected.get(name, one), tolerance)]
    words = set(re.findall(r"\w+", answer.failure.message if answer.failure else " ".join(wrong)))
    try:
        tree = parse(text)
    except SyntaxError:
        return ()
    given = (
        one for one in ast.walk(tree) if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
    )
    return tuple(sorted({one.lineno for one in given if (one.id if isinstance(one, ast.Name) else one.attr) in words}))


def _are_related(yours: Array | None, expected: Array | None) -> bool:
    if yours is None or expected is None or expected.size < FEWEST:
        return False
    with np.errstate(all="ignore"):
        one, other = yours.ravel().astype(float), expected.ravel().astype(float)
        if np.allclose(np.sort(one), np.sort(other), rtol=NEAR, atol=NEAR):
            return True
        return bool(np.abs(np.corrcoef(one, other)[0, 1]) > 1 - NEAR)


def is_right(sheet: Sheet, answer: Answer | None) -> bool:
    """Return whether the answer to a case is right in everything."""
    return answer is not None and same_answer(answer, sheet.key.expected, sheet.key.tolerance)


def reached(source: Source, definitions: Definitions, sheet: Sheet) -> list[Definition]:
    """Return the definitions of the module that a step is made of: its own, then those that it mentions and are no steps."""
    part, step = sheet.paper.part, sheet.paper.step
    steps = {other.name for other in sheet.syllabus.part(part).steps}
    names = {name for module, name in definitions.called_by(part, step) if module == part and name not in steps}
    found: dict[str, Definition] = {}
    for block in source.blocks:
        try:
            tree = parse(block.text)
        except SyntaxError:
            continue
        lines = block.text.splitlines(keepends=True)
        for node in tree.body:
            for name in _defined(node):
                if name == step or name in names:
                    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
                    text = "".join(lines[first - 1 : node.end_lineno])
                    found[name] = Definition(name, block.path, first, text)
    return sorted(found.values(), key=lambda one: one.name != step)


def _defined(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(name)]):
            yield name
