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
    the last on which what comes out came to be.
    """
    names = dict.fromkeys((*reference.outputs, *yours.outputs))
    wrong = (name for name in names if _differs(yours.outputs.get(name), reference.outputs.get(name, NOTHING)))
    output = "" if yours.failure else next(wrong, "")
    if not yours.failure and not output:
        return None
    differing = (
        at
        for at, line in enumerate(yours.lines)
        if any(agrees(line, made, yours, reference) is False for made in line.made)
    )
    first = next(differing, None)
    if first is None and yours.stopped:
        return Parting(len(yours.lines) - 1)
    if first is None and output:
        first = _line_of_output(yours, output)
    if first is None:
        return Parting(None, output)
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


def agrees(line: Line, made: Made, yours: Flow, reference: ReferenceFlow) -> bool | None:
    """Tell whether something has the shape of what has its name in the reference's flow.

    None where nothing has its name, where it is only a part of that: a row, of which the same line makes the others, or
    what is kept in a list, and where its name is for something else further on. A list or tuple that is returned is one
    thing too many, unless the reference's is one as well.
    """
    agreed = _has_the_shape(line, made, reference)
    return None if agreed is False and _is_on_the_way(line, made, yours, reference) else agreed


def _is_on_the_way(line: Line, made: Made, yours: Flow, reference: ReferenceFlow) -> bool:
    """Tell whether a name holds something only until what the reference has under it, or what it makes of that, is made of it.

    `keys = W_key(x)` is no mistake where `keys = keys.view(...)` follows, or would have had nothing raised; nor is
    `keys = keys.transpose(-2, -1)` where the scores that follow are right.
    """
    if made.name == RETURN:
        return False
    place, after = (line.path, line.function), yours.lines.index(line) + 1
    later = [one for one in yours.lines[after:] if (one.path, one.function) == place]
    if (line.function, made.name) in yours.ahead or any(_gives_other_shapes(one, made) for one in later):
        return True
    use = next((one for one in later if re.search(rf"\b{re.escape(made.name)}\b", one.text)), None)
    is_step = set(made.forms) <= set(reference.unnamed)
    return use is not None and is_step and _makes_what_is_known(use, made.name, reference)


def _gives_other_shapes(line: Line, before: Made) -> bool:
    """Tell whether a line gives a name none of the shapes that it had; what is written into keeps its own."""
    again = (made for made in line.made if made.name == before.name and not made.is_step)
    return any(set(made.forms).isdisjoint(before.forms) for made in again)


def _makes_what_is_known(line: Line, of: str, reference: ReferenceFlow) -> bool:
    """Tell whether a line makes other names of what has one, with shapes of the reference's, and none another than its own."""
    named = [made for made in line.made if not made.is_step]
    return bool(named) and all(
        made.name != of
        and reference.known.issuperset(made.forms)
        and _has_the_shape(line, made, reference) is not False
        for made in named
    )


def _has_the_shape(line: Line, made: Made, reference: ReferenceFlow) -> bool | None:
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
