"""The checks of one case: does it run, shape, dtype, values, inputs untouched, gradients."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autograder.course import shapes
from autograder.course.answer import Answer, Array, Failure, PlainValue, TensorValue, Value, within
from autograder.course.model import SINGLE, Tolerance
from autograder.exam.agreement import same_gradient
from autograder.exam.model import KeyCase, PaperCase
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, Check, Picture

MOST_CELLS_DRAWN = 100


@dataclass(frozen=True)
class Sheet:
    """All that is known about one case when it is marked."""

    step: SyllabusStep
    paper: PaperCase
    key: KeyCase
    answer: Answer

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of all named dimensions of the case; whole numbers among the inputs count as sizes too."""
        whole = {name: value for name, value in self.paper.inputs.items() if type(value) is int and name != "seed"}
        sizes = shapes.bind_all(self.step.arguments, self.key.shapes) | whole
        for output, expected in self.key.expected.outputs.items():
            if isinstance(expected, TensorValue):
                sizes |= shapes.bind(self.dims_of(output), expected.shape)
        return sizes

    def dims_of(self, output: str) -> str:
        """The dimensions of an output, as the syllabus names them."""
        names = list(self.step.returns.values())
        if output.isdecimal() and int(output) < len(names):
            return names[int(output)]
        return self.step.returns.get(output, "...")

    def title_of(self, output: str) -> str:
        """How a message names an output; empty where there is only one."""
        names = list(self.step.returns)
        if output.isdecimal() and int(output) < len(names):
            return names[int(output)]
        return "" if output == SINGLE else output

    def picture_of(self, output: str) -> Picture | None:
        """The expected and the given tensor to be drawn, where both have numbers, the same shape and few enough cells."""
        expected, yours = self.key.expected.outputs.get(output), self.answer.outputs.get(output)
        if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
            return None
        if expected.array is None or yours.array is None or expected.shape != yours.shape:
            return None
        if not 0 < expected.array.size <= MOST_CELLS_DRAWN:
            return None
        dims = shapes.names_of(self.dims_of(output), len(expected.shape))
        return Picture(self.title_of(output), expected.array, yours.array, dims, self.key.tokens)


def check_case(sheet: Sheet) -> tuple[Check, ...]:
    """Make all checks of a case, in order; after one that leaves nothing to compare, the rest are not made."""
    name, answer, expected = sheet.paper.name, sheet.answer, sheet.key.expected
    if answer.failure:
        return (Check(name, "runs", False, _told(answer.failure)),)
    made = [Check(name, "runs", True)]
    shape = _problem_with_structure(sheet) or _first(_shape_problems(sheet))
    made.append(Check(name, "shape", not shape, shape))
    dtype = _first(_dtype_problems(sheet))
    made.append(Check(name, "dtype", not dtype, dtype))
    comparable = not shape and not dtype
    if comparable:
        output, values = next(_value_problems(sheet), ("", ""))
        made.append(Check(name, "values", not values, values, sheet.picture_of(output) if values else None))
    changed = _list(answer.changed_inputs)
    message = f"your code writes into its argument {changed}. Work on a new tensor." if changed else ""
    made.append(Check(name, "inputs_untouched", not changed, message))
    if comparable and expected.gradients:
        gradients = _gradient_problem(answer, expected, sheet.key.tolerance)
        made.append(Check(name, "gradients", not gradients, gradients))
    return tuple(made)


def _told(failure: Failure) -> str:
    if failure.kind == NOT_ATTEMPTED:
        return "not written yet: the stub's `raise NotImplementedError` was reached"
    return failure.message


def _first(problems: Iterator[str]) -> str:
    return next(problems, "")


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _problem_with_structure(sheet: Sheet) -> str:
    expected, yours = sheet.key.expected.outputs, sheet.answer.outputs
    if expected.keys() == yours.keys():
        return ""
    names = [sheet.title_of(name) for name in expected]
    several = f"{len(expected)} tensors ({', '.join(names)})" if len(expected) > 1 else "one tensor"
    only = next(iter(yours.values())) if len(yours) == 1 else None
    if only is not None and SINGLE in yours:
        return f"expected {several}, you returned {_what(only)}"
    return f"expected {several}, you returned {len(yours)} in a tuple or list"


def _what(value: Value) -> str:
    if isinstance(value, TensorValue):
        return f"one tensor of shape {shapes.write(value.shape)}"
    if value.type == "NoneType":
        return "None. Is there a `return` missing?"
    if value.type in ("bool", "int", "float"):
        return f"the Python {value.type} {value.value}"
    return f"a {value.type}" + (f" ({value.value})" if value.value else "")


def _pairs(sheet: Sheet) -> Iterator[tuple[str, Value, Value]]:
    """Yield each output's name, expected and given value."""
    for name, expected in sheet.key.expected.outputs.items():
        if name in sheet.answer.outputs:
            yield name, expected, sheet.answer.outputs[name]


def _shape_problems(sheet: Sheet) -> Iterator[str]:
    for name, expected, yours in _pairs(sheet):
        if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
            continue
        if expected.shape != yours.shape:
            wanted = shapes.write(expected.shape, shapes.names_of(sheet.dims_of(name), len(expected.shape)))
            given = shapes.write(yours.shape, shapes.recognise(yours.shape, sheet.sizes))
            yield f"{_subject(sheet, name)}expected shape {wanted}, yours is {given}"


def _dtype_problems(sheet: Sheet) -> Iterator[str]:
    for name, expected, yours in _pairs(sheet):
        subject = _subject(sheet, name)
        if isinstance(expected, TensorValue) and isinstance(yours, PlainValue):
            wanted = shapes.write(expected.shape, shapes.names_of(sheet.dims_of(name), len(expected.shape)))
            came = f"yours is {_what(yours)}" if subject else f"you returned {_what(yours)}{_advice(yours)}"
            yield f"{subject}expected a tensor of shape {wanted}, {came}"
        elif isinstance(expected, TensorValue) and isinstance(yours, TensorValue) and expected.dtype != yours.dtype:
            as_inputs = ", as the inputs have" if expected.dtype.startswith("float") else ""
            yield f"{subject}expected dtype {expected.dtype}{as_inputs}; yours is {yours.dtype}"
        elif isinstance(expected, PlainValue) and isinstance(yours, TensorValue):
            yield f"{subject}expected {expected.value}, yours is a tensor of shape {shapes.write(yours.shape)}"


def _advice(value: PlainValue) -> str:
    if value.type in ("int", "float", "bool"):
        return ": keep it a tensor (no `.item()`), or gradients cannot flow"
    if value.type == "list":
        return ": put the tensors together with `torch.stack` or `torch.cat`"
    if value.type == "NumPy array":
        return ": stay in torch, or gradients cannot flow"
    return ""


def _subject(sheet: Sheet, output: str) -> str:
    title = sheet.title_of(output)
    return f"{title}: " if title else ""


def _value_problems(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Yield each output whose values are wrong, and what is wrong with them."""
    for name, expected, yours in _pairs(sheet):
        subject = _subject(sheet, name)
        if isinstance(expected, PlainValue) and isinstance(yours, PlainValue):
            if expected != yours:
                yield name, f"{subject}expected {_plainly(expected)}, yours is {_plainly(yours)}"
        elif isinstance(expected, TensorValue) and isinstance(yours, TensorValue) and expected.array is not None:
            dims = shapes.names_of(sheet.dims_of(name), len(expected.shape))
            if yours.array is None:
                yield name, f"{subject}the numbers could not be read"
            elif problem := _difference(yours.array, expected.array, sheet.key.tolerance, dims):
                yield name, subject + problem


def _plainly(value: PlainValue) -> str:
    if isinstance(value.value, bool):
        return "yes" if value.value else "no"
    return repr(value.value) if value.type in ("int", "float", "str", "NoneType") else _what(value)


def wrong_cells(yours: Array, expected: Array, tolerance: Tolerance) -> Array:
    """Return where two arrays of one shape differ by more than the tolerance."""
    wrong: Array = ~within(yours, expected, tolerance.rtol, tolerance.atol)
    return wrong


def _difference(yours: Array, expected: Array, tolerance: Tolerance, dims: tuple[str, ...]) -> str:
    wrong = wrong_cells(yours, expected, tolerance)
    count = int(wrong.sum())
    if not count:
        return ""
    broken = wrong & ~np.isfinite(yours)
    if broken.any():
        at = tuple(int(i) for i in np.argwhere(broken)[0])
        names = sorted({_spell(number) for number in yours[broken].ravel()})
        return f"{' and '.join(names)} in {int(broken.sum())} of {yours.size} places{_place(at, dims)}; expected {expected[at]:.4f}"
    with np.errstate(invalid="ignore"):
        size = np.where(wrong, np.abs(yours.astype(float) - expected.astype(float)), -1.0)
    at = tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
    what = "places" if expected.dtype == bool else "numbers"
    where = f"{count} of {yours.size} {what} differ, most" if yours.size > 1 else "the number differs"
    if expected.dtype == bool:
        return (
            f"{where.removesuffix(', most')}, the first{_place(at, dims)}: expected {expected[at]}, yours {yours[at]}"
        )
    digits = 4 if abs(float(expected[at]) - float(yours[at])) > 1e-3 else 7
    return f"{where}{_place(at, dims)}: expected {expected[at]:.{digits}f}, yours {yours[at]:.{digits}f}"


def _spell(number: float) -> str:
    return "nan" if np.isnan(number) else ("inf" if number > 0 else "-inf")


def _place(at: tuple[int, ...], dims: tuple[str, ...]) -> str:
    if not at:
        return ""
    return " at [" + ", ".join(f"{name} {i}" if name else str(i) for name, i in zip(dims, at, strict=True)) + "]"


def _gradient_problem(answer: Answer, expected: Answer, tolerance: Tolerance) -> str:
    if answer.gradient_error:
        return f"going backward fails: {answer.gradient_error}"
    for name in expected.gradients:
        wanted, given = expected.gradients[name], answer.gradients.get(name)
        if not same_gradient(given, wanted, tolerance):
            if given is None:
                return f"the numbers are right, but no gradient reaches `{name}`: something cuts the computation off from it"
            return f"the numbers are right, but the gradient with respect to `{name}` is not"
    return ""


def values_are_right(checks: tuple[Check, ...]) -> bool:
    """Tell whether the numbers of a case are right, whatever else is wrong with it."""
    return any(check.check == "values" and check.passed for check in checks)
