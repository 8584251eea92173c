"""Drawing a flow of shapes: each line, the tensors that came to be on it, and the reference's beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.text import Text

from autograder.cli.screen import Signs
from autograder.course.flow import MOST_TIMES, NOTHING, Flow, Form, Line
from autograder.course.model import SINGLE
from autograder.course.shapes import Shape, bind_all, names_of, recognise, write
from autograder.exam.flows import ReferenceFlow, name_of
from autograder.exam.model import PaperCase
from autograder.exam.parting import Parting, agrees
from autograder.exam.syllabus import SyllabusStep

MARGIN = "      "
GAP = "  "

TIMES = " ×"
SAME = "the same"

MOST_OUTPUTS = 3
"""What comes out of a step first; probes look at more."""


@dataclass(frozen=True)
class Compared:
    """What a step does in one case, beside what the reference does. parting: None where the same shapes come out."""

    case: PaperCase
    flow: Flow
    reference: ReferenceFlow
    parting: Parting | None


@dataclass(frozen=True)
class _Row:
    """A tensor of a line. agrees: None where the reference has none of its name, or it does not matter."""

    name: str
    yours: str
    reference: str
    agrees: bool | None

    @property
    def is_same(self) -> bool:
        """Whether the reference's reads as yours does, but for how often it came to be."""
        return self.reference in (SAME, self.yours.partition(TIMES)[0])


def draw_flow(step: SyllabusStep, compared: Compared, signs: Signs, width: int) -> Iterator[Text]:
    """Yield what is shown, line by line: the case, the lines up to where the flows part, and what to make of it."""
    shown, lines = _Shapes(step, compared), _lines_to_show(compared)
    yield Text.assemble((step.path, "bold"), f", {compared.case.name}")
    yield Text.assemble("goes in: ", (", ".join(shown.inputs()), "cyan"))
    if signs.plain:
        yield from _tell_lines(lines, [list(_rows(line, compared, shown)) for line in lines])
    else:
        yield from _draw_table(lines, _fitting_rows(lines, compared, shown, width), signs, width)
    yield Text("")
    for sentence in _conclusion(step, compared, shown):
        yield Text(sentence)


def _lines_to_show(compared: Compared) -> Sequence[Line]:
    """Return the lines up to where the flows part; none where the step has only just been begun."""
    flow, parting = compared.flow, compared.parting
    if flow.failure and flow.failure.kind == "not_attempted" and not any(line.made for line in flow.lines):
        return ()
    return flow.lines if not parting or parting.line is None else flow.lines[: parting.line + 1]


def _fitting_rows(lines: Sequence[Line], compared: Compared, shown: "_Shapes", width: int) -> list[list[_Row]]:
    """Return the rows of each line; where they would not fit, sizes have no names and what agrees is written once."""
    rows = [list(_rows(line, compared, shown)) for line in lines]
    columns = zip(*((len(row.name), len(row.yours), len(row.reference)) for own in rows for row in own), strict=True)
    if len(MARGIN) + 3 + sum(len(GAP) + max(column) for column in columns) > width:
        rows = [list(_rows(line, compared, _Shapes(None, compared))) for line in lines]
        rows = [[replace(row, reference=SAME) if row.is_same else row for row in own] for own in rows]
    return rows


def _rows(line: Line, compared: Compared, shown: "_Shapes") -> Iterator[_Row]:
    differs = any(agrees(line, made, compared.reference) is False for made in line.made)
    blamed = not differs and _is_parting(line, compared)
    for made in line.made:
        expected = () if made.is_step else compared.reference.named.get(name_of(line, made), ())
        if made.forms == expected == (NOTHING,):
            continue
        same = agrees(line, made, compared.reference)
        verdict = None if same is False and not compared.parting else same
        times = f"{TIMES}{made.times}{'+' if made.times >= MOST_TIMES else ''}" if made.times > 1 else ""
        passed = not expected and compared.reference.known.issuperset(made.forms)
        theirs = shown.of(made.forms if verdict or passed else expected)
        if not expected and made is line.made[-1] and blamed:
            verdict, theirs = False, "none like it"
        yield _Row(made.name, shown.of(made.forms) + times, theirs, verdict)
    if _is_parting(line, compared):
        yield from _missing(compared, shown)


def _missing(compared: Compared, shown: "_Shapes") -> Iterator[_Row]:
    """Yield the attribute that should have come to be where the flows part, if that is what is wrong."""
    output = compared.parting.output if compared.parting else ""
    expected = compared.reference.named.get(f"self.{output}", ())
    if expected and compared.flow.outputs.get(output, NOTHING) == NOTHING:
        yield _Row(f"self.{output}", NOTHING, shown.of(expected), False)


def _is_parting(line: Line, compared: Compared) -> bool:
    """Tell whether the flows part on a line, other than by what it raises."""
    flow, parting = compared.flow, compared.parting
    stops = flow.stopped and line is flow.lines[-1]
    return parting is not None and parting.line is not None and line is flow.lines[parting.line] and not stops


@dataclass(frozen=True)
class _Columns:
    """How wide columns are. beside: whether there is room for the reference's beside yours."""

    sign: int
    name: int
    yours: int
    beside: bool

    @property
    def start(self) -> int:
        """Where yours begins."""
        return len(MARGIN) + self.sign + 1 + self.name + len(GAP)


def _draw_table(lines: Sequence[Line], rows: list[list[_Row]], signs: Signs, width: int) -> Iterator[Text]:
    """Yield each line as it is written, and below it its tensors in columns."""
    columns = _columns(rows, signs, width)
    place = ("", "")
    for line, own in zip(lines, rows, strict=True):
        if (line.path, line.function) != place:
            place = (line.path, line.function)
            yield Text("")
            yield _heading(line, columns)
        number = f"{line.number:>4}{GAP}"
        yield Text.assemble((number, "dim"), _cut(line.text, width - len(number)))
        for row in own:
            yield from _draw_row(row, columns, signs)


def _columns(rows: list[list[_Row]], signs: Signs, width: int) -> _Columns:
    every = [row for own in rows for row in own]
    columns = _Columns(
        sign=max(len(signs.passed), len(signs.failed), len(signs.open)),
        name=max((len(row.name) for row in every), default=0),
        yours=max([len("yours"), *(len(row.yours) for row in every)]),
        beside=True,
    )
    reference = max((len(row.reference) for row in every), default=0)
    return replace(columns, beside=columns.start + columns.yours + len(GAP) + reference <= width)


def _heading(line: Line, columns: _Columns) -> Text:
    """Return the place of some lines, and the heads of the columns where there is room for them."""
    place = f"{line.path}{GAP}{line.function}"
    if len(place) + len(GAP) > columns.start or not columns.beside:
        return Text(place, style="cyan")
    heads = "yours".ljust(columns.yours) + GAP + "reference"
    return Text.assemble((place.ljust(columns.start), "cyan"), (heads, "dim"))


def _draw_row(row: _Row, columns: _Columns, signs: Signs) -> Iterator[Text]:
    """Yield a tensor, yours and the reference's: side by side, or one below the other where they differ."""
    mark, style = _mark(row, signs)
    yours = Text.assemble(
        MARGIN,
        (mark.ljust(columns.sign), style),
        f" {row.name:<{columns.name}}{GAP}",
        (row.yours.ljust(columns.yours), style),
    )
    if columns.beside:
        yield yours.append(f"{GAP}{row.reference}" if row.reference else "", "dim" if row.agrees else "")
        return
    yours.rstrip()
    yield yours
    if row.reference and not row.is_same:
        yield Text.assemble(MARGIN, ("reference", "dim"), GAP, row.reference)


def _mark(row: _Row, signs: Signs) -> tuple[str, str]:
    if row.agrees is None:
        return signs.open, "dim"
    return (signs.passed, "green") if row.agrees else (signs.failed, "red")


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 4] + " ..."


def _tell_lines(lines: Sequence[Line], rows: list[list[_Row]]) -> Iterator[Text]:
    """Yield the same in sentences."""
    for line, own in zip(lines, rows, strict=True):
        yield Text(f"{line.path}, line {line.number}, in {line.function}: {line.text}")
        for row in own:
            beside = {None: "", True: ", as in the reference", False: f", in the reference {row.reference}"}[row.agrees]
            yield Text(f"{row.name} is {row.yours}{beside}.")


def _conclusion(step: SyllabusStep, compared: Compared, shown: "_Shapes") -> Iterator[str]:
    """Yield what the comparison comes to, and what to do next."""
    flow, parting = compared.flow, compared.parting
    if not parting:
        yield f"Your shapes are the reference's to the end. `attn check {step.path}` looks at the numbers."
        return
    line = flow.lines[parting.line] if parting.line is not None else None
    stopped = flow.lines[-1] if flow.stopped else None
    if line and line is not stopped:
        yield f"Line {line.number} is where the shapes part from the reference's."
    if not line and not flow.failure:
        yield "No line of yours shows where: write the step with `def` and `return`, and it is followed line by line."
    if flow.failure:
        yield from _what_failed(flow, stopped, shown)
        comes_out = list(_tensors(compared.reference.outputs, shown))[:MOST_OUTPUTS]
        if comes_out:
            yield f"What must come out: {', '.join(comes_out)}."
    else:
        yours, expected = flow.outputs.get(parting.output, NOTHING), compared.reference.outputs[parting.output]
        what = "It" if _is_unnamed(parting.output) else parting.output
        yield f"{what} comes out as {shown.of((yours,))}, from the reference as {shown.of((expected,))}."


def _what_failed(flow: Flow, stopped: Line | None, shown: "_Shapes") -> Iterator[str]:
    assert flow.failure
    if flow.failure.kind == "not_attempted":
        where = f"line {stopped.number} of {stopped.path}, in {stopped.function}" if stopped else "this step"
        yield f"Not attempted yet: {where}."
        return
    where = f"Line {stopped.number} of {stopped.path}: " if stopped else ""
    yield where + flow.failure.message
    if flow.operands:
        taken = [f"{name} {shown.of((shape,))}".strip() for name, shape in flow.operands]
        yield f"It was given {' and '.join(taken)}."
    if flow.called_at:
        yield f"Called from {', and that from '.join(f'line {line} of {path}' for path, line in flow.called_at)}."


def _tensors(outputs: Mapping[str, Form], shown: "_Shapes") -> Iterator[str]:
    """Yield the tensors that come out, but for the parameters of layers: `__init__` shows those."""
    for name, form in outputs.items():
        if isinstance(form, tuple) and "." not in name:
            written = shown.output(name, form)
            yield written if _is_unnamed(name) else f"{name} {written}"


def _is_unnamed(name: str) -> bool:
    return name == SINGLE or name.isdecimal()


def _named(shape: Shape, dims: str) -> str:
    return write(shape, names_of(dims, len(shape)))


class _Shapes:
    """Writes shapes with the names that the sizes of a case have in a step's signature; without a step, without names."""

    def __init__(self, step: SyllabusStep | None, compared: Compared) -> None:
        self._inputs = compared.case.inputs
        self._arguments = step.arguments if step else {}
        self._returns = step.returns if step else {}
        self._shapes: dict[str, Shape] = {
            name: tuple(value.shape) for name, value in self._inputs.items() if isinstance(value, np.ndarray)
        }
        self._outputs = {name: form for name, form in compared.reference.outputs.items() if isinstance(form, tuple)}
        self._sizes = self._sizes_of(step) if step else {}

    def _sizes_of(self, step: SyllabusStep) -> dict[str, int]:
        """Return the sizes that have a name, but for those that something without one may have as well."""
        named = {name for dims in (*step.arguments.values(), *step.returns.values()) for name in dims.split()}
        given = {name: value for name, value in self._inputs.items() if type(value) is int}
        sizes = bind_all(step.arguments, self._shapes) | bind_all(step.returns, self._outputs)
        sizes |= {name: value for name, value in given.items() if name in named}
        unnamed = {1, *(value for name, value in given.items() if name not in named)}
        return {name: size for name, size in sizes.items() if size not in unnamed}

    def inputs(self) -> Iterator[str]:
        """Yield each input of the case: a tensor's shape, anything else as it is."""
        for name, value in self._inputs.items():
            if name in self._shapes:
                yield f"{name} {_named(self._shapes[name], self._arguments.get(name, ''))}"
            elif value is not None:
                yield f"{name} {value}"

    def output(self, name: str, shape: Shape) -> str:
        """Write the shape of what comes out under a name."""
        dims = self._returns.get(name)
        return _named(shape, dims) if dims else self.of((shape,))

    def of(self, forms: Sequence[Form]) -> str:
        """Write some forms: the first and the last."""
        ends = forms[:1] if len(forms) < 2 else (forms[0], forms[-1])
        return " to ".join(self._one(form) for form in ends)

    def _one(self, form: Form) -> str:
        return form if isinstance(form, str) else write(form, recognise(form, self._sizes))
