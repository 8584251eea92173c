"""What a machine lacks for a level of the sandbox is named, and nothing runs with less than was asked for."""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import ATTN, attn_in
from small_class import MODULE, exam_on

from autograder.exam.files import write_exam
from autograder.exam.model import Exam
from autograder.sandbox import FULL, KERNEL, LEVELS, NONE, levels, linux
from autograder.student import machine_checks
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.system]

ORDINARY = 12345
WITHOUT_NAMESPACES = ("bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/")

LANDLOCK_CREATE_RULESET = 444

BEGINNINGS = {
    "nothing": "",
    "determinism": "torch.manual_seed(0); torch.use_deterministic_algorithms(True)",
    "options": "torch.set_num_threads(4); torch.set_printoptions(precision=3)",
    "random numbers": "import random; import numpy as np; random.seed(0); np.random.seed(0)",
    "logging": "import logging; logging.basicConfig(level=logging.INFO); logging.info('here')",
    "devices": "device = 'cuda' if torch.cuda.is_available() else 'cpu'; print(torch.__version__, device)",
    "time": "import inspect, time, threading; print(inspect.getsource(torch.nn.Linear)[:10], time.ctime())",
}
"""What honest modules begin with."""


@pytest.fixture(scope="module")
def exam(practice: Exam, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exam") / "class.exam"
    write_exam(exam_on(practice, Path(MODULE).stem), path)
    return path


@pytest.fixture
def place(course: Workspace, tmp_path: Path) -> Path:
    """A folder with a class of one, which any user may write to."""
    (tmp_path / "class" / "ada").mkdir(parents=True)
    shutil.copy(course.solutions / MODULE, tmp_path / "class" / "ada")
    tmp_path.chmod(0o777)
    return tmp_path


def test_an_environment_in_a_checkout_shows_nothing_of_it_but_python(
    monkeypatch: pytest.MonkeyPatch, course: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))

    assert levels.shown_by(course.root, tmp_path / "lib" / "python3" / "class")
    assert levels.shown_by(course.root, tmp_path / "solutions") == ""


def words_for(place: Path, exam: Path, level: str) -> list[str]:
    """Return the words of the command that mark the class at a place."""
    options = ("--out", place / f"out-{level}", "--exam", exam, "--sandbox", level, "--jobs", 1, "--timeout", 60)
    return list(map(str, ("grade", place / "class", *options)))


def scores(place: Path, level: str) -> dict[str, float]:
    found = [json.loads(path.read_bytes()) for path in (place / f"out-{level}" / "marks").iterdir()]
    assert {marks["sandbox"] for marks in found} == {level}
    return {marks["submission"]: float(marks["score"]) for marks in found}


@pytest.fixture
def as_on_a_fresh_start() -> Iterator[None]:
    """Let what this machine lacks be looked for once more, now and after the test."""
    found = (levels._namespaces, levels._seccomp, levels._landlock)
    for layer in found:
        layer.cache_clear()
    yield
    for layer in found:
        layer.cache_clear()


def as_ordinary_user(*readable: Path) -> tuple[str, ...]:
    """Return the command in front of which an ordinary user stands; empty where that is who runs the tests."""
    if os.getuid() != 0:
        return ()
    seen = {str(path) for path in (*readable, sys.prefix, sys.base_prefix)}
    outermost = tuple(path for path in seen if not any(Path(path).is_relative_to(one) for one in seen - {path}))
    return (sys.executable, "-c", _LAUNCH, json.dumps([ORDINARY, outermost]))


_LAUNCH = """
import json, sys
from autograder.sandbox import launch
order = [*json.loads(sys.argv[1]), sys.argv[2:]]
sys.argv = ["launch", json.dumps(order)]
launch.main()
"""


@pytest.fixture(scope="module", params=LEVELS)
def marked(
    request: pytest.FixtureRequest, course: Workspace, exam: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, float]:
    """The scores of right modules at one level, by what stands at their end."""
    level, place = str(request.param), tmp_path_factory.mktemp("beginnings")
    for name, line in BEGINNINGS.items():
        (place / "class" / name).mkdir(parents=True)
        text = (course.solutions / MODULE).read_text(encoding="utf-8")
        (place / "class" / name / MODULE).write_text(f"{text}\nimport torch\n{line}\n", encoding="utf-8")
    done = attn_in(course, *words_for(place, exam, level))
    assert done.returncode in (0, 3), done.stdout + done.stderr
    return scores(place, level)


@pytest.mark.parametrize("name", BEGINNINGS)
def test_what_honest_modules_begin_with_works_at_every_level(marked: dict[str, float], name: str) -> None:
    assert marked[name] == 25.0


@pytest.mark.world
@pytest.mark.parametrize(
    ("level", "inside"),
    [
        pytest.param(FULL, (), marks=pytest.mark.world),
        pytest.param(NONE, (), marks=pytest.mark.world),
        (KERNEL, WITHOUT_NAMESPACES),
    ],
    ids=["full", "none", "kernel where namespaces are refused"],
)
def test_an_ordinary_user_can_use_every_level(
    place: Path, course: Workspace, exam: Path, level: str, inside: tuple[str, ...]
) -> None:
    command = (*as_ordinary_user(course.root, place, exam), *inside, ATTN, *words_for(place, exam, level))

    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert scores(place, level) == {"ada": 25.0}


@pytest.mark.usefixtures("as_on_a_fresh_start")
def test_without_bubblewrap_nothing_runs_and_it_is_said_how_to_get_it(
    course: Workspace, place: Path, exam: Path
) -> None:
    done = attn_in(course, *words_for(place, exam, FULL), PATH=str(place))

    assert done.returncode == 1
    assert "namespaces: bubblewrap is not installed. To get it: apt-get install bubblewrap" in done.stderr
    assert "--sandbox kernel" in done.stderr
    assert not (place / "out-full").exists()


def test_where_namespaces_are_refused_nothing_runs_in_the_full_sandbox(
    course: Workspace, place: Path, exam: Path
) -> None:
    command = (*WITHOUT_NAMESPACES, ATTN, *words_for(place, exam, FULL))

    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)

    assert done.returncode == 1
    assert "namespaces: they are refused" in done.stderr
    assert not (place / "out-full").exists()


@pytest.mark.usefixtures("as_on_a_fresh_start")
@pytest.mark.parametrize("level", [FULL, KERNEL])
def test_without_libseccomp_nothing_runs(
    course: Workspace, place: Path, exam: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "pyseccomp.py").write_text("raise RuntimeError('Unable to find libseccomp')")
    monkeypatch.syspath_prepend(place)
    monkeypatch.delitem(sys.modules, "pyseccomp", raising=False)

    done = attn_in(course, *words_for(place, exam, level))

    assert done.returncode == 1
    assert "seccomp: libseccomp does not work" in done.stderr
    assert "apt-get install libseccomp2" in done.stderr
    assert not (place / f"out-{level}").exists()


@pytest.mark.usefixtures("as_on_a_fresh_start")
@pytest.mark.parametrize("level", [FULL, KERNEL])
def test_without_landlock_nothing_runs(
    course: Workspace, place: Path, exam: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linux, "landlock_version", lambda: 0)

    done = attn_in(course, *words_for(place, exam, level))

    assert done.returncode == 1
    assert "Landlock: the kernel" in done.stderr
    assert "--sandbox none" in done.stderr
    assert not (place / f"out-{level}").exists()


def test_a_kernel_without_landlock_is_told_from_one_that_has_it() -> None:
    program = "from autograder.sandbox import linux; print(linux.landlock_version())"
    command = [sys.executable, "-c", program]

    refused = subprocess.run(command, preexec_fn=_take_landlock_away, capture_output=True, text=True)

    assert refused.stdout == "0\n", refused.stderr
    assert linux.landlock_version() > 0


def _take_landlock_away() -> None:
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.add_rule(pyseccomp.ERRNO(errno.EOPNOTSUPP), LANDLOCK_CREATE_RULESET)
    rules.load()


@pytest.fixture
def nothing_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the doctor look at the machine alone, and try out no library."""
    monkeypatch.setattr(machine_checks, "_try_torch", lambda: ("2.13.0 None", ""))


@pytest.mark.usefixtures("nothing_tried")
def test_the_doctor_says_which_levels_there_are(course: Workspace) -> None:
    shown = attn_in(course, "doctor").stdout

    assert "sandbox full     there" in shown
    assert "sandbox kernel   there" in shown


@pytest.mark.usefixtures("nothing_tried", "as_on_a_fresh_start")
def test_the_doctor_says_what_is_missing_and_how_to_get_it(course: Workspace, place: Path) -> None:
    shown = attn_in(course, "doctor", PATH=str(place)).stdout

    assert "sandbox full     namespaces: bubblewrap is not installed" in shown
    assert "apt-get install bubblewrap" in shown
    assert "sandbox kernel   there" in shown


def test_a_sandbox_that_cannot_read_python_says_what_to_do(course: Workspace, place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)

    order = json.dumps([ORDINARY, [str(closed)], ["true"]])
    done = subprocess.run([sys.executable, "-m", "autograder.sandbox.launch", order], capture_output=True, text=True)

    if os.getuid() == 0:
        assert done.returncode == 1
        assert done.stderr.strip() == f"the sandbox cannot read {closed}: `chmod -R o+rX {closed}` lets it"
    else:
        assert done.returncode == 0
