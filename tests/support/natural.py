"""Wrong submissions as students write them, by people who saw the stubs and the lectures alone."""

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.workspace import Workspace

FOLDER = Path(__file__).resolve().parent.parent / "course" / "natural"


@dataclass(frozen=True)
class Natural:
    """One of them. name: its file and its number in it. wrong: what a teacher would say, a sentence a mistake."""

    name: str
    part: str
    step: str
    student: str
    wrong: tuple[str, ...]
    code: str

    def module(self, course: Workspace) -> str:
        """Return the reference module with this code in place of the step's definition."""
        text = (course.solutions / f"{self.part}.py").read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        (node,) = (one for one in ast.parse(text).body if getattr(one, "name", "") == self.step)
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        own = self.code.strip("\n") + "\n"
        return "".join(lines[: first - 1]) + own + "".join(lines[node.end_lineno :])


def natural_submissions(folder: Path = FOLDER) -> Iterator[Natural]:
    """Yield all of them."""
    for path in sorted(folder.glob("*.toml")):
        for number, one in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["submission"]):
            part, _, step = one["step"].partition(".")
            yield Natural(f"{path.stem}-{number}", part, step, one["student"], tuple(one["wrong"]), one["code"])
