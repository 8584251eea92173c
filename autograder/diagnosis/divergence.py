"""The place where a submission departs, and what is told of it."""

import ast
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from autograder.course.trace import Operation, Stop
from autograder.grading.results import Diagnosis, Spot
from autograder.submission.parsed import parse

LARGEST_SQUARE = 500
"""Up to this a factor is told as the root of a whole number: what is larger may be near one by chance."""

How = Literal["departs", "follows", "lacks", "returns", "empties"]
"""An operation makes something else; it or one that follows does; it takes something to which something must be done before; what comes
out is something else; it makes a tensor without numbers."""


@dataclass(frozen=True)
class Place:
    """Where a submission departs.

    number: of the operation, if there is one. spot: the expression. operation: its name. right: the last thing before it that is known, as it is called in the code, and
    its line. suspicious: other lines in which the mistake may be. factors: by what something known is multiplied there and by what the
    reference multiplies it, 1 for nothing, if only that is wrong. more: whether a module has been made with something wrong, too.
    """

    number: int | None
    spot: Spot
    operation: str
    right: tuple[str, int] | None
    how: How
    suspicious: tuple[int, ...]
    factors: tuple[float, float] | None = None
    more: bool = False

    def lines_of(self, path: str) -> tuple[int, ...]:
        """Return the lines of a file in which the mistake may be, the likeliest first."""
        return (self.spot.line, *self.suspicious) if self.spot.file == path else ()

    def diagnosis(self, known: Diagnosis | None = None) -> Diagnosis:
        """Return what a student is told. known: of the whole answer; the place is added to it."""
        where = self._where()
        is_another = self.how == "returns" or (
            known and known.id == "changed_inputs"
        )  # where numbers depart nothing need be written
        if known and (is_another or (self.factors and known.kind == "exception")):
            return known
        if (
            known and self.factors and known.kind == "influence" and known.picture
        ):  # a factor mixes nothing: two mistakes
            return replace(self.diagnosis(), more=True)
        if known:
            return replace(known, where=where, what=known.what or known.says, spot=self.spot)
        what = _multiplied(*self.factors) if self.factors else ""
        return Diagnosis("place", f"place_{self.how}", where, where, what=what, spot=self.spot, more=self.more)

    def _where(self) -> str:
        line, shown = self.spot.line, self.spot.text[self.spot.first : self.spot.last].strip()
        name, earlier = self.right or ("", 0)
        if self.how == "lacks" and name:
            here = f"line {line}" if earlier == line else f"lines {earlier} and {line}"
            return f"Look at {here}: in `{shown}` something else must stand than `{name}` alone."
        if self.how == "empties":
            return f"Line {line} makes a tensor without any numbers: `{shown}`."
        if self.how == "returns":
            before = f"Up to line {earlier} all is right (`{name}`), but what line" if name else "What line"
            return f"{before} {line} returns is not the result: `{shown}`."
        if self.how == "follows" and not name:
            return f"Look from line {line} on: `{shown}`."
        if self.how == "follows":
            return (
                f"Up to line {earlier} all is right (`{name}`); look at what follows, from line {line} on: `{shown}`."
            )
        before = f"Up to line {earlier} all is right (`{name}`); line" if name else "Line"
        return f"{before} {line} makes something else: `{shown}`."


def _multiplied(by: float, right: float) -> str:
    """Say by what something is multiplied in place of what is right."""
    instead = f"it should be {_root_of(right)}" if right != 1 else "here nothing is scaled"
    return f"What goes in is multiplied by {_root_of(by)}; {instead}."


def _root_of(factor: float) -> str:
    """Return a factor as a whole number, its root, or one divided by these, where it is one."""
    for value, before in ((factor, ""), (1 / factor, "1/")):
        square = round(value**2)
        if 1 < square < LARGEST_SQUARE and math.isclose(value**2, square, rel_tol=1e-3):
            root = math.isqrt(square)
            return f"{before}{root}" if root**2 == square else f"{before}√{square}"
    return f"{factor:.4g}"


def with_operands(
    diagnosis: Diagnosis | None, stop: Stop | None, texts: Mapping[str, str], others: Collection[str]
) -> Diagnosis | None:
    """Return what is told of code that raised: the line, and the shapes of the tensors that the failed operation was given.

    others: the names of other steps; of what raised in one of them the call is told.
    """
    if not stop:
        return diagnosis
    own = [one for one in stop.lines if one[2].partition(".")[0] not in others]
    path, line, _ = (own or stop.lines)[-1]
    spot = _whole_line(path, line, texts)
    if not stop.operands or (own and own[-1] != stop.lines[-1]):
        says = f"Line {line} raised: `{spot.text.strip()}`."
        return diagnosis or Diagnosis("place", "place_raised", says, says, spot=spot)
    given = " and ".join(f"{f'`{name}`' if name else 'a tensor'} of shape {shape}" for name, shape in stop.operands)
    says = f"Line {line} was given {given}."
    if diagnosis:
        return replace(diagnosis, what=diagnosis.what or says, spot=diagnosis.spot or spot)
    return Diagnosis("exception", "operands", says, where=says, spot=spot)


def spot_of(one: Operation, texts: Mapping[str, str]) -> Spot:
    """Return the place of an operation's expression, as far as it is in its first line."""
    return _spot_at(one.path, one.span, texts)


def _spot_at(path: str, span: tuple[int, ...], texts: Mapping[str, str]) -> Spot:
    first, last, begin, end = span
    lines = texts.get(path, "").splitlines()
    text = lines[first - 1] if 0 < first <= len(lines) else ""
    ends = begin, end if last == first else len(text.encode())
    left, right = (len(text.encode()[:column].decode(errors="ignore")) for column in ends)
    return Spot(path, first, left, right, text)


def _whole_line(path: str, line: int, texts: Mapping[str, str]) -> Spot:
    lines = texts.get(path, "").splitlines()
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return Spot(path, line, len(text) - len(text.lstrip()), len(text.rstrip()), text)


def return_spot(step: str, texts: Mapping[str, str]) -> Spot | None:
    """Return what a step returns, if its function or its `forward` does so at one place."""
    for path, text in texts.items():
        for node in parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == step:
                methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward"]
                function = methods[0] if methods else node
                found = [one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value]
                if len(found) == 1:
                    value = found[0]
                    return _spot_at(
                        path, (value.lineno, value.end_lineno or 0, value.col_offset, value.end_col_offset or 0), texts
                    )
    return None
