"""A submission as text: the modules of one student's folder, read without running them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.answer import Failure

LARGEST_FILE = 1_000_000


@dataclass(frozen=True)
class Source:
    """The text of one module, and the path under which a traceback shows it."""

    path: str
    text: str


@dataclass(frozen=True)
class Submission:
    """What a student handed in.

    modules: by name, the parts and any helper modules beside them. problems: why a part could not be read.
    """

    name: str
    modules: dict[str, Source] = field(default_factory=dict)
    problems: dict[str, Failure] = field(default_factory=dict)


def read_folder(folder: Path, parts: Iterable[str], shown_as: str = "") -> Submission:
    """Read all Python modules of a folder. shown_as: how messages name the folder; its name where empty."""
    shown = shown_as or folder.name
    modules: dict[str, Source] = {}
    problems: dict[str, Failure] = {}
    for path in sorted(folder.glob("*.py")):
        source, problem = _read(path, f"{shown}/{path.name}")
        if source:
            modules[path.stem] = source
        elif problem:
            problems[path.stem] = problem
    for part in parts:
        if part not in modules and part not in problems:
            message = f"there is no {shown}/{part}.py. `attn reset {part}` puts a fresh stub there."
            problems[part] = Failure("missing", message)
    return Submission(folder.name, modules, problems)


def _read(path: Path, shown: str) -> tuple[Source | None, Failure | None]:
    try:
        content = path.read_bytes()
    except OSError as error:
        return None, Failure("missing", f"{shown} could not be read: {error.strerror}")
    if len(content) > LARGEST_FILE:
        return None, Failure("missing", f"{shown} has {len(content):,} bytes; a part has at most {LARGEST_FILE:,}")
    try:
        return Source(shown, content.decode("utf-8-sig")), None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return None, Failure(
            "missing", f"{shown} is not UTF-8 text: byte {content[error.start]:#04x} in line {line}. Save it as UTF-8."
        )
