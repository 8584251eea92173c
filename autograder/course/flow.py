"""The flow of shapes: which tensors came to be on which line while an implementation ran, as plain data.

Nothing here needs torch.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from autograder.course.answer import Failure, failure_from
from autograder.course.shapes import Shape

Form = Shape | str
"""What a value looks like: a tensor's shape; of anything else, the name of its type."""

NOTHING = "None"
"""The form of None."""

RETURN = "return"
"""The name of what a function returns."""

BUILDING = "__init__"
"""The name of the function that fills a new object."""

MOST_FORMS = 8
"""Of a line that makes tensors of more shapes than this, the first are kept."""

MOST_TIMES = 500
"""A line that runs more often than this is followed no further, so that long loops end in time."""

MOST_STEPS = 5_000
"""Of the operations of a statement that does more than this at once, the first are kept."""

MOST_SKIPPED = 5_000
"""After this many lines that are followed no further, nothing is, but for the time that it takes."""


@dataclass(frozen=True)
class Made:
    """What came to be on a line: under a name, or on the way to one.

    name: of the variable, the attribute (`self.mask`) or the operation. forms: the different ones, in order. times: how many
    there were. is_step: whether it is the result of an operation that has no name yet. within: `list` or `tuple` if they are in
    one; empty for a tensor by itself.
    """

    name: str
    forms: tuple[Form, ...]
    times: int = 1
    is_step: bool = False
    within: str = ""

    def and_again(self, other: "Made") -> "Made":
        """Return this and what came to be under the same name when the line ran again."""
        forms = tuple(dict.fromkeys((*self.forms, *other.forms)))[:MOST_FORMS]
        return replace(self, forms=forms, times=self.times + other.times)


@dataclass(frozen=True)
class Line:
    """A line of an implementation's own code, and what came to be on it. A statement of several lines is its first.

    repeats: whether it stands in a loop.
    """

    function: str
    path: str
    number: int
    text: str
    made: tuple[Made, ...]
    repeats: bool = False


@dataclass(frozen=True)
class Call:
    """A call that the probe made. function: what it called. given: the shape of each tensor, and each number as it is written."""

    function: str
    given: Mapping[str, Form]

    @property
    def builds(self) -> bool:
        """Whether it makes an object, rather than use one."""
        return self.function.endswith(BUILDING)


@dataclass(frozen=True)
class Flow:
    """The lines of one run, in the order in which they came to their ends; each once, however often it ran.

    outputs: what the probe observed, by name. failure: why there are none; the last line is then the one that raised, if that
    is a line of the implementation. operands: the name, or nothing, and the shape of each tensor that the failed operation took.
    called_at: the paths and lines of the implementation's own calls that led to that line, the last first. call: the probe's call
    that led there; of the others, only what made objects is in the lines then. ahead: each function on the way there, with each
    name that it would have given from its line on.
    """

    lines: tuple[Line, ...]
    outputs: Mapping[str, Form] = field(default_factory=dict)
    failure: Failure | None = None
    stopped: bool = False
    operands: tuple[tuple[str, Shape], ...] = ()
    called_at: tuple[tuple[str, int], ...] = ()
    call: Call | None = None
    ahead: tuple[tuple[str, str], ...] = ()


def to_plain(flow: Flow) -> dict[str, Any]:
    """Return a flow as plain data."""
    return asdict(flow)


def from_plain(data: Mapping[str, Any]) -> Flow:
    """Return the flow that plain data holds. Raises ValueError on anything that `to_plain` cannot have made."""
    try:
        return Flow(
            lines=tuple(_line(line) for line in data["lines"]),
            outputs={str(name): form_of(form) for name, form in data["outputs"].items()},
            failure=failure_from(data["failure"]),
            stopped=bool(data["stopped"]),
            operands=tuple((str(name), tuple(map(int, shape))) for name, shape in data["operands"]),
            called_at=tuple((str(path), int(line)) for path, line in data["called_at"]),
            call=_call(data["call"]) if data["call"] else None,
            ahead=tuple((str(function), str(name)) for function, name in data["ahead"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a flow: {error!r}") from error


def _line(data: Mapping[str, Any]) -> Line:
    made = tuple(map(_made, data["made"]))
    return Line(
        str(data["function"]), str(data["path"]), int(data["number"]), str(data["text"]), made, bool(data["repeats"])
    )


def _made(data: Mapping[str, Any]) -> Made:
    forms = tuple(map(form_of, data["forms"]))
    return Made(str(data["name"]), forms, int(data["times"]), bool(data["is_step"]), str(data["within"]))


def _call(data: Mapping[str, Any]) -> Call:
    return Call(str(data["function"]), {str(name): form_of(form) for name, form in data["given"].items()})


def form_of(data: Any) -> Form:
    """Return the form that plain data holds."""
    return data if isinstance(data, str) else tuple(int(size) for size in data)
