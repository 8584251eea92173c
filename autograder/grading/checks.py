"""The checks of one case: does it run, shape, dtype, values, inputs untouched, gradients."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from autograder.course import shapes
from autograder.course.answer import EACH, LACK, PAIRS, Answer, Array, Failure, PlainValue, TensorValue, Value, within
from autograder.course.model import SINGLE
from autograder.course.tolerances import Tolerance
from autograder.course.verdicts import Verdict
from autograder.exam.agreement import has_right_numbers, same_gradient, same_value
from autograder.exam.model import KeyCase, PaperCase
from autograder.exam.syllabus import FORM, GRADIENTS, UNTOUCHED, Syllabus, SyllabusStep
from autograder.grading import pictures
from autograder.grading.pictures import CHANGED, Boxes, Picture, boxes_of, view_of
from autograder.grading.results import Check

NUMBERS = ("int", "float", "bool")
"""The types of Python's own numbers."""

NOTHING_RETURNED = "nothing returned"

WITHOUT_A_WORD = "it raised an exception that has no name and says nothing"
"""Of a failure without a message: what has none has not passed."""

MISSING, SOMETHING_MISSING = "missing", "something is missing"
"""What None is called that a probe found where something is named, such as an attribute that nobody made; the verdict on it."""


@dataclass(frozen=True)
class Sheet:
    """All that is known about one case when it is marked."""

    syllabus: Syllabus
    paper: PaperCase
    key: KeyCase
    answer: Answer

    @cached_property
    def step(self) -> SyllabusStep:
        """The step of the case."""
        return self.syllabus.part(self.paper.part).step(self.paper.step)

    @property
    def whole_numbers(self) -> dict[str, int]:
        """The whole numbers among the inputs, by name."""
        return {name: value for name, value in self.paper.inputs.items() if type(value) is int and name != "seed"}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The sizes of all named dimensions of the case; a whole number that bears the name of a dimension is one too."""
        given = {name: value for name, value in self.whole_numbers.items() if name in self.syllabus.dimensions}
        sizes = shapes.bind_all(self.step.arguments, self.key.shapes) | given
        for output, expected in self.key.expected.outputs.items():
            if isinstance(expected, TensorValue):
                sizes |= shapes.bind(self.dims_of(output), expected.shape)
        return sizes

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The outputs by the criterion for which they count."""
        named = {output: criterion.name for criterion in self.step.criteria for output in criterion.outputs}
        groups: dict[str, tuple[str, ...]] = {}
        for output in self.key.expected.outputs:
            criterion = named.get(output, self.key.criterion)
            groups[criterion] = (*groups.get(criterion, ()), output)
        return groups

    @cached_property
    def fixed(self) -> frozenset[str]:
        """The criteria for which all outputs are the same in every exam."""
        return frozenset(name for name, outputs in self.groups.items() if {*outputs} <= {*self.key.fixed})

    @cached_property
    def plain(self) -> frozenset[str]:
        """The criteria for which no output is a tensor."""
        expected = self.key.expected.outputs
        return frozenset(
            name
            for name, outputs in self.groups.items()
            if all(isinstance(expected[output], PlainValue) for output in outputs)
        )

    def has_right_numbers(self, output: str) -> bool:
        """Return whether an output has the expected numbers, in whatever form."""
        yours, expected = self.answer.outputs[output], self.key.expected.outputs[output]
        return has_right_numbers(yours, expected, self.key.tolerance)

    def dims_of(self, output: str) -> str:
        """The dimensions of an output, as the syllabus names them."""
        return self.step.dims_of(output)

    def title_of(self, output: str) -> str:
        """How a message names an output; empty if there is only one."""
        return self.step.title_of(output)

    def picture_of(self, output: str) -> Picture | None:
        """The expected and the given tensor to be drawn, if both have numbers."""
        expected, yours = self.key.expected.outputs[output], self.answer.outputs[output]
        if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
            return None
        return self._compared(self.title_of(output), expected.array, yours.array, self.dims_of(output))

    def picture_of_gradient(self, name: str) -> Picture | None:
        """The expected and the given gradient to be drawn, if there is one."""
        wanted, given = self.key.expected.gradients[name], self.answer.gradients.get(name)
        return self._compared(f"gradient of {name}", wanted, given, self.step.arguments.get(name, "..."))

    def picture_of_change(self) -> Picture | None:
        """The first changed input before and after the run, to be drawn if numbers differ visibly."""
        name = self.answer.changed_inputs[0]
        before, after = self.paper.inputs.get(name), self.answer.changed_to
        if not isinstance(before, np.ndarray) or after is None or after.dtype != before.dtype:
            return None
        picture = self._picture(f"argument {name}", before, after, self.step.arguments.get(name, "..."))
        if picture is None or not pictures.wrong_cells(after, before).any():
            return None
        return replace(picture, titles=CHANGED)

    def boxes_of(self, output: str) -> Boxes | None:
        """The expected and the given shape to be drawn, if both are tensors."""
        expected, yours = self.key.expected.outputs[output], self.answer.outputs[output]
        if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
            return None
        dims = shapes.names_of(self.dims_of(output), len(expected.shape))
        return boxes_of(
            self.title_of(output), expected.shape, yours.shape, dims, shapes.recognise(yours.shape, self.sizes)
        )

    def _compared(self, name: str, expected: Array | None, yours: Array | None, dims: str) -> Picture | None:
        """Return a picture in which those numbers are wrong that are so by the tolerance of the case."""
        picture = self._picture(name, expected, yours, dims)
        return picture and replace(picture, wrong=wrong_cells(picture.yours, picture.expected, self.key.tolerance))

    def _picture(self, name: str, expected: Array | None, yours: Array | None, dims: str) -> Picture | None:
        if expected is None or yours is None or expected.shape != yours.shape or not expected.size:
            return None
        names = shapes.names_of(dims, expected.ndim)
        return Picture(name, expected, yours, names, self.key.labels, self.syllabus.words)


@dataclass(frozen=True)
class Problem:
    """What is wrong with an answer, in the words and drawings of the check that finds it; nothing if there is no message."""

    message: str = ""
    picture: Picture | None = None
    boxes: Boxes | None = None
    headline: str = ""


RIGHT = Problem()


@dataclass(frozen=True)
class _Finding:
    """What one check found, and the criterion for which it counts."""

    check: str
    criterion: str
    problem: Problem = RIGHT


def check_case(sheet: Sheet, drawn: bool = True) -> tuple[Check, ...]:
    """Make all checks of a case, in order, up to one that leaves nothing to compare. drawn: whether the first that fails is drawn."""
    findings = tuple(_findings(sheet))
    first = next((found for found in findings if found.problem.message), None) if drawn else None
    return tuple(_check(sheet.paper.name, found, found is first) for found in findings)


def _findings(sheet: Sheet) -> Iterator[_Finding]:
    own = sheet.key.criterion
    if sheet.answer.failure:
        yield _Finding("runs", own, Problem(_told(sheet.answer.failure)))
        return
    yield _Finding("runs", own)
    if structure := _problem_with_structure(sheet):
        yield _Finding("shape", own, structure)
        yield _Finding("inputs_untouched", UNTOUCHED, _problem_with_inputs(sheet))
        return
    groups = {**sheet.groups}
    compared = tuple(_compared(sheet, own, groups.pop(own, ())))
    yield from compared
    yield _Finding("inputs_untouched", UNTOUCHED, _problem_with_inputs(sheet))
    right = not any(found.problem.message and found.criterion == own for found in compared)
    if right and sheet.key.expected.gradients:
        yield _Finding("gradients", GRADIENTS, _problem_with_gradients(sheet))
    for criterion, outputs in groups.items():
        yield from _compared(sheet, criterion, outputs)


def _compared(sheet: Sheet, criterion: str, outputs: Sequence[str]) -> Iterator[_Finding]:
    """Compare the outputs of one criterion. Where their numbers are right all the same, another form fails that of the form alone, if
    anything is given for that.
    """
    if lack := next(_lacks(sheet, outputs), None):
        yield _Finding("values", criterion, lack)
        return
    shape = next(_shape_problems(sheet, outputs), RIGHT)
    dtype = next(_dtype_problems(sheet, outputs), RIGHT)
    comparable = not shape.message and not dtype.message
    values = next(_value_problems(sheet, outputs), RIGHT) if comparable else RIGHT
    right = not values.message and (comparable or all(map(sheet.has_right_numbers, outputs)))
    has_form = any(one.name == FORM for one in sheet.step.criteria)
    of_form = FORM if right and has_form and criterion == sheet.key.criterion else criterion
    yield _Finding("shape", of_form, shape)
    yield _Finding("dtype", of_form, dtype)
    if comparable or right:
        yield _Finding("values", criterion, values)


def _check(case: str, found: _Finding, drawn: bool) -> Check:
    problem = found.problem
    return Check(
        case,
        found.check,
        passed=not problem.message,
        message=problem.message,
        picture=view_of(problem.picture) if drawn and problem.picture else None,
        boxes=problem.boxes if drawn else None,
        headline=problem.headline,
        criterion=found.criterion,
    )


def _told(failure: Failure) -> str:
    if failure.kind == Verdict.NOT_ATTEMPTED:
        return "not written yet: the stub's `raise NotImplementedError` was reached"
    return failure.message.strip() or WITHOUT_A_WORD


def _problem_with_structure(sheet: Sheet) -> Problem | None:
    expected, yours = sheet.key.expected.outputs, sheet.answer.outputs
    if expected.keys() == yours.keys():
        return None
    names = [sheet.title_of(name) for name in expected]
    several = f"{len(expected)} tensors ({', '.join(names)})" if len(expected) > 1 else "one tensor"
    only = next(iter(yours.values())) if len(yours) == 1 else None
    if only is not None and SINGLE in yours:
        said = f"expected {several}, you returned {_what(only)}{_advice(sheet, next(iter(expected.values())), only)}"
        return Problem(said, headline=_headline(only))
    advice = _advice_on_several(next(iter(expected.values())), len(yours)) if len(expected) == 1 else ""
    said = f"expected {several}, you returned {len(yours)} in a tuple or list{advice}"
    return Problem(said, headline="wrong number of tensors")


def _advice_on_several(expected: Value, number: int) -> str:
    """Say how to make one tensor of one in brackets, or of as many as it has rows; else nothing."""
    if number == 1:
        return ": return the tensor itself, without brackets or a comma after it"
    rows = expected.shape[0] if isinstance(expected, TensorValue) and expected.shape else 0
    return ": `torch.stack` makes one tensor of them" if number == rows else ""


def _headline(value: Value) -> str:
    """Return what to call an answer that is no tensor, or one where there should be several."""
    if isinstance(value, TensorValue):
        return "wrong number of tensors"
    return NOTHING_RETURNED if value.type == "NoneType" else "not a tensor"


def _what(value: Value) -> str:
    if isinstance(value, TensorValue):
        return f"one tensor of shape {shapes.write(value.shape)}"
    if value.type == "NoneType":
        return "None. Is a `return` missing?"
    if value.type in ("bool", "int", "float"):
        return f"the Python {value.type} {value.value}"
    return f"a {value.type}" + (f" ({value.value})" if value.value else "")


def _pairs(sheet: Sheet, outputs: Sequence[str]) -> Iterator[tuple[str, Value, Value]]:
    """Yield the name, the expected and the given value of each output."""
    for name in outputs:
        yield name, sheet.key.expected.outputs[name], sheet.answer.outputs[name]


def _lacks(sheet: Sheet, outputs: Sequence[str]) -> Iterator[Problem]:
    """Yield what the probe says of outputs that are not there."""
    for name, _, yours in _pairs(sheet, outputs):
        if isinstance(yours, PlainValue) and yours.type == LACK:
            yield Problem(f"{_subject(sheet, name)}{yours.value or MISSING}", headline=SOMETHING_MISSING)


def _shape_problems(sheet: Sheet, outputs: Sequence[str]) -> Iterator[Problem]:
    for name, expected, yours in _pairs(sheet, outputs):
        if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
            continue
        if expected.shape != yours.shape:
            boxes = sheet.boxes_of(name)
            wanted = shapes.write(expected.shape, shapes.names_of(sheet.dims_of(name), len(expected.shape)))
            given = shapes.write(yours.shape, tuple(called for called, _, _ in boxes.yours) if boxes else ())
            yield Problem(f"{_subject(sheet, name)}expected shape {wanted}, yours is {given}", boxes=boxes)


def _dtype_problems(sheet: Sheet, outputs: Sequence[str]) -> Iterator[Problem]:
    for name, expected, yours in _pairs(sheet, outputs):
        subject = _subject(sheet, name)
        if isinstance(expected, TensorValue) and isinstance(yours, PlainValue):
            wanted = shapes.write(expected.shape, shapes.names_of(sheet.dims_of(name), len(expected.shape)))
            missing = subject and yours.type == "NoneType"
            what = MISSING if missing else _what(yours)
            came = f"{'yours is' if subject else 'you returned'} {what}{_advice(sheet, expected, yours)}"
            headline = SOMETHING_MISSING if missing else _headline(yours)
            yield Problem(f"{subject}expected a tensor of shape {wanted}, {came}", headline=headline)
        elif isinstance(expected, TensorValue) and isinstance(yours, TensorValue) and expected.dtype != yours.dtype:
            as_inputs = ", as the inputs have" if expected.dtype.startswith("float") else ""
            booleans = ". A comparison makes booleans, or `.bool()`" if expected.dtype == "bool" else ""
            yield Problem(f"{subject}expected dtype {expected.dtype}{as_inputs}; yours is {yours.dtype}{booleans}")
        elif isinstance(expected, PlainValue) and isinstance(yours, TensorValue):
            came = f"yours is a tensor of shape {shapes.write(yours.shape)}"
            yield Problem(f"{subject}expected {_plainly(expected)}, {came}", headline="a tensor too many")
        elif (
            isinstance(expected, PlainValue)
            and isinstance(yours, PlainValue)
            and expected.type != yours.type
            and sheet.has_right_numbers(name)
        ):
            said = f"{subject}expected a Python {expected.type}, yours is {_what(yours)}"
            yield Problem(said, headline="wrong type")


def _advice(sheet: Sheet, expected: Value, value: Value) -> str:
    """Say what to do with an answer that is no tensor."""
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
    title = sheet.title_of(output)
    return f"{title}: " if title else ""


def _value_problems(sheet: Sheet, outputs: Sequence[str]) -> Iterator[Problem]:
    """Yield what is wrong with each output whose values are wrong."""
    for name, expected, yours in _pairs(sheet, outputs):
        subject = _subject(sheet, name)
        if isinstance(expected, PlainValue) and isinstance(yours, PlainValue):
            if not same_value(yours, expected, sheet.key.tolerance):
                yield _wrong_value(subject, expected, yours)
        elif isinstance(expected, TensorValue) and isinstance(yours, TensorValue) and expected.array is not None:
            dims = shapes.names_of(sheet.dims_of(name), len(expected.shape))
            if yours.array is None:
                yield Problem(f"{subject}the numbers could not be read")
            elif problem := _difference(yours.array, expected.array, sheet.key.tolerance, dims):
                yield Problem(subject + problem, sheet.picture_of(name))


def _wrong_value(subject: str, expected: PlainValue, yours: PlainValue) -> Problem:
    if not subject and yours.type == "NoneType":
        return Problem(f"expected {_plainly(expected)}, you returned {_what(yours)}", headline=NOTHING_RETURNED)
    headline = {"bool": "wrong behaviour", "int": "wrong number"}.get(expected.type, "")
    if subject and expected.type == yours.type == "bool":  # what is observed has a sentence for its name
        said = "this should be so, and is not" if expected.value else "this should not be so"
        return Problem(subject + said, headline=headline)
    words = expected.type == yours.type == "str"  # the probe's own, such as "a buffer": no text that a student wrote
    wanted, given = (str(one.value) if words else _plainly(one) for one in (expected, yours))
    if yours.type == "NoneType":
        given, headline = MISSING, SOMETHING_MISSING
    return Problem(f"{subject}expected {wanted}, yours is {given}", headline=headline)


def _plainly(value: PlainValue) -> str:
    if isinstance(value.value, bool):
        return "yes" if value.value else "no"
    return repr(value.value) if value.type in ("int", "float", "str", "NoneType") else _what(value)


def wrong_cells(yours: Array, expected: Array, tolerance: Tolerance) -> Array:
    """Return where two arrays of one shape differ by more than the tolerance."""
    wrong: Array = ~within(yours, expected, tolerance)
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
    if expected.dtype.kind != "f":
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        what = "places differ" if expected.dtype == bool else "integers differ"
        where = f"{count} of {yours.size} {what}, the first{_place(at, dims)}"
        return f"{where}: expected {expected[at]}, yours {yours[at]}"
    with np.errstate(invalid="ignore"):
        size = np.where(wrong, np.abs(yours.astype(float) - expected.astype(float)), -1.0)
    at = tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
    where = f"{count} of {yours.size} numbers differ, most" if yours.size > 1 else "the number differs"
    digits = 4 if abs(float(expected[at]) - float(yours[at])) > 1e-3 else 7
    return f"{where}{_place(at, dims)}: expected {expected[at]:.{digits}f}, yours {yours[at]:.{digits}f}"


def _spell(number: float) -> str:
    return "nan" if np.isnan(number) else ("inf" if number > 0 else "-inf")


def _place(at: tuple[int, ...], dims: tuple[str, ...]) -> str:
    if not at:
        return ""
    return " at [" + ", ".join(f"{name} {i}" if name else str(i) for name, i in zip(dims, at, strict=True)) + "]"


def _problem_with_inputs(sheet: Sheet) -> Problem:
    if not sheet.answer.changed_inputs:
        return RIGHT
    names = ", ".join(f"`{name}`" for name in sheet.answer.changed_inputs)
    said = f"your code writes into its argument {names}. Work on a new tensor."
    return Problem(said, sheet.picture_of_change())


def _problem_with_gradients(sheet: Sheet) -> Problem:
    answer, expected = sheet.answer, sheet.key.expected
    if answer.gradient_error:
        return Problem(f"backward fails: {answer.gradient_error}")
    for name in expected.gradients:
        given = answer.gradients.get(name)
        if not same_gradient(given, expected.gradients[name], sheet.key.tolerance):
            if name not in answer.gradients:
                return Problem(f"the numbers are right, but `{name}` is no parameter, so nothing trains it")
            if given is None:
                said = f"no gradient reaches `{name}`: something cuts it off from the computation"
                return Problem(f"the numbers are right, but {said}")
            said = f"the gradient with respect to `{name}` is not"
            return Problem(f"the numbers are right, but {said}", sheet.picture_of_gradient(name))
    return RIGHT
