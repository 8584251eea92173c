"""What a student's fresh install takes: disk, by package, and time. Run: python benchmarks/install.py.

Of torch it takes the build that pip would choose on this machine, and says which that is.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path

from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
NEEDED = (
    "autograder",
    "course.toml",
    "course",
    "exams",
    "exercises",
    "pyproject.toml",
    "requirements.lock",
    "README.md",
    "LICENSE",
)
LARGEST = 10
BLOCK = 512
"""Bytes of a block in which `stat` counts, whatever the file system's own."""


def copy_of_course(folder: Path) -> Path:
    """Copy what an install needs, so that this checkout's own is left as it is."""
    for name in NEEDED:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, folder / name)
    return folder


def install(course: Path) -> Path:
    """Run the README's lines in a fresh environment; return its folder."""
    venv = course / ".venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = venv / "bin" / "python"
    subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "-c", "requirements.lock", "-e", "."], cwd=course, check=True
    )
    return venv


def allocated(paths: Iterable[Path]) -> int:
    """Return the bytes that files take on disk, each counted once however many names it has."""
    found = {}
    for path in paths:
        state = os.lstat(path)
        found[state.st_dev, state.st_ino] = state.st_blocks * BLOCK
    return sum(found.values())


def size_of(package: Distribution) -> int:
    """Return the bytes on disk of what a package has installed."""
    paths = {Path(str(package.locate_file(file))) for file in package.files or ()}
    return allocated(path for path in paths if path.is_file())


def main() -> None:
    """Install once, and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        course = copy_of_course(Path(folder))
        begun = time.perf_counter()
        venv = install(course)
        seconds = time.perf_counter() - begun
        whole = allocated([venv, *venv.rglob("*")])
        packages = distributions(path=[str(path) for path in venv.glob("lib/python*/site-packages")])
        sizes = sorted(((size_of(package), f"{package.name} {package.version}") for package in packages), reverse=True)
    print(describe_machine())
    print(f"a fresh install: {whole / 1e9:.2f} GB on disk (aim: 1.2), {len(sizes)} packages, {seconds:.0f} s")
    for size, package in sizes[:LARGEST]:
        print(f"{package:<32} {size / 1e6:8.1f} MB")


if __name__ == "__main__":
    main()
