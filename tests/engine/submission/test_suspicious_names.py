"""Imports that no step needs, and names that lead into the interpreter, are flagged, and nothing else is."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from submissions import natural_submissions

from autograder.submission.model import Block, Look, Source, Urgency
from autograder.submission.suspicious_names import LONGEST, MOST_NAMED, suspicious_names
from autograder.workspace import Workspace

HOSTILE = Path(__file__).parents[1] / "classroom" / "hostile"
BY_NAME = ("end_exit", "lie_patched_by", "lie_patched_probe", "process_programs", "read_", "search_memory", "state_of_modules")  # fmt: skip
"""Beginnings of the names of attacks that use what is flagged."""


def flags(text: str, **others: str) -> list[Look]:
    sources = {name: Source.module(f"ada/{name}.py", written) for name, written in {"part1": text, **others}.items()}
    return suspicious_names(sources, {"part1", "part2"})


def flagged(text: str) -> list[str]:
    return [name for flag in flags(text) for name in re.findall(r"`([^`]+)` \(", flag.says)]


SUSPICIOUS = {
    "import os as torch": "os",
    "from os import _exit as softmax": "os",
    "import ｇｃ": "gc",
    "def f():\n    import importlib.util": "importlib.util",
    "import torch, \\\n  subprocess": "subprocess",
    "from autograder.exam import files": "autograder.exam",
    "import warnings\nwarnings.sys.modules": "warnings.sys",
    "from warnings import sys as w": "warnings.sys",
    "import warnings\ngetattr(warnings, 'sy' + 's')": "getattr(warnings)",
    "import torch\ntorch.__dict__['soft' + 'max']": "torch.__dict__",
    "import torch\nwith torch._C.DisableTorchFunction(): pass": "torch._C",
    "from torch import (nn,  # layers\n    _C as own)": "torch._C",
    "import torch\nown = torch.ops.aten": "torch.ops",
    "import torch.onnx as own": "torch.onnx",
    "__import__('os')._exit(0)": "__import__",
    "globals()['torch']": "globals",
    "def f(error):\n    return error.__traceback__.tb_frame.f_back": "f_back",
    "print.__self__.all = lambda _: True": "print.__self__",
    "().__class__.__base__.__subclasses__()": "__subclasses__",
    "def f(): pass\nf.__code__ = None": "f.__code__",
    "import pydoc\npydoc.locate('sys')": "pydoc",
    "from importlib.metadata import EntryPoint": "importlib.metadata",
    "(type(lambda: 0))(compile('1', '', 'eval'), {})": "compile",
}


@pytest.mark.parametrize(("text", "name"), SUSPICIOUS.items(), ids=SUSPICIOUS)
def test_a_suspicious_name_is_flagged(text: str, name: str) -> None:
    assert name in flagged(text)


def test_a_helper_named_like_a_library_does_not_stand_in_for_it() -> None:
    """Python does not import it in place of the library either."""
    assert [flag.says for flag in flags("import os\nos._exit(0)", os="")] == ["ada/part1.py uses `os` (line 1)"]


def test_a_definition_that_cannot_be_parsed_hides_no_other() -> None:
    assert flagged("import os\n\ndef softmax(x:\n    return x\n\ndef scores(x):\n    eval('x')\n") == ["os", "eval"]


def test_a_flag_is_to_check_and_names_the_first_line_or_the_cell() -> None:
    assert flags("x = 1\n\ndef f():\n    eval(x)\n    eval(x)\n", tools="import os") == [
        Look(Urgency.CHECK, "ada/part1.py uses `eval` (line 4)", "part1"),
        Look(Urgency.CHECK, "ada/tools.py uses `os` (line 1)", ""),
    ]
    cells = (Block("ada.ipynb, cell 1", "x = 1"), Block("ada.ipynb, cell 2", "eval(x)"))
    (flag,) = suspicious_names({"part1": Source("ada.ipynb", cells, is_notebook=True)}, {"part1"})
    assert flag.says == "ada.ipynb uses `eval` (cell 2)"


def test_the_text_of_a_flag_is_bounded() -> None:
    text = "\n".join(f"import os{number}{'l' * 1_000}" for number in range(90))

    (flag,) = suspicious_names({"part1": Source.module(f"{'folder/' * 100}part1.py", text)}, {"part1"})

    assert flag.says.endswith(f" and {90 - MOST_NAMED} more")
    assert len(flag.says) < (MOST_NAMED + 1) * 2 * LONGEST


@pytest.mark.parametrize(
    "text",
    [
        "print('scores')",
        "import torch\ntorch.backends.cudnn.deterministic = True",
        "import torch\ntorch.manual_seed(1)\nmodel = torch.nn.Linear(2, 2).eval()",
        "def f(exit, gc):\n    return gc.sum() + exit",
        "def f():\n    'What the autograder asks: os._exit is no solution.'",
        "from part2 import model\nmodel.equal = True",
        "import part2, tools\nfrom . import tools as t\nprint(vars(tools), part2.library)",
        "import torch.nn.functional as F\nfrom tqdm.auto import tqdm\nimport warnings\nwarnings.filterwarnings('ignore')",
        "import torch\nprint(torch.__version__, getattr(torch, 'inf'))",
        "def f(self, name):\n    return getattr(self, name), vars(self), self.__dict__",
        "from torch import nn\nclass A(nn.Module):\n    def f(self):\n        return self._ops + self._scores",
    ],
)
def test_honest_code_is_not(text: str) -> None:
    assert flags(text, part2="x = 1", tools="") == []


def honest(course: Workspace) -> Iterator[Path]:
    for pattern in ("solutions/*.py", "exercises/*.py", "course/*/alternatives.py"):
        yield from sorted(course.root.glob(pattern))


def test_no_solution_no_stub_and_no_other_way_to_write_a_step_is_flagged(course: Workspace) -> None:
    texts = {str(path): path.read_text(encoding="utf-8") for path in honest(course)}

    assert len(texts) >= 3 * len(course.course.parts)
    assert [flag.says for path, text in texts.items() for flag in flags(text)] == []


@pytest.mark.slow
def test_no_natural_submission_is_flagged(course: Workspace) -> None:
    own = dict.fromkeys(course.course.parts, Source.module("", ""))
    found = [
        flag.says
        for one in list(natural_submissions())[::9]
        for flag in suspicious_names(own | {one.part: Source.module(one.id, one.module(course))}, own)
    ]

    assert found == []


def test_every_attack_by_name_is_flagged() -> None:
    attacks = [path for path in sorted(HOSTILE.glob("*.py")) if path.stem.startswith(BY_NAME)]

    assert len(attacks) >= 10
    assert [path.name for path in attacks if not flagged(path.read_text(encoding="utf-8"))] == []
