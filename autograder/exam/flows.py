"""The reference's flows of shapes, as students have them: names and shapes, case by case, and no line of the reference."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.course.flow import RETURN, Flow, Form, Line, Made, form_of

SCHEMA = "attn-shapes/1"


@dataclass(frozen=True)
class ReferenceFlow:
    """What the reference makes in one case: the forms of what has a name, of what has none, and of what the probe observes."""

    named: Mapping[str, tuple[Form, ...]]
    unnamed: tuple[Form, ...]
    outputs: Mapping[str, Form]

    @property
    def known(self) -> frozenset[Form]:
        """All forms that anything has on the way."""
        return frozenset(self.unnamed).union(*self.named.values())


def summary_of(flow: Flow) -> ReferenceFlow:
    """Return of a flow what is kept."""
    named: dict[str, tuple[Form, ...]] = {}
    unnamed: dict[Form, None] = {}
    for line in flow.lines:
        for made in line.made:
            if made.is_step:
                unnamed |= dict.fromkeys(made.forms)
            else:
                name = name_of(line, made)
                named[name] = tuple(dict.fromkeys((*named.get(name, ()), *made.forms)))
    return ReferenceFlow(named, tuple(unnamed), flow.outputs)


def name_of(line: Line, made: Made) -> str:
    """Return the name by which something is looked up in another flow; what functions return has the function's."""
    return f"{RETURN} {line.function}" if made.name == RETURN else made.name


def to_json(flows: Mapping[str, ReferenceFlow]) -> str:
    """Return flows by the paths of their cases as JSON text, a case a line."""
    cases = ",\n".join(f"{json.dumps(path)}: {_written(vars(flow))}" for path, flow in flows.items())
    return f'{{"schema": "{SCHEMA}", "cases": {{\n{cases}\n}}}}\n'


def _written(flow: object) -> str:
    return json.dumps(flow, ensure_ascii=False, separators=(",", ":"))


def load(path: Path) -> dict[str, ReferenceFlow]:
    """Read the file of flows. Raises ValueError for any other file, OSError where there is none."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("schema") != SCHEMA:
        raise ValueError(f"expected flows of schema {SCHEMA}, found {data.get('schema')!r}")
    return {
        case: ReferenceFlow(
            {name: tuple(map(form_of, forms)) for name, forms in flow["named"].items()},
            tuple(map(form_of, flow["unnamed"])),
            {name: form_of(form) for name, form in flow["outputs"].items()},
        )
        for case, flow in data["cases"].items()
    }
