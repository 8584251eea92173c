"""The sandbox: what keeps a stranger's code from reading, writing, reaching or outliving anything.

`levels` says what this machine can give, `launch` starts the forker inside, `confinement` is what each of its children enters.
Only Linux has it.
"""

from dataclasses import dataclass

FULL, KERNEL, NONE = "full", "kernel", "none"
LEVELS = (FULL, KERNEL, NONE)
"""How much it confines, from the most to nothing."""


@dataclass(frozen=True)
class Confinement:
    """How a forker's children are to be confined.

    namespaces: whether a child gets its own process and IPC namespaces. filter: the descriptor of the compiled system-call
    filter. readable: the folders and files that may be read.
    """

    namespaces: bool
    filter: int
    readable: tuple[str, ...]
