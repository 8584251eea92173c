"""Real environments that lack something or are broken, of packages that shadow what is installed here."""

import sysconfig
import venv
from pathlib import Path

from autograder.student.machine_checks import LIBRARIES

INSTALLED = Path(sysconfig.get_path("purelib"))

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
