"""Drawing a flow of shapes: each line, the tensors that came to be on it, and the reference's beside them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.text import Text

from autograder.cli.screen import Signs
from autograder.course.flow import MOST_TIMES, NOTHING, RETURN, Flow, Form, Line, Made
from autograder.course.model import SINGLE
from autograder.course.shapes import Shape, bind_all, names_of, recognise, write
from autograder.exam.flows import ReferenceFlow, name_of
from autograder.exam.model import PaperCase
from autograder.exam.parting import Parting, agrees
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.boxes import boxes_of

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
    yield Text.assemble((step.path, "bold"), f", case {compared.case.name}")
    yield Text.assemble("goes in: ", (", ".join(shown.inputs()), "cyan"))
    if other := ", ".join(shown.given()):
        yield Text.assemble(f"{_called(compared.flow)} was given: ", (other, "cyan"))
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
    differs = any(agrees(line, made, compared.flow, compared.reference) is False for made in line.made)
    blamed = line.made[-1] if line.made and not differs and _is_parting(line, compared) else None
    for made in line.made:
        expected = () if made.is_step else compared.reference.named.get(name_of(line, made), ())
        if made.forms == expected == (NOTHING,):
            continue
        verdict, theirs = _judged(line, made, expected, compared, shown)
        if made is blamed:
            verdict, theirs = _faulted(made, expected, compared, shown) or (verdict, theirs)
        yours = shown.beside(made.forms, expected) if verdict is False else shown.of(made.forms)
        yield _Row(made.name, _within(made, shown) or yours + _times(made, 1), theirs, verdict)
    if _is_parting(line, compared):
        yield from _missing(compared, shown)


def _judged(
    line: Line, made: Made, expected: Sequence[Form], compared: Compared, shown: "_Shapes"
) -> tuple[bool | None, str]:
    """Return whether something agrees with what the reference has under its name, and what to write beside it."""
    same = agrees(line, made, compared.flow, compared.reference)
    verdict = None if same is False and not compared.parting else same
    if made.within and verdict is None:
        return None, ""
    passed = not expected and compared.reference.known.issuperset(made.forms)
    return verdict, shown.of(made.forms if verdict or passed else expected)


def _faulted(
    made: Made, expected: Sequence[Form], compared: Compared, shown: "_Shapes"
) -> tuple[bool | None, str] | None:
    """Return the same of what is to blame though nothing on its line differs: what a function returns, or what has no like."""
    output = compared.parting.output if compared.parting else ""
    if made.name == RETURN and _is_unnamed(output):
        return False, _came_out(compared.reference.outputs, output, compared, shown)
    return None if expected else (False, "none like it")


def _within(made: Made, shown: "_Shapes") -> str:
    """Write the tensors that are in a list or tuple; empty where they are in none."""
    return f"{made.within} of {shown.several(made.forms)}{_times(made, len(made.forms))}" if made.within else ""


def _times(made: Made, told: int) -> str:
    """Write how often something came to be, where that is more than what is told of it."""
    return f"{TIMES}{made.times}{'+' if made.times >= MOST_TIMES else ''}" if made.times > told else ""


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
        yield f"What comes out has the reference's shapes. `attn check {step.path}` looks at the numbers."
        return
    line = flow.lines[parting.line] if parting.line is not None else None
    stopped = flow.lines[-1] if flow.stopped else None
    if line and line is not stopped:
        yield f"Line {line.number} is where the shapes part from the reference's."
    if not line and not flow.failure:
        yield "No line of yours shows where: write the step with `def` and `return`, and it is followed line by line."
    if flow.failure:
        yield from _what_failed(flow, stopped, shown)
        comes_out = list(_must_come_out(compared, shown))[:MOST_OUTPUTS]
        if comes_out:
            yield f"What must come out: {', '.join(comes_out)}."
    else:
        what = "It" if _is_unnamed(parting.output) else parting.output
        yours, theirs = (_came_out(one.outputs, parting.output, compared, shown) for one in (flow, compared.reference))
        yield f"{what} comes out as {yours}, from the reference as {theirs}."


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


def _must_come_out(compared: Compared, shown: "_Shapes") -> Iterator[str]:
    """Yield the tensors that come out; where it is not the making of an object that fails, without what that makes.

    Where the probe looks at none of them, it is what the function returns that failed.
    """
    call, reference = compared.flow.call, compared.reference
    made = {f"self.{name}" for name in reference.outputs}.intersection(reference.named)
    used = call is not None and not call.builds
    outputs = {name: form for name, form in reference.outputs.items() if not used or f"self.{name}" not in made}
    if tensors := list(_tensors(outputs, shown)):
        yield from tensors
    elif call:
        returned = reference.named.get(f"{RETURN} {call.function}", ())
        yield from (shown.of((form,)) for form in returned if isinstance(form, tuple))


def _tensors(outputs: Mapping[str, Form], shown: "_Shapes") -> Iterator[str]:
    """Yield the tensors that come out, but for the parameters of layers: `__init__` shows those."""
    for name, form in outputs.items():
        if isinstance(form, tuple) and "." not in name:
            written = shown.output(name, form)
            yield written if _is_unnamed(name) else f"{name} {written}"


def _came_out(outputs: Mapping[str, Form], output: str, compared: Compared, shown: "_Shapes") -> str:
    """Write what came out under a name; where the name is none, all that came out without one."""
    numbered = [form for name, form in outputs.items() if name.isdecimal()] if _is_unnamed(output) else []
    if not numbered:
        name = SINGLE if _is_unnamed(output) else output
        expected = compared.reference.outputs.get(name, NOTHING)
        return shown.beside((outputs.get(name, NOTHING),), (expected,))
    tensors = "1 tensor" if len(numbered) == 1 else f"{len(numbered)} tensors"
    return f"{tensors} of {shown.several(numbered)} in a tuple or list"


def _called(flow: Flow) -> str:
    """Return what the probe called that failed, as it is called: a method without its class."""
    return flow.call.function.rpartition(".")[-1] if flow.call else ""


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
        self._given = compared.flow.call.given if compared.flow.call else {}
        self._outputs = {name: form for name, form in compared.reference.outputs.items() if isinstance(form, tuple)}
        self._sizes = self._sizes_of(step) if step else {}

    def _sizes_of(self, step: SyllabusStep) -> dict[str, int]:
        """Return the sizes that have a name, but for those that something else may have as well."""
        named = {name for dims in (*step.arguments.values(), *step.returns.values()) for name in dims.split()}
        given = {name: value for name, value in self._inputs.items() if type(value) is int}
        shapes = self._shapes | {name: form for name, form in self._given.items() if isinstance(form, tuple)}
        sizes = bind_all(step.arguments, shapes) | bind_all(step.returns, self._outputs)
        sizes |= {name: value for name, value in given.items() if name in named}
        unnamed = {1, *(value for name, value in given.items() if name not in named), *self._shared()}
        return {name: size for name, size in sizes.items() if size not in unnamed}

    def _shared(self) -> Iterator[int]:
        """Yield the sizes that several dimensions of a tensor have by chance in the call that failed: `t t` is no chance."""
        for name, form in self._given.items():
            if isinstance(form, tuple):
                names = names_of(self._arguments.get(name, ""), len(form))
                apart = {(size, called or at) for at, (size, called) in enumerate(zip(form, names, strict=True))}
                yield from (size for size, count in Counter(size for size, _ in apart).items() if count > 1)

    def inputs(self) -> Iterator[str]:
        """Yield each input of the case: a tensor's shape, anything else as it is."""
        for name, value in self._inputs.items():
            if name in self._shapes:
                yield f"{name} {_named(self._shapes[name], self._arguments.get(name, ''))}"
            elif value is not None:
                yield f"{name} {value}"

    def given(self) -> Iterator[str]:
        """Yield each argument of the call that failed, where it is another than that of the case."""
        for name, form in self._given.items():
            if isinstance(form, tuple):
                if form not in self._shapes.values():
                    yield f"{name} {_named(form, self._arguments.get(name, ''))}"
            elif name in self._inputs and form != str(self._inputs[name]):
                yield f"{name} {form}"

    def output(self, name: str, shape: Shape) -> str:
        """Write the shape of what comes out under a name."""
        dims = self._returns.get(name)
        return _named(shape, dims) if dims else self.of((shape,))

    def of(self, forms: Sequence[Form], joint: str = " to ") -> str:
        """Write some forms: the first and the last."""
        ends = forms[:1] if len(forms) < 2 else (forms[0], forms[-1])
        return joint.join(self._one(form) for form in ends)

    def several(self, forms: Sequence[Form]) -> str:
        """Write the forms that several tensors have: both, or the first and the last."""
        different = tuple(dict.fromkeys(forms))
        return self.of(different, " and ") if len(different) == 2 else self.of(different)

    def beside(self, forms: Sequence[Form], expected: Sequence[Form]) -> str:
        """Write some forms; one shape that should be another has no names that this has in their places."""
        if len(forms) == len(expected) == 1 and isinstance(forms[0], tuple) and isinstance(expected[0], tuple):
            names, called = self._names(expected[0]), self._names(forms[0])
            boxes = boxes_of("", expected[0], forms[0], names, called)
            return write(forms[0], tuple(name for name, _, _ in boxes.yours) if boxes else called)
        return self.of(forms)

    def _one(self, form: Form) -> str:
        return form if isinstance(form, str) else write(form, self._names(form))

    def _names(self, shape: Shape) -> tuple[str, ...]:
        return recognise(shape, self._sizes)
