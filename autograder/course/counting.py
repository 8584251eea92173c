"""What counts, and when it was due, as `[steps]`, `[due]` and `[late]` of `course.toml` say.

[steps]
"part1_basics.softmax" = { factor = 2 } # or { factor = 0 }, not counted, or { bonus = true }

[due]
part1_basics = 2026-10-01T23:59:00+02:00

[late]
percent_per_day = 10
at_most_days = 5
grace_minutes = 15
"""

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from math import inf
from typing import Any

MOST = 1e9
"""Nothing is counted by a larger number."""


@dataclass(frozen=True)
class Weight:
    """How a step counts. factor: what its points are multiplied by, 0 for a step that is not counted.

    bonus: whether it adds to the points that were earned and not to those that could be.
    """

    factor: float = 1.0
    bonus: bool = False

    @property
    def words(self) -> str:
        """How it counts, as students read it; empty where it counts as it is."""
        if not self.factor:
            return "not counted"
        times = "" if self.factor == 1 else f"counts {self.factor:g} times"
        return ", ".join(filter(None, ["a bonus" if self.bonus else "", times]))


@dataclass(frozen=True)
class Late:
    """What late work loses: a percentage of its points for each day that has begun.

    at_most_days: what comes later than that earns nothing. grace_minutes: by how much it is due later in truth; days are counted from
    there. at_most_percent: no more than that is lost, within these days.
    """

    percent_per_day: float = 0.0
    at_most_days: float = inf
    grace_minutes: float = 0.0
    at_most_percent: float = 100.0


AS_IT_IS = Weight()
"""How a step counts of which the course says nothing."""


@dataclass(frozen=True)
class Counting:
    """What a course says of what counts.

    steps: by path. due: until when each part is to be handed in; any other has no date.
    """

    steps: Mapping[str, Weight] = field(default_factory=dict)
    due: Mapping[str, datetime] = field(default_factory=dict)
    late: Late = Late()

    def weight(self, path: str) -> Weight:
        """Return how a step counts."""
        return self.steps.get(path, AS_IT_IS)

    def due_words(self, part: str) -> str:
        """Return until when a part is to be handed in, in the zone that the course gives; empty where it has no date."""
        return f"due {self.due[part]:%Y-%m-%d %H:%M %Z}" if part in self.due else ""


def read_counting(data: Mapping[str, Any]) -> Counting:
    """Return what the tables say, in which there are no problems."""
    return Counting(
        steps={path: Weight(**weight) for path, weight in data.get("steps", {}).items()},
        due=dict(data.get("due", {})),
        late=Late(**data.get("late", {})),
    )


def problems_with_counting(data: Mapping[str, Any], parts: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with the tables. Which steps there are is not known here: only their parts are looked at."""
    tables = {name: data.get(name, {}) for name in ("steps", "due", "late")}
    if wrong := [name for name, table in tables.items() if not isinstance(table, dict)]:
        yield f"{wrong[0]} is {tables[wrong[0]]!r}; expected a table, `[{wrong[0]}]`"
        return
    for path, weight in tables["steps"].items():
        yield from _unknown("steps", [path.partition(".")[0]], parts) if "." in path else _no_step(path)
        yield from _problems_of_step(path, weight)
    yield from _unknown("due", tables["due"], parts)
    for part, time in tables["due"].items():
        if not isinstance(time, datetime) or time.tzinfo is None:
            yield f"due.{part} is {str(time)!r}; expected a time with its zone, such as `2026-10-01T23:59:00+02:00`"
    yield from _unknown("late", tables["late"], [one.name for one in fields(Late)])
    for name, number in tables["late"].items():
        if not _is_number(number):
            yield f"late.{name} is {number!r}; expected a number from 0 on"


def unknown_steps(counting: Counting, steps: Collection[str]) -> Iterator[str]:
    """Yield a problem for each step that the course has no more. steps: the paths of those that it has."""
    return _unknown("steps", counting.steps, steps)


def _no_step(name: str) -> Iterator[str]:
    yield f'steps names {name!r}; expected part and step in quotes, such as `"{name}.STEP" = {{ factor = 2 }}`'


def _problems_of_step(path: str, weight: Any) -> Iterator[str]:
    if not isinstance(weight, dict):
        yield f'steps."{path}" is {weight!r}; expected `{{ factor = 2 }}`, `{{ factor = 0 }}` or `{{ bonus = true }}`'
        return
    yield from _unknown(f'steps."{path}"', weight, [one.name for one in fields(Weight)])
    if not _is_number(weight.get("factor", 1)):
        yield f'steps."{path}".factor is {weight["factor"]!r}; expected a number from 0 on'
    if not isinstance(weight.get("bonus", True), bool):
        yield f'steps."{path}".bonus is {weight["bonus"]!r}; expected true or false'


def _unknown(table: str, names: Collection[str], known: Collection[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0)
            yield f"{table} names {name!r}, which there is not; did you mean {near[0]!r}?"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST
