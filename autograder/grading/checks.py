"""Check the answer to one case: exceptions, shape, dtype, values, changed inputs, gradients."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from autograder.course import shapes
from autograder.course.answer import (
    EACH,
    LACK,
    PAIRS,
    Answer,
    Array,
    PlainValue,
    TensorValue,
    Value,
    has_right_numbers,
    same_gradient,
    same_value,
    within,
)
from autograder.course.model import SINGLE
from autograder.course.verdicts import Verdict
from autograder.exam.model import KeyCase, PaperCase
from autograder.exam.syllabus import FORM, Syllabus, SyllabusStep
from autograder.grading.pictures import View, view_of
from autograder.grading.results import Check

NUMBERS = ("int", "float", "bool")

SYNTAX_ERRORS = ("SyntaxError", "IndentationError", "TabError")
MISSING, SOMETHING_MISSING = "missing", "something is missing"
"""The word for a missing output in a message, and the headline of the failed check."""


@dataclass(frozen=True)
class Sheet:
    """A case: its inputs (paper), the expected answer (key) and the submission's answer."""

    syllabus: Syllabus
    paper: PaperCase
    key: KeyCase
    answer: Answer

    @cached_property
    def step(self) -> SyllabusStep:
        """The step that the case tests."""
        return self.syllabus.part(self.paper.part).step(self.paper.step)

    @property
    def whole_numbers(self) -> dict[str, int]:
        """The integer inputs by name, without the seed."""
        return {name: value for name, value in self.paper.inputs.items() if type(value) is int and name != "seed"}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size of each named dimension, from shapes and from integer inputs of the same name."""
        given = {name: value for name, value in self.whole_numbers.items() if name in self.syllabus.dimensions}
        sizes = shapes.bind_all(self.step.arguments, self.key.shapes) | given
        for output, expected in self.key.expected.outputs.items():
            if isinstance(expected, TensorValue):
                sizes |= shapes.bind(self.step.dims_of(output), expected.shape)
        return sizes

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The names of the outputs that decide each criterion, by the name of the criterion."""
        named = {output: criterion.name for criterion in self.step.criteria for output in criterion.outputs}
        groups: dict[str, tuple[str, ...]] = {}
        for output in self.key.expected.outputs:
            criterion = named.get(output, self.key.criterion)
            groups[criterion] = (*groups.get(criterion, ()), output)
        return groups

    @property
    def fixed(self) -> frozenset[str]:
        """The criteria whose outputs are all fixed: the same in every exam, or right without computation."""
        return frozenset(name for name, outputs in self.groups.items() if {*outputs} <= {*self.key.fixed})

    @property
    def form(self) -> str:
        """The criterion FORM; the case's own if the step has none."""
        return FORM if any(one.name == FORM for one in self.step.criteria) else self.key.criterion

    def written_shape(self, output: str, expected: TensorValue) -> str:
        """Write the expected shape of an output with the names of its dimensions."""
        return shapes.write(expected.shape, shapes.names_of(self.step.dims_of(output), len(expected.shape)))

    def view(self, name: str, expected: Array | None, yours: Array | None, dims: str) -> View | None:
        """Return a picture of two tensors; None if shapes differ, or a tensor is None or empty."""
        if expected is None or yours is None or expected.shape != yours.shape or not expected.size:
            return None
        wrong = ~within(yours, expected, self.key.tolerance)
        names = shapes.names_of(dims, expected.ndim)
        return view_of(name, expected, yours, names, self.key.labels, self.syllabus.words, wrong)


class Problem(NamedTuple):
    """The reason for a failed check: a message, and optionally a headline and a picture."""

    message: str
    headline: str = ""
    picture: View | None = None


def check_case(sheet: Sheet, drawn: bool = True) -> tuple[Check, ...]:
    """Run the checks of a case. drawn: whether to keep the picture of the first failed check."""
    checks = tuple(_checks(sheet))
    first = next((check for check in checks if not check.passed), None) if drawn else None
    return tuple(replace(check, picture=None) if check.picture and check is not first else check for check in checks)


def _checks(sheet: Sheet) -> Iterator[Check]:
    own, failure = sheet.key.criterion, sheet.answer.failure
    changed = ", ".join(f"`{name}`" for name in sheet.answer.changed_inputs)
    written = f"your code writes into its argument {changed}. Work on a new tensor."
    untouched = Problem(written) if changed else None
    if failure:
        stub = "not written yet: the stub's `raise NotImplementedError` was reached"
        said = stub if failure.kind == Verdict.NOT_ATTEMPTED else failure.message
        yield _check(sheet, "runs", own, Problem(said, "does not parse" if failure.error in SYNTAX_ERRORS else ""))
        return
    yield _check(sheet, "runs", own, None)
    if structure := _problem_with_structure(sheet):
        yield _check(sheet, "shape", own, structure)
        yield _check(sheet, "inputs_untouched", sheet.form, untouched)
        return
    compared = [*_compared(sheet, own, sheet.groups.get(own, ()))]
    yield from compared
    yield _check(sheet, "inputs_untouched", sheet.form, untouched)
    if sheet.key.expected.gradients and all(check.passed for check in compared if check.criterion == own):
        yield _check(sheet, "gradients", sheet.form, _problem_with_gradients(sheet))
    for criterion, outputs in sheet.groups.items():
        if criterion != own:
            yield from _compared(sheet, criterion, outputs)


def _check(sheet: Sheet, check: str, criterion: str, problem: Problem | None) -> Check:
    if not problem:
        return Check(sheet.paper.name, check, passed=True, criterion=criterion)
    message, headline, picture = problem
    return Check(sheet.paper.name, check, False, message, picture, headline, criterion)


def _compared(sheet: Sheet, criterion: str, outputs: Sequence[str]) -> Iterator[Check]:
    """Yield the checks of one criterion's outputs: shape, dtype and values.

    For the case's own criterion, shape and dtype decide the criterion FORM if values are right.
    """
    expected, yours = sheet.key.expected.outputs, sheet.answer.outputs

    def first(problem_of: Callable[[Sheet, str, Value, Value], Problem | None]) -> Problem | None:
        problems = (problem_of(sheet, name, expected[name], yours[name]) for name in outputs)
        return next(filter(None, problems), None)

    if lack := first(_lack):
        yield _check(sheet, "values", criterion, lack)
        return
    shape, dtype = first(_problem_with_shape), first(_problem_with_dtype)
    comparable = not shape and not dtype
    values = first(_problem_with_values) if comparable else None
    right = not values and (comparable or all(_has_right_numbers(sheet, name) for name in outputs))
    of_form = sheet.form if right and criterion == sheet.key.criterion else criterion
    yield _check(sheet, "shape", of_form, shape)
    yield _check(sheet, "dtype", of_form, dtype)
    if comparable or right:
        yield _check(sheet, "values", criterion, values)


def _has_right_numbers(sheet: Sheet, name: str) -> bool:
    return has_right_numbers(sheet.answer.outputs[name], sheet.key.expected.outputs[name], sheet.key.tolerance)


def _problem_with_structure(sheet: Sheet) -> Problem | None:
    expected, yours = sheet.key.expected.outputs, sheet.answer.outputs
    if expected.keys() == yours.keys():
        return None
    names = [sheet.step.title_of(name) for name in expected]
    several = f"{len(expected)} tensors ({', '.join(names)})" if len(expected) > 1 else "one tensor"
    first = next(iter(expected.values()))
    if len(yours) == 1 and SINGLE in yours:
        only = yours[SINGLE]
        said = f"expected {several}, you returned {_described(only)}{_advice(sheet, first, only)}"
        return Problem(said, _headline(only))
    rows = first.shape[0] if isinstance(first, TensorValue) and first.shape else 0
    advice = ""
    if len(expected) == 1 and len(yours) == 1:
        advice = ": return the tensor itself, without brackets or a comma after it"
    elif len(expected) == 1 and len(yours) == rows:
        advice = ": `torch.stack` makes one tensor of them"
    return Problem(
        f"expected {several}, you returned {len(yours)} in a tuple or list{advice}", "wrong number of tensors"
    )


def _headline(value: Value) -> str:
    if isinstance(value, TensorValue):
        return "wrong number of tensors"
    return "nothing returned" if value.type == "NoneType" else "not a tensor"


def _described(value: Value) -> str:
    if isinstance(value, TensorValue):
        return f"one tensor of shape {shapes.write(value.shape)}"
    if value.type == "NoneType":
        return "None. Is a `return` missing?"
    if value.type in NUMBERS:
        return f"the Python {value.type} {value.value}"
    return f"a {value.type}" + (f" ({value.value})" if value.value else "")


def _advice(sheet: Sheet, expected: Value, value: Value) -> str:
    if isinstance(value, TensorValue) or not isinstance(expected, TensorValue):
        return ""
    flows = ", or gradients cannot flow" if sheet.key.expected.gradients else ""
    items = str(value.value).rpartition(EACH)[2] if value.type in ("list", "tuple") else ""
    if "NumPy" in (items or value.type):
        return f": stay in torch{flows}"
    numbers = value.type in NUMBERS or items in (*NUMBERS, "list")
    if numbers and not expected.dtype.startswith("float"):
        return ": `torch.tensor` makes a tensor of it"
    if value.type in NUMBERS:
        return f": keep it a tensor (no `.item()`){flows}"
    if numbers:
        return ": keep the numbers tensors (no `.item()`, no `.tolist()`), and put them together with `torch.stack`"
    if value.type == "list":
        return ": put the tensors together with `torch.stack` or `torch.cat`"
    return ": take `.values`, or use `amax`" if value.type.startswith(PAIRS) else ""


def _subject(sheet: Sheet, output: str) -> str:
    return f"{title}: " if (title := sheet.step.title_of(output)) else ""


def _lack(sheet: Sheet, name: str, _: Value, yours: Value) -> Problem | None:
    if isinstance(yours, TensorValue) or yours.type != LACK:
        return None
    return Problem(f"{_subject(sheet, name)}{yours.value or MISSING}", SOMETHING_MISSING)


def _problem_with_shape(sheet: Sheet, name: str, expected: Value, yours: Value) -> Problem | None:
    if isinstance(expected, PlainValue) or isinstance(yours, PlainValue) or expected.shape == yours.shape:
        return None
    names = shapes.recognise(yours.shape, sheet.sizes)
    if len(yours.shape) == len(expected.shape):
        dims = shapes.names_of(sheet.step.dims_of(name), len(expected.shape))
        sides = zip(yours.shape, expected.shape, names, dims, strict=True)
        names = tuple(dim if size == other else known for size, other, known, dim in sides)
    wanted, given = sheet.written_shape(name, expected), shapes.write(yours.shape, names)
    return Problem(f"{_subject(sheet, name)}expected shape {wanted}, yours is {given}")


def _problem_with_dtype(sheet: Sheet, name: str, expected: Value, yours: Value) -> Problem | None:
    subject = _subject(sheet, name)
    if isinstance(expected, PlainValue):
        if isinstance(yours, TensorValue):
            came = f"yours is a tensor of shape {shapes.write(yours.shape)}"
            return Problem(f"{subject}expected {_plainly(expected)}, {came}", "a tensor too many")
        if expected.type == yours.type or not _has_right_numbers(sheet, name):
            return None
        return Problem(f"{subject}expected a Python {expected.type}, yours is {_described(yours)}", "wrong type")
    if isinstance(yours, PlainValue):
        missing = subject and yours.type == "NoneType"
        came = f"{MISSING if missing else _described(yours)}{_advice(sheet, expected, yours)}"
        wanted = f"{subject}expected a tensor of shape {sheet.written_shape(name, expected)}"
        headline = SOMETHING_MISSING if missing else _headline(yours)
        return Problem(f"{wanted}, {'yours is' if subject else 'you returned'} {came}", headline)
    if expected.dtype == yours.dtype:
        return None
    is_float = expected.dtype.startswith("float")
    given = next(iter(sheet.step.arguments), "") if sheet.step.kind == "function" else ""
    advice = f". A new tensor takes `dtype={given}.dtype`" if given and is_float else ""
    as_inputs = ", as the inputs have" if is_float else ""
    if expected.dtype == "bool":
        advice = ". A comparison makes booleans, or `.bool()`"
    return Problem(f"{subject}expected dtype {expected.dtype}{as_inputs}; yours is {yours.dtype}{advice}")


def _problem_with_values(sheet: Sheet, name: str, expected: Value, yours: Value) -> Problem | None:
    subject = _subject(sheet, name)
    if isinstance(expected, PlainValue) and isinstance(yours, PlainValue):
        return None if same_value(yours, expected, sheet.key.tolerance) else _wrong_value(subject, expected, yours)
    if isinstance(expected, PlainValue) or isinstance(yours, PlainValue) or expected.array is None:
        return None
    if yours.array is None:
        return Problem(f"{subject}the numbers could not be read")
    dims = sheet.step.dims_of(name)
    wrong = ~within(yours.array, expected.array, sheet.key.tolerance)
    if not wrong.any():
        return None
    said = _difference(yours.array, expected.array, wrong, shapes.names_of(dims, len(expected.shape)))
    return Problem(subject + said, picture=sheet.view(sheet.step.title_of(name), expected.array, yours.array, dims))


def _wrong_value(subject: str, expected: PlainValue, yours: PlainValue) -> Problem:
    if not subject and yours.type == "NoneType":
        return Problem(f"expected {_plainly(expected)}, you returned {_described(yours)}", _headline(yours))
    headline = {"bool": "wrong behaviour", "int": "wrong number"}.get(expected.type, "")
    if subject and expected.type == yours.type == "bool":  # the title of an observation is a sentence
        return Problem(f"{subject}this should {'be so, and is not' if expected.value else 'not be so'}", headline)
    words = expected.type == yours.type == "str"  # words of the probe, such as "a buffer", never a student's text
    wanted, given = (str(one.value) if words else _plainly(one) for one in (expected, yours))
    if yours.type == "NoneType":
        given, headline = MISSING, SOMETHING_MISSING
    return Problem(f"{subject}expected {wanted}, yours is {given}", headline)


def _plainly(value: PlainValue) -> str:
    if isinstance(value.value, bool):
        return "yes" if value.value else "no"
    return repr(value.value) if value.type in ("int", "float", "str", "NoneType") else _described(value)


def _difference(yours: Array, expected: Array, wrong: Array, dims: tuple[str, ...]) -> str:
    broken, count = wrong & ~np.isfinite(yours), int(wrong.sum())
    first = tuple(int(i) for i in np.argwhere(broken if broken.any() else wrong)[0])
    if broken.any():
        names = sorted({str(float(number)) for number in yours[broken].ravel()})
        return f"{' and '.join(names)} in {int(broken.sum())} of {yours.size} places{_place(first, dims)}; expected {expected[first]:.4f}"
    if expected.dtype.kind != "f":
        what = "places differ" if expected.dtype == bool else "integers differ"
        where = f"{count} of {yours.size} {what}, the first{_place(first, dims)}"
        return f"{where}: expected {expected[first]}, yours {yours[first]}"
    with np.errstate(invalid="ignore"):
        size = np.where(wrong, np.abs(yours.astype(float) - expected.astype(float)), -1.0)
    at = tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
    where = f"{count} of {yours.size} numbers differ, most" if yours.size > 1 else "the number differs"
    digits = 4 if abs(float(expected[at]) - float(yours[at])) > 1e-3 else 7
    return f"{where}{_place(at, dims)}: expected {expected[at]:.{digits}f}, yours {yours[at]:.{digits}f}"


def _place(at: tuple[int, ...], dims: tuple[str, ...]) -> str:
    if not at:
        return ""
    return " at [" + ", ".join(f"{name} {i}" if name else str(i) for name, i in zip(dims, at, strict=True)) + "]"


def _problem_with_gradients(sheet: Sheet) -> Problem | None:
    answer, expected = sheet.answer, sheet.key.expected
    if answer.gradient_error:
        return Problem(f"backward fails: {answer.gradient_error}")
    for name, wanted in expected.gradients.items():
        given = answer.gradients.get(name)
        if same_gradient(given, wanted, sheet.key.tolerance):
            continue
        view = sheet.view(f"gradient of {name}", wanted, given, sheet.step.arguments.get(name, "..."))
        said = f"the gradient with respect to `{name}` is not"
        if name not in answer.gradients:
            said = f"`{name}` is no parameter, so nothing trains it"
        elif given is None:
            said = f"no gradient reaches `{name}`: something cuts it off from the computation"
        return Problem(f"the numbers are right, but {said}", picture=view)
    return None
