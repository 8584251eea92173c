"""What a machine lacks for a level of the sandbox is named, and nothing runs with less than was asked for."""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from small_class import MODULE

from autograder.sitting.sandbox import LEVELS
from autograder.sitting.sandbox.launch import Launch
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

ATTN = str(Path(sys.executable).with_name("attn"))
ORDINARY = 12345
WITHOUT_NAMESPACES = ("bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/")

LANDLOCK_CREATE_RULESET = 444

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def place(course: Workspace, tmp_path: Path) -> Path:
    """A folder with a class of one, which any user may write to."""
    (tmp_path / "class" / "ada").mkdir(parents=True)
    shutil.copy(course.solutions / MODULE, tmp_path / "class" / "ada")
    tmp_path.chmod(0o777)
    return tmp_path


@pytest.fixture
def run(course: Workspace, place: Path) -> Run:
    """Run the real command, possibly inside another one and with something taken away."""

    def run(*words: str, inside: tuple[str, ...] = (), **options: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*inside, ATTN, *words], cwd=course.root, capture_output=True, text=True, timeout=120, **options
        )

    return run


@pytest.fixture
def grade(run: Run, place: Path, class_exam: Path) -> Run:
    def grade(level: str, **options: object) -> "subprocess.CompletedProcess[str]":
        out = place / f"out-{level}"
        words = ("--out", str(out), "--exam", str(class_exam), "--sandbox", level, "--timeout", "60")
        return run("grade", str(place / "class"), *words, **options)

    return grade


@pytest.fixture(scope="session")
def class_exam(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exam") / "class.exam"
    subprocess.run([ATTN, "exam", "--seed", "6", "--out", path], cwd=course.root, check=True, capture_output=True)
    return path


def score(place: Path, level: str) -> float:
    (path,) = (place / f"out-{level}" / "marks").glob("ada.*.json")
    marks = json.loads(path.read_bytes())
    assert marks["sandbox"] == level
    return float(marks["score"])


def as_ordinary_user(*readable: Path) -> tuple[str, ...]:
    """Return the command in front of which an ordinary user stands; empty where that is who runs the tests."""
    if os.getuid() != 0:
        return ()
    seen = {str(path) for path in (*readable, sys.prefix, sys.base_prefix)}
    outermost = tuple(path for path in seen if not any(Path(path).is_relative_to(one) for one in seen - {path}))
    order = Launch(ORDINARY, outermost, ())
    words = json.dumps(asdict(order))
    return (sys.executable, "-c", _LAUNCH, words)


_LAUNCH = """
import json, sys
from autograder.sitting.sandbox import launch
order = json.loads(sys.argv[1]) | {"command": sys.argv[2:]}
sys.argv = ["launch", json.dumps(order)]
launch.main()
"""


@pytest.mark.parametrize("level", LEVELS)
def test_this_machine_gives_every_level(grade: Run, place: Path, level: str) -> None:
    done = grade(level)

    assert done.returncode == 0, done.stderr
    assert score(place, level) == 25.0


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "line",
    [
        "torch.manual_seed(0); torch.use_deterministic_algorithms(True)",
        "torch.set_num_threads(4); torch.set_printoptions(precision=3)",
        "import random; import numpy as np; random.seed(0); np.random.seed(0)",
        "import logging; logging.basicConfig(level=logging.INFO); logging.info('here')",
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'; print(torch.__version__, device)",
        "import inspect, time, threading; print(inspect.getsource(torch.nn.Linear)[:10], time.ctime())",
    ],
)
def test_what_honest_modules_begin_with_works(grade: Run, place: Path, level: str, line: str) -> None:
    with (place / "class" / "ada" / MODULE).open("a") as module:
        module.write(f"\nimport torch\n{line}\n")

    done = grade(level)

    assert done.returncode == 0, done.stdout
    assert score(place, level) == 25.0


@pytest.mark.parametrize("level", LEVELS)
def test_an_ordinary_user_can_use_every_level(
    grade: Run, place: Path, course: Workspace, class_exam: Path, level: str
) -> None:
    done = grade(level, inside=as_ordinary_user(course.root, place, class_exam))

    assert done.returncode == 0, done.stderr
    assert score(place, level) == 25.0


def test_without_bubblewrap_nothing_runs_and_it_is_said_how_to_get_it(grade: Run, place: Path) -> None:
    done = grade("full", env={**os.environ, "PATH": str(place)})

    assert done.returncode == 1
    assert "namespaces: bubblewrap is not installed. To get it: apt-get install bubblewrap" in done.stderr
    assert "--sandbox kernel" in done.stderr
    assert not (place / "out-full").exists()


def test_where_namespaces_are_refused_nothing_runs_in_the_full_sandbox(grade: Run, place: Path) -> None:
    done = grade("full", inside=WITHOUT_NAMESPACES)

    assert done.returncode == 1
    assert "namespaces: they are refused" in done.stderr
    assert not (place / "out-full").exists()


def test_where_namespaces_are_refused_the_kernel_level_works(
    grade: Run, place: Path, course: Workspace, class_exam: Path
) -> None:
    done = grade("kernel", inside=(*as_ordinary_user(course.root, place, class_exam), *WITHOUT_NAMESPACES))

    assert done.returncode == 0, done.stderr
    assert score(place, "kernel") == 25.0


@pytest.mark.parametrize("level", ["full", "kernel"])
def test_without_libseccomp_nothing_runs(grade: Run, place: Path, level: str) -> None:
    (place / "pyseccomp.py").write_text("raise RuntimeError('Unable to find libseccomp')")

    done = grade(level, env={**os.environ, "PYTHONPATH": str(place)})

    assert done.returncode == 1
    assert "seccomp: libseccomp does not work" in done.stderr
    assert "apt-get install libseccomp2" in done.stderr


@pytest.mark.parametrize("level", ["full", "kernel"])
def test_without_landlock_nothing_runs(grade: Run, level: str) -> None:
    done = grade(level, preexec_fn=_take_landlock_away)

    assert done.returncode == 1
    assert "Landlock: the kernel" in done.stderr
    assert "--sandbox none" in done.stderr


def _take_landlock_away() -> None:
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.add_rule(pyseccomp.ERRNO(errno.EOPNOTSUPP), LANDLOCK_CREATE_RULESET)
    rules.load()


def test_the_doctor_says_which_levels_there_are(run: Run) -> None:
    shown = run("doctor").stdout

    assert "sandbox full     there" in shown
    assert "sandbox kernel   there" in shown


def test_the_doctor_says_what_is_missing_and_how_to_get_it(run: Run, place: Path) -> None:
    shown = run("doctor", env={**os.environ, "PATH": str(place)}).stdout

    assert "sandbox full     namespaces: bubblewrap is not installed" in shown
    assert "apt-get install bubblewrap" in shown
    assert "sandbox kernel   there" in shown


def test_a_sandbox_that_cannot_read_python_says_what_to_do(course: Workspace, place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)

    order = json.dumps(asdict(Launch(ORDINARY, (str(closed),), ("true",))))
    done = subprocess.run(
        [sys.executable, "-m", "autograder.sitting.sandbox.launch", order], capture_output=True, text=True
    )

    if os.getuid() == 0:
        assert done.returncode == 1
        assert done.stderr.strip() == f"the sandbox cannot read {closed}: `chmod -R o+rX {closed}` lets it"
    else:
        assert done.returncode == 0
