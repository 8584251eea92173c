"""Real environments that lack something or are broken: of links to what is installed here, and of packages that shadow it."""

import sysconfig
import venv
from pathlib import Path

from autograder.cli import trying
from autograder.cli.trying import LIBRARIES

INSTALLED = Path(sysconfig.get_path("purelib"))

TORCH = """
class zeros:
    def __init__(self, size): pass
    def numpy(self): pass

def from_numpy(array): pass
"""


def environment_without(folder: Path, *names: str) -> Path:
    """Make an environment that holds what is installed here, but for what begins with these names. Returns its Python."""
    make_environment(folder)
    packages = packages_of(folder)
    for path in INSTALLED.iterdir():
        if not path.name.startswith(names):
            (packages / path.name).symlink_to(path)
    return python_of(folder)


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


def lay_package(folder: Path, name: str, number: str, size: int = 0, **modules: str | bytes) -> Path:
    """Put a package as pip would into a folder that is to come first on the path; `__init__="..."` is that module.

    number: of the version. size: the bytes that its record gives to a further file, which is empty.
    """
    package, metadata = folder / name, folder / f"{name}-{number}.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    for module, content in modules.items():
        file = package / (f"{module}.so" if isinstance(content, bytes) else f"{module}.py")
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {number}\n")
    (package / "large.bin").touch()  # of a file that is not there, some libraries that read records tell nothing
    (metadata / "RECORD").write_text(f"{name}/large.bin,,{size}\n")
    return folder


def lay_torch(folder: Path, **modules: str) -> Path:
    """Put a torch into a folder that is imported at once and can do no more than be tried out."""
    return lay_package(folder, "torch", "2.13.0", __init__=TORCH, **modules)


def lay_libraries(folder: Path) -> Path:
    """Put all that `attn doctor` tries out into a folder, as modules that are imported at once and can do no more than that."""
    folder.mkdir(parents=True)
    for name in LIBRARIES:
        (folder / f"{name}.py").touch()
    (folder / f"{trying.TORCH}.py").write_text(TORCH, encoding="utf-8")
    return folder
