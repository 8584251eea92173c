"""Where the flow of shapes of a submission parts from the reference's.

Correct code may take any way: only where something else comes out is there a parting at all.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from autograder.course.flow import NOTHING, RETURN, Flow, Form, Line, Made
from autograder.exam.flows import ReferenceFlow, name_of


@dataclass(frozen=True)
class Parting:
    """Where flows part. line: which line of the submission's flow it is; None where no line shows it.

    output: the first thing that came out in another shape; empty where nothing came out.
    """

    line: int | None
    output: str = ""


def find_parting(yours: Flow, reference: ReferenceFlow) -> Parting | None:
    """Return where a flow parts from the reference's: None where the same shapes come out.

    A line parts whose names have other shapes than the same names of the reference, at the latest the one that raises, or
    the last on which what comes out came to be. Lines before it count too, as long as the reference knows none of their
    shapes.
    """
    wrong = (name for name, form in reference.outputs.items() if _differs(yours.outputs.get(name), form))
    output = "" if yours.failure else next(wrong, "")
    if not yours.failure and not output:
        return None
    differing = (
        at for at, line in enumerate(yours.lines) if any(agrees(line, made, reference) is False for made in line.made)
    )
    first = next(differing, None)
    if first is None and yours.stopped:
        return Parting(len(yours.lines) - 1)
    if first is None and output:
        first = _line_of_output(yours, output)
    if first is None:
        return Parting(None, output)
    while first and not yours.failure and _is_unknown(yours.lines[first - 1], reference):
        first -= 1
    return Parting(first, output)


def _line_of_output(yours: Flow, output: str) -> int | None:
    """Return the last line on which what comes out came to be.

    That is where the attribute of its name did; of a layer's parameter that is missing, where the layer's others did; of
    anything else, where there was something like it, best on a line that names it, or a function returned without it.
    """
    layer, dot, _ = output.rpartition(".")
    came_out = yours.outputs.get(output, NOTHING)
    named = re.compile(rf"\b{re.escape(output)}\b")
    ways: list[Callable[[Line, Made], bool]] = [
        lambda line, made: made.name == f"self.{output}" and came_out in made.forms,
        lambda line, made: bool(dot) and made.name.startswith(f"self.{layer}."),
        lambda line, made: came_out in made.forms and bool(named.search(line.text)),
        lambda line, made: came_out in made.forms,
        lambda line, made: made.name == RETURN,
    ]
    return next((at for at in (_last(yours, way) for way in ways) if at is not None), None)


def _last(yours: Flow, fits: Callable[[Line, Made], bool]) -> int | None:
    lines = list(enumerate(yours.lines))
    return next((at for at, line in reversed(lines) if any(fits(line, made) for made in line.made)), None)


def agrees(line: Line, made: Made, reference: ReferenceFlow) -> bool | None:
    """Tell whether something has the shape of what has its name in the reference's flow.

    None where nothing has its name, and where it is only a part of that: a row, of which the same line makes the others, or
    what is kept in a list. A list or tuple that is returned is one thing too many, unless the reference's is one as well.
    """
    expected = reference.named.get(name_of(line, made), ())
    if made.is_step or not expected:
        return None
    if made.within:
        return set(made.forms) <= set(expected) or (False if made.name == RETURN else None)
    if all(any(_is_part(form, whole, made.times, line.repeats) for whole in expected) for form in made.forms):
        return None
    return all(form in expected for form in made.forms)


def _is_part(form: Form, whole: Form, times: int, repeats: bool) -> bool:
    """Tell whether one shape has some of another's dimensions, and was made often enough for all of it, or is in a loop."""
    if isinstance(form, str) or isinstance(whole, str) or len(form) >= len(whole):
        return False
    sizes = iter(whole)
    parts = math.prod(whole) // max(math.prod(form), 1)
    return all(size in sizes for size in form) and (repeats or (times > 1 and times % max(parts, 1) == 0))


def _differs(yours: Form | None, expected: Form) -> bool:
    """Tell whether an output is no tensor of the expected shape, or a tensor where none is expected."""
    if isinstance(expected, tuple) or isinstance(yours, tuple):
        return yours != expected
    return yours is None


def _is_unknown(line: Line, reference: ReferenceFlow) -> bool:
    """Tell whether the reference has neither the names that got tensors on a line nor their shapes, nor what they are parts of."""
    named = [made for made in line.made if not made.is_step and any(isinstance(form, tuple) for form in made.forms)]
    return bool(named) and not any(
        name_of(line, made) in reference.named
        or form in reference.known
        or _is_part_of_any(form, made, line, reference)
        for made in named
        for form in made.forms
    )


def _is_part_of_any(form: Form, made: Made, line: Line, reference: ReferenceFlow) -> bool:
    return any(_is_part(form, whole, made.times, line.repeats) for whole in reference.known)
