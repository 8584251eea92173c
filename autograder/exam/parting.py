"""Where the flow of shapes of a submission parts from the reference's.

Correct code may take any way: only where something else comes out is there a parting at all.
"""

from dataclasses import dataclass

from autograder.course.flow import Flow, Form, Line, Made
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
    lines = range(len(yours.lines))
    first = next(
        (at for at in lines if any(parts(yours.lines[at], made, reference) for made in yours.lines[at].made)), None
    )
    if first is None and yours.stopped:
        return Parting(len(yours.lines) - 1)
    if first is None:
        came_out = yours.outputs.get(output)
        first = next((at for at in reversed(lines) if any(came_out in one.forms for one in yours.lines[at].made)), None)
    if first is None:
        return Parting(None, output)
    while first and not yours.failure and _is_unknown(yours.lines[first - 1], reference):
        first -= 1
    return Parting(first, output)


def parts(line: Line, made: Made, reference: ReferenceFlow) -> bool:
    """Tell whether something has another shape than what has its name in the reference's flow."""
    if made.is_step or name_of(line, made) not in reference.named:
        return False
    return any(form not in reference.named[name_of(line, made)] for form in made.forms)


def _differs(yours: Form | None, expected: Form) -> bool:
    """Tell whether an output is no tensor of the expected shape, or a tensor where none is expected."""
    if isinstance(expected, tuple) or isinstance(yours, tuple):
        return yours != expected
    return yours is None


def _is_unknown(line: Line, reference: ReferenceFlow) -> bool:
    """Tell whether the reference has neither the names that got a value on a line nor their shapes."""
    named = [made for made in line.made if not made.is_step]
    return bool(named) and all(
        name_of(line, made) not in reference.named and not reference.known.intersection(made.forms) for made in named
    )
