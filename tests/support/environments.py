"""Real environments that lack something or are broken, of packages that shadow what is installed here."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from autograder.student.machine_checks import LIBRARIES

INSTALLED = Path(sysconfig.get_path("purelib"))

OF_THE_TESTS = ("VIRTUAL_ENV", "PYTHONPATH", "MAKEFLAGS")
"""Variables that lead a program into the environment of the tests."""

Run = subprocess.CompletedProcess[str]

TORCH = """
class version:
    cuda = None

class zeros:
    def __init__(self, size): pass
    def numpy(self): pass

def from_numpy(array): pass

__version__ = "2.13.0"
"""


def make_environment(folder: Path) -> None:
    """Make an environment without packages, as `python -m venv --without-pip` does."""
    venv.EnvBuilder(symlinks=True).create(folder)


def packages_of(environment: Path) -> Path:
    """Return the folder of an environment's packages."""
    (found,) = environment.glob("lib/python*/site-packages")
    return found


def python_of(environment: Path) -> Path:
    """Return the Python of an environment."""
    return environment / "bin" / "python"


def install_into(environment: Path, *what: object) -> None:
    """Make an environment that has the libraries that are installed here, and install something without the network.

    what: arguments of `pip install`.
    """
    make_environment(environment)
    (packages_of(environment) / "libraries.pth").write_text(f"{INSTALLED}\n", encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python_of(environment))
    done = run_program(environment, *pip, "install", "--no-deps", "--no-index", *what)
    assert done.returncode == 0, done.stderr


def run_program(folder: Path, *words: object, **environment: str) -> Run:
    """Run a program in a folder, outside of the environment of the tests. environment: variables that it has besides."""
    outside = {name: value for name, value in os.environ.items() if name not in OF_THE_TESTS}
    return subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env=outside | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=1500,
    )


def lay_package(folder: Path, name: str, number: str, **modules: str) -> Path:
    """Put a package as pip would into a folder that is to come first on the path; `__init__="..."` is that module.

    number: of the version.
    """
    package, metadata = folder / name, folder / f"{name}-{number}.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    for module, content in modules.items():
        (package / f"{module}.py").write_text(content, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {number}\n")
    return folder


def lay_libraries(folder: Path) -> Path:
    """Put all that `attn doctor` tries out into a folder, as modules that are imported at once and can do no more than that."""
    folder.mkdir(parents=True)
    for name in LIBRARIES:
        if name != "autograder":
            (folder / f"{name}.py").touch()
    (folder / "torch.py").write_text(TORCH, encoding="utf-8")
    return folder
