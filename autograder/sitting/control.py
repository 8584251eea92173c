"""What the host says to a forker or a worker at its start, and the messages of a forker: a kind, a process, its exit code."""

import struct
from dataclasses import dataclass

CONTROL = struct.Struct("<cii")
READY, FORK, RESERVE, KILL, STARTED, ENDED = b"R", b"F", b"V", b"K", b"S", b"E"

LOOPBACK = "127.0.0.1"

ON_CPU = {"CUDA_VISIBLE_DEVICES": "-1"}
"""The environment of a process that runs students' code: answers are compared on the CPU, whatever else a machine has.

Where torch sees a device, a backward pass starts a thread for it, and after a fork there is no other backward pass.
"""

FORKING = {**ON_CPU, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""The environment of a process that forks: one thread, for others are lost in a fork; large pages, which fork sooner."""

NOT_SET_UP = 113
"""The exit code of a child that could not be made ready for a sitting."""


@dataclass(frozen=True)
class Confinement:
    """How a forker's children are to be confined.

    namespaces: whether a child gets its own process and IPC namespaces. filter: the descriptor of the compiled system-call
    filter. readable: the folders and files that may be read.
    """

    namespaces: bool
    filter: int
    readable: tuple[str, ...]


@dataclass(frozen=True)
class Orders:
    """What a forker is to do with its children; it travels as JSON.

    course: the folder of the course that is imported before anything is forked. memory: bytes of its own that a child may have. rehearse: whether children rehearse before they get a job.
    confinement: None for none.
    """

    course: str
    memory: int
    rehearse: bool = True
    confinement: Confinement | None = None


def orders_from(data: dict[str, object]) -> Orders:
    """Read orders from JSON."""
    confinement = data.pop("confinement")
    return Orders(**data, confinement=Confinement(**confinement) if isinstance(confinement, dict) else None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class WorkerOrders:
    """What a worker is to do; it travels as JSON.

    course: the folder of the course that is imported before it is warm. port, secret: where to call the host, and in hexadecimal
    digits how to be recognised. memory: bytes of its own that it may
    have.
    """

    course: str
    port: int
    secret: str
    memory: int
