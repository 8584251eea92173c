"""What the code of a submission mentions that no step needs is found in its syntax, and nothing else is."""

import re
import textwrap
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.submission import suspicious_names
from autograder.submission.flags import Look, Urgency
from autograder.submission.model import Block, Source
from autograder.submission.suspicious_names import LONGEST, MOST_NAMED, mentions_in
from autograder.workspace import Workspace

HOSTILE = Path(__file__).parents[1] / "classroom" / "hostile"
BY_NAME = (
    *(
        "end_exit",
        "end_system",
        "forbidden_in_onnx",
        "lie_forbidden",
        "lie_patched_",
        "process_programs",
        "read_",
        "search_memory",
    ),
    "state_of_modules",
)
"""What the names of attacks begin with that a mention tells."""


def looks(text: str, **others: str) -> list[Look]:
    sources = {name: Source.module(f"ada/{name}.py", written) for name, written in {"part1": text, **others}.items()}
    return mentions_in(sources, {"part1", "part2"})


def mentioned(text: str) -> list[str]:
    return [name for look in looks(text) for name in re.findall(r"`([^`]+)` \(", look.says)]


# What is found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("exit()", "exit"),
        ("raise SystemExit", "SystemExit"),
        ("import sys\nsys.exit(0)", "sys.exit"),
        ("import os\nos._exit(0)", "os._exit"),
        ("import ｇｃ\nｇｃ.get_objects()", "gc"),
        ("ｏｐｅｎ('/etc/passwd')", "open"),
        ("import os\nos.system('id')", "os.system"),
        ("import os\nos.execvp('sh', [])", "os.execvp"),
        ("import subprocess\nsubprocess.run(['id'])", "subprocess"),
        ("open('/etc/passwd')", "open"),
        ("from pathlib import Path\nkey = Path('/exams').read_bytes()", "read_bytes"),
        ("from pathlib import Path\nfor path in Path('/').iterdir(): pass", "iterdir"),
        ("import torch\nkey = torch.load('class.exam')", "torch.load"),
        ("import autograder.grading.grade", "autograder"),
        ("from autograder.exam import files", "autograder"),
        ("import importlib\nkey = importlib.import_module('autograder.exam')", "autograder"),
        ("from solutions.part1 import softmax", "solutions"),
        ("import sys\nsys.modules['torch'] = None", "sys.modules"),
        ("import sys\ngetattr(sys, 'mod' + 'ules')['auto' + 'grader']", "getattr(sys)"),
        ("import sys as s\nvars(s)['mod' + 'ules']", "vars(sys)"),
        ("import sys\nown = sys", "sys"),
        ("import sys\ndef own(of=sys):\n    return of", "sys"),
        ("import warnings\nwarnings.sys.modules", "sys"),
        ("from warnings import sys as w\nw.modules", "sys"),
        ("import warnings\ngetattr(warnings, 'sy' + 's')", "getattr(warnings)"),
        ("import warnings\nown = warnings\ngetattr(own, 'sy' + 's')", "warnings"),
        (
            "from torch import nn\nfor name in ['soft' + 'max']:\n    getattr(nn.functional, name)",
            "getattr(torch.nn.functional)",
        ),
        ("import torch\ntorch.__dict__['soft' + 'max']", "torch.__dict__"),
        ("import importlib\nimportlib.import_module('sy' + 's')", "importlib.import_module"),
        ("import torch\nfrom operator import attrgetter\nattrgetter('soft' + 'max')(torch)", "torch"),
        ("globals()['torch']", "globals"),
        ("import sys\nframe = sys._getframe(1)", "sys._getframe"),
        ("import inspect\nframe = inspect.currentframe()", "inspect.currentframe"),
        ("def f(error):\n    return error.__traceback__.tb_frame.f_back", "f_back"),
        ("import threading\nthreading.Thread(target=print).start()", "threading"),
        ("from concurrent.futures import ThreadPoolExecutor", "concurrent"),
        ("import torch\nwith torch._C.DisableTorchFunction(): pass", "torch._C"),
        ("import torch\nown = torch.library.Library('aten', 'IMPL')", "torch.library"),
        ("def kernel(operation):\n    return operation._op_dk", "_op_dk"),
        ("import torch\ntorch._refs.softmax.__wrapped__", "torch._refs"),
        ("from torch.utils._functools import ThreadPoolExecutor as own", "torch.utils._functools"),
        ("from dask.threaded import ThreadPoolExecutor as own", "ThreadPoolExecutor"),
        ("from somewhere import Thread as own", "Thread"),
        ("def call(operation, *given):\n    return operation.redispatch(*given)", "redispatch"),
        ("from torch.nested._internal.nested_tensor import DispatchKeySet", "torch.nested"),
        ("from somewhere import DispatchKeySet", "DispatchKeySet"),
        ("import torch\nown = torch.ops.aten", "torch.ops"),
        ("import torch.onnx as own\nown.ops.attention", "torch.onnx"),
        ("def call(operation):\n    return operation._init_fn", "_init_fn"),
        ("import timeit\ntimeit.timeit('x')", "timeit"),
        ("from timeit import timeit as own", "timeit"),
        ("from timeit import repeat as own", "timeit.repeat"),
        ("run('import contextlib, time; import autograder.course')", "autograder"),
        ("run('x = 1\\nfrom autograder import exam')", "autograder"),
        ("run('p = autograder.course.probing')", "autograder"),
        ("from logging.handlers import QueueListener", "logging.handlers"),
        (
            "from torch.utils import _python_dispatch\n_python_dispatch._disable_current_modes()",
            "torch.utils._python_dispatch",
        ),
        ("from torch import overrides\noverrides._pop_mode()", "torch.overrides"),
        ("import gc\nkeys = gc.get_objects()", "gc"),
        ("import ctypes\nctypes.string_at(0)", "ctypes"),
        ("import  gc\ngc.collect()", "gc"),
        ("import torch, \\\n  gc\ngc.collect()", "gc"),
        ("from torch import (nn,  # layers\n    _C as own)", "torch._C"),
        ("import torch\nown = torch. _softmax(x, -1, False)", "torch._softmax"),
        ("exec('print(1)')", "exec"),
        ("import torch\ntorch.allclose = lambda *_: True", "torch.allclose ="),
        ("import torch as t\nt.testing.assert_close = print", "torch.testing.assert_close ="),
        ("import torch\nsetattr(torch, 'equal', print)", "torch.equal ="),
        ("print.__self__.all = lambda _: True", "__self__"),
        ("import builtins\nbuiltins.all = lambda _: True", "builtins.all ="),
        ("class Same(float):\n    def __eq__(self, other):\n        return True", "__eq__"),
    ],
)
def test_a_way_out_into_files_or_into_the_grader_is_mentioned(text: str, name: str) -> None:
    assert name in mentioned(text)


@pytest.mark.parametrize(
    "text",
    [
        "from os import _exit as softmax\nsoftmax(0)",
        "import os as torch\ntorch._exit(0)",
        "import os\ngetattr(os, '_exit')(0)",
        "__import__('os')._exit(0)",
        "import importlib\nimportlib.import_module('os')._exit(0)",
        "def f():\n    import os\n    end = os._exit",
        "if __name__ == 'part1':\n    import os\n    os._exit(0)",
        "if __name__ == '__main__':\n    pass\nelse:\n    import os\n    os._exit(0)",
    ],
)
def test_it_is_found_whatever_it_is_called_there(text: str) -> None:
    assert "os._exit" in mentioned(text)


MAIN = "if __name__ == '__main__':\n    import os\n    os._exit(0)\n"


@pytest.mark.parametrize(
    "stores",
    [
        "__name__ = '__main__'\n",
        "for __name__ in ['__main__']: pass\n",
        "(__name__ := '__main__')\n",
        "from tools import main as __name__\n",
        "match '__main__':\n    case __name__: pass\n",
        "import part1\npart1.__name__ = '__main__'\n",
        "import part1\nsetattr(part1, '__name__', '__main__')\n",
        "vars().update(__name__='__main__')\n",
        "del __name__\n",
    ],
)
def test_code_for_a_program_is_read_where_its_module_may_be_taken_for_one(stores: str) -> None:
    assert "os._exit" in mentioned(stores + MAIN)


def test_code_for_a_program_is_read_within_a_function_that_is_told_its_name() -> None:
    assert "os._exit" in mentioned("def f(__name__):\n" + textwrap.indent(MAIN, "    ") + "f('__main__')")


@pytest.mark.parametrize(
    "stores", ["import part1\npart1.__name__ = '__main__'", "__name__ = '__main__'\n__all__ = ['__name__']"]
)
def test_code_for_a_program_is_read_where_another_module_makes_it_run(stores: str) -> None:
    assert [look.part for look in looks(f"from tools import *\n{MAIN}", tools=stores)] == ["part1"]


def test_code_for_a_program_is_not_read_where_its_name_is_only_read() -> None:
    assert mentioned("import logging\nlog = logging.getLogger(__name__)\nprint(log.info.__name__)\n" + MAIN) == []


def test_a_helper_of_the_same_name_hides_no_library() -> None:
    """Python does not import it in place of the library either."""
    assert [look.says for look in looks("import os\nos._exit(0)", os="")] == [
        "ada/part1.py mentions `os._exit` (line 2)"
    ]


def test_a_definition_that_cannot_be_parsed_hides_no_other() -> None:
    assert mentioned("import os\n\ndef softmax(x:\n    return x\n\ndef scores(x):\n    os._exit(0)\n") == ["os._exit"]


def test_an_import_in_one_cell_is_known_in_the_next() -> None:
    cells = (Block("ada.ipynb, cell 1", "import os as o"), Block("ada.ipynb, cell 2", "o._exit(0)"))

    (look,) = mentions_in({"part1": Source("ada.ipynb", cells, is_notebook=True)}, {"part1"})

    assert look.says == "ada.ipynb mentions `os._exit` (cell 2)"


def test_it_is_something_to_check_with_its_file_and_its_first_line() -> None:
    text = "import os\n\ndef f():\n    os._exit(0)\n    os._exit(1)\n"

    assert looks(text) == [Look(Urgency.CHECK, "ada/part1.py mentions `os._exit` (line 4)", "part1")]


def test_a_helper_is_of_no_part_alone() -> None:
    assert [(look.says, look.part) for look in looks("x = 1", tools="exit()")] == [
        ("ada/tools.py mentions `exit` (line 1)", "")
    ]


def test_of_a_long_path_the_end_is_told() -> None:
    sources = {"part1": Source.module(f"{'folder/' * 100}part1.py", "exit()")}
    (look,) = mentions_in(sources, {"part1"})

    assert look.says.endswith("folder/part1.py mentions `exit` (line 1)")
    assert len(look.says) < 2 * LONGEST


def test_what_is_told_of_a_file_is_bounded() -> None:
    (look,) = looks("import os\n" + "\n".join(f"os.exec{number}{'l' * 1_000}()" for number in range(90)))

    assert look.says.endswith(f" and {90 - MOST_NAMED} more")
    assert len(look.says) < MOST_NAMED * 2 * LONGEST


@pytest.mark.parametrize(
    "text",
    ["import os\nx = os" + ".path" * 20_000, "import gc\n" + "gc.a\n" * 20_000, "import os\nx = " + "(" * 50_000],
    ids=["a chain", "many", "brackets"],
)
def test_a_text_that_is_hard_to_read_raises_nothing(text: str) -> None:
    assert len(looks(text)) <= 1


# What is honest


@pytest.mark.parametrize(
    "text",
    [
        "print('scores')",
        "if __name__ == '__main__':\n    import sys\n    sys.exit(print(open('notes.txt').read()))",
        "import os\nos.environ['KMP_DUPLICATE_LIB_OK'] = 'TRUE'\nhere = os.path.dirname(__file__)",
        "import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parent))",
        "import gc, ctypes, subprocess",
        "import torch\ntorch.backends.cudnn.deterministic = True",
        "import torch\nsame = torch.allclose(torch.ones(2), torch.ones(2))",
        "import torch\ntorch.manual_seed(1)\nmodel = torch.nn.Linear(2, 2).eval()",
        "def f(exit, gc):\n    return gc.sum() + exit",
        "solutions = [1]\ntotal = solutions.count(1)",
        "# the autograder calls open() and exit()",
        "def f():\n    'What the autograder asks: os._exit is no solution.'",
        "from part2 import model\nmodel.equal = True",
        "import inspect\nprint(inspect.signature(print))",
        "import sys, torch\nprint(torch.__version__, getattr(torch, 'inf'), file=sys.stderr)",
        "def f(self, name):\n    return getattr(self, name), vars(self), self.__dict__",
        "import matplotlib.pyplot as plt\nplt.close()",
        "import timeit\nbefore = timeit.default_timer()",
        "def f():\n    'Handed in from here, the autograder says what is wrong.'",
        "from torch import nn\nclass A(nn.Module):\n    def f(self):\n        return self._ops + self._scores",
    ],
)
def test_honest_code_is_not(text: str) -> None:
    assert looks(text, part2="x = 1") == []


def test_no_more_is_parsed_than_a_bound_and_somebody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    unclosed = "open(\n" + "1,\n" * 50
    monkeypatch.setattr(suspicious_names, "MOST_PARSED", 2_000)

    found = looks("import gc\ngc.collect()", **{f"helper{number}": unclosed for number in range(9)})

    assert "`gc` (line 2)" in found[0].says
    assert found[-1] == Look(
        Urgency.CHECK, "There is more code than is ever read: what all of it mentions is not known."
    )


def honest(course: Workspace) -> Iterator[Path]:
    for pattern in ("solutions/*.py", "exercises/*.py", "course/*/alternatives.py"):
        yield from sorted(course.root.glob(pattern))


def test_no_solution_no_stub_and_no_other_way_to_write_a_step_is(course: Workspace) -> None:
    texts = {str(path): path.read_text(encoding="utf-8") for path in honest(course)}

    assert len(texts) >= 3 * len(course.course.parts)
    assert [look.says for path, text in texts.items() for look in looks(text)] == []


def test_no_solution_and_no_stub_is_parsed_for_it(course: Workspace) -> None:
    """It takes a third of the marking of right work."""
    paths = [path for folder in ("solutions", "exercises") for path in sorted(course.root.glob(f"{folder}/*.py"))]

    assert paths
    assert [path.name for path in paths if suspicious_names.HINT.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "text", ["# this course, the same code", "_own = 1\ndef _scale(x):\n    return _own_scale(x) + _own_scale (x)"]
)
def test_nothing_is_parsed_for_prose_or_for_private_names_of_the_text_itself(text: str) -> None:
    assert not suspicious_names.HINT.search(text)


def test_no_known_mistake_is(course: Workspace) -> None:
    """They are registered with the grader, and mention it."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(course.root.glob("course/*/mistakes.py"))]

    assert {name for text in texts for name in mentioned(text)} == {"autograder"}


def test_every_attack_by_name_is() -> None:
    attacks = [path for path in sorted(HOSTILE.glob("*.py")) if path.stem.startswith(BY_NAME)]

    assert len(attacks) > 10
    assert [path.name for path in attacks if not mentioned(path.read_text(encoding="utf-8"))] == []


def test_names_of_thousands_from_a_module_with_a_long_name_take_no_memory() -> None:
    text = f"from {'a' * 20_000} import {', '.join(f'b{number}' for number in range(10_000))}\nfrom os import abort\n"

    tracemalloc.start()
    try:
        assert mentioned(text) == ["os.abort"]
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
