"""Examining what is installed: the environment, the grader, torch and the other libraries. Nothing is imported here."""

import importlib.machinery
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path

from autograder.cli import repairs
from autograder.cli.symptoms import Symptom
from autograder.cli.trying import LIBRARIES, NUMPY, TORCH
from autograder.workspace import COURSE, Workspace

GRADER = "attention-by-writing-it"
SETTINGS = "pyvenv.cfg"
"""The file that makes a folder an environment."""

OF_CUDA = re.compile(r"nvidia[-_]|cuda[-_]|triton$")
"""What the packages that come with a build of torch for NVIDIA cards are called."""


@dataclass(frozen=True)
class Cause:
    """Why torch cannot be imported. sign: a pattern in the error's text.

    remedy: what mends it: installing torch or NumPy again, another environment, else a package of Debian's; empty for no command.
    """

    sign: str
    says: str
    remedy: str = "torch"


CAUSES = (
    Cause(
        r"Numpy is not available|_ARRAY_API|multiarray|numpy\.dtype size|compiled using NumPy",
        "torch and NumPy do not fit together; one of them was made for another version of the other.",
        "numpy",
    ),
    Cause(
        r"\blib(cu|nv|nccl|npp)[\w-]*\.so",
        "This is a build for NVIDIA cards, and a library of theirs is missing. The course needs only the CPU build.",
    ),
    Cause(r"\blibgomp", "The system lacks the library libgomp, which torch computes with.", "libgomp1"),
    Cause(r"\blibstdc\+\+", "The system lacks the library of C++, or has one that is too old.", "libstdc++6"),
    Cause(r"GLIBC_", "This Linux is older than this torch. A newer one is needed, or an older torch.", ""),
    Cause(
        r"DLL load failed|WinError 126|\.dll\b",
        'Windows lacks a library that torch loads: install the "Microsoft Visual C++ Redistributable" for x64 from '
        "microsoft.com and start the machine again.",
        "",
    ),
    Cause(
        r"incompatible architecture|wrong ELF class|not a valid Win32",
        "torch was made for another kind of processor than this Python. Make the environment again, with a Python made "
        "for this machine:",
        "environment",
    ),
    Cause(
        r"signal 4\b",
        "The processor lacks an instruction that torch uses. No command mends that; use another machine.",
        "",
    ),
    Cause(
        r"signal 9\b|MemoryError|paging file|out of memory",
        "The memory did not suffice; torch takes about 300 MB. Close other programs and call it again.",
        "",
    ),
    Cause(r"longer than", "Importing torch takes seconds; a slow disk or a virus scanner can hold it up.", ""),
    Cause(
        r"file too short|invalid ELF|truncated|EOFError|bad marshal|null bytes|SyntaxError|not a mach-o",
        "A file of torch is cut off: the install was interrupted, or the disk was full.",
    ),
    Cause(r"No module named", "A part of torch, or a library that it needs, is not there: the install did not finish."),
    Cause(r"", "The install of torch is in pieces."),
)
"""The first whose sign is found counts."""


def examine_packages(workspace: Workspace | None, tried: Mapping[str, str]) -> Iterator[Symptom]:
    """Yield how the environment and its packages are. tried: why each library could not be used, empty where it could."""
    if _in_no_environment():
        yield _no_environment(workspace or COURSE)
        return
    yield _environment(workspace)
    yield _grader(workspace)
    yield _torch(workspace, tried.get(TORCH, ""), tried.get(NUMPY, ""))
    yield _libraries(workspace, {name: tried.get(name, "") for name in LIBRARIES})
    yield from _half_installed(workspace)


def _in_no_environment() -> bool:
    """Tell whether this is a Python for everything, which does not have the course: what else it lacks is no matter."""
    return sys.prefix == sys.base_prefix and GRADER not in _installed()


def _no_environment(workspace: Workspace) -> Symptom:
    found = f"the course is not installed for {sys.executable}"
    if (workspace.root / repairs.ENVIRONMENT / SETTINGS).is_file():
        advice = "The course has an environment, which is not active. Activate it, then call your command again:"
        return Symptom("environment", found, False, advice, repairs.activate_environment(workspace))
    advice = "The course is installed in an environment of its own. Make it:"
    return Symptom("environment", found, False, advice, repairs.make_environment(workspace))


def _environment(workspace: Workspace | None) -> Symptom:
    settings = _settings_of_environment()
    made_at = settings.get("command", "").rpartition(" ")[2]
    made_with = ".".join(settings.get("version", "").split(".")[:2])
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    active = os.environ.get("VIRTUAL_ENV", "")
    if made_with and made_with != running:
        return Symptom(
            "environment",
            f"{sys.prefix} was made with Python {made_with} and is now run by {running}",
            False,
            "Python has been changed under it, so its packages are not found. Make it again:",
            repairs.make_environment(workspace),
        )
    if made_at and Path(made_at).is_absolute() and not _same(made_at, sys.prefix):
        return Symptom(
            "environment",
            f"{sys.prefix} was made as {made_at}",
            False,
            "An environment cannot be moved or copied: its commands still call the old place. Make it again:",
            repairs.make_environment(workspace),
        )
    if active and not _same(active, sys.prefix):
        return Symptom(
            "environment",
            f"{active} is active, but this attn runs in {sys.prefix}",
            None,
            "That works, but what you install with pip goes to the active one. To have attn there:",
            repairs.install_in_active(workspace),
        )
    return Symptom("environment", sys.prefix if settings else f"{sys.prefix}, which is not the course's own", True)


def _settings_of_environment() -> dict[str, str]:
    """Return what the file of the environment says; nothing where there is none."""
    try:
        lines = Path(sys.prefix, SETTINGS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _grader(workspace: Workspace | None) -> Symptom:
    found = _installed().get(GRADER)
    if not found:
        return Symptom(
            "grader",
            "not installed in this Python",
            False,
            "What marks your code runs in processes of its own, which find only what is installed. Install it:",
            repairs.install(workspace or COURSE),
        )
    origin = json.loads(found.read_text("direct_url.json") or "{}")
    editable = origin.get("dir_info", {}).get("editable", False)
    return Symptom("grader", f"{found.version}, {'from' if editable else 'a copy in'} {COURSE.root}", True)


def _torch(workspace: Workspace | None, trouble: str, of_numpy: str) -> Symptom:
    found, origin = _installed().get(TORCH), _origin(TORCH)
    if not origin:
        return Symptom(
            "torch",
            "not installed",
            False,
            f"Nothing can be marked without it. {repairs.cpu_build_on_this_system()}".strip(),
            repairs.install(workspace),
        )
    if not found or not origin.is_relative_to(str(found.locate_file(""))):
        return Symptom(
            "torch",
            f"{origin} is taken for torch",
            False,
            "Something of that name comes before the torch that pip installs. Give it another name, or take its folder "
            "out of PYTHONPATH.",
        )
    if trouble and of_numpy:
        advice = "It hands numbers to NumPy, which cannot be used. Mend NumPy first, then call `attn doctor` again."
        return Symptom("torch", f"{found.version}, which could not be tried", None, advice)
    if trouble:
        return _broken_torch(workspace, found.version, trouble)
    cuda = _cuda_of(origin)
    return _cuda_build(workspace, found.version, cuda) if cuda else Symptom("torch", found.version, True)


def _broken_torch(workspace: Workspace | None, version: str, trouble: str) -> Symptom:
    cause = next(cause for cause in CAUSES if re.search(cause.sign, trouble, re.IGNORECASE))
    remedies: dict[str, tuple[str, ...]] = {
        "": (),
        "torch": repairs.install_torch_again(workspace, *_packages_of_cuda()),
        "numpy": repairs.install_again(workspace, "numpy"),
        "environment": repairs.make_environment(workspace),
    }
    again = f" Install it again. {repairs.cpu_build_on_this_system()}" if cause.remedy == "torch" else ""
    commands = remedies.get(cause.remedy, (f"sudo apt-get install {cause.remedy}",))
    return Symptom("torch", f"{version} cannot be used: {trouble}", False, cause.says + again, commands)


def _cuda_build(workspace: Workspace | None, version: str, cuda: str) -> Symptom:
    extra = _packages_of_cuda()
    size = sum(file.size or 0 for name in extra for file in _installed()[name].files or ())
    beside = f"; {len(extra)} packages beside it take {size / 1e9:.1f} GB" if extra else ""
    return Symptom(
        "torch",
        f"{version}, a build for NVIDIA cards (CUDA {cuda}){beside}",
        True,
        "It works. The course needs only the CPU build, with which a whole install takes about 1 GB. To have the room "
        f"back: {repairs.cpu_build_on_this_system()}",
        repairs.install_torch_again(workspace, *extra),
    )


def _cuda_of(origin: Path) -> str:
    """Return the version of CUDA that torch was built for, from its own file; empty for none."""
    try:
        text = origin.with_name("version.py").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(r"^cuda\b.*=\s*['\"]([\d.]+)['\"]", text, re.MULTILINE)
    return found[1] if found else ""


def _packages_of_cuda() -> list[str]:
    return sorted(name for name in _installed() if OF_CUDA.match(name))


def _libraries(workspace: Workspace | None, troubles: Mapping[str, str]) -> Symptom:
    missing = [name for name in troubles if not _origin(name)]
    broken = {name: trouble for name, trouble in troubles.items() if trouble and name not in missing}
    if not missing and not broken:
        return Symptom("libraries", "all there", True)
    found = [f"missing: {', '.join(missing)}"] if missing else []
    found += [f"{name} cannot be used: {trouble}" for name, trouble in broken.items()]
    return Symptom(
        "libraries",
        "; ".join(found),
        False,
        "The grader needs them all. Install them:",
        repairs.install_again(workspace, *missing, *broken) if broken else repairs.install(workspace),
    )


def _half_installed(workspace: Workspace | None) -> Iterator[Symptom]:
    """Yield what an interrupted pip has left: folders that it had set aside, and packages that are there twice.

    Only in an environment itself: what a system has elsewhere is its own, and no new environment mends it.
    """
    if sys.prefix == sys.base_prefix:
        return
    for folder in (folder for folder in _folders() if folder.is_relative_to(sys.prefix)):
        names = Counter(name for name, _ in _packages_in(folder))
        twice = [name for name, count in names.items() if count > 1]
        aside = sorted(path.name for path in folder.glob("~*"))
        if twice or aside:
            left = [f"{name} is there twice" for name in twice] + [f"{name} was left behind" for name in aside]
            yield Symptom(
                "half an install",
                f"in {folder}: {', '.join(left)}",
                False,
                "pip was interrupted. The surest way is to make the environment again:",
                repairs.make_environment(workspace),
            )


def _folders() -> list[Path]:
    """Return the folders from which packages are imported by every process, so not the one that this began in."""
    own = (COURSE.root, Path.cwd())
    folders = (Path(entry) for entry in sys.path if entry)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir() and folder.resolve() not in own]


def _installed() -> dict[str, Distribution]:
    """Return what is installed by name; of two with a name the first, which is the one that is imported."""
    found: dict[str, Distribution] = {}
    for folder in _folders():
        for name, package in _packages_in(folder):
            found.setdefault(name, package)
    return found


@cache
def _packages_in(folder: Path) -> tuple[tuple[str, Distribution], ...]:
    """Return the packages of a folder by name; of each, a file has to be read."""
    return tuple((found.name.lower(), found) for found in distributions(path=[str(folder)]) if found.name)


def _origin(name: str) -> Path | None:
    """Return the file from which a package would be imported, None where there is none."""
    spec = importlib.machinery.PathFinder.find_spec(name, [str(folder) for folder in _folders()])
    return Path(spec.origin) if spec and spec.origin else None
