"""Little memory: what does not fit is refused by the kernel, and by nobody's word."""

import contextlib
import ctypes
import functools
import mmap
from collections.abc import Iterator

import torch

from autograder.course.threads import one_thread

MEGABYTE = 1 << 20

MOST = 4 << 30
"""Bytes of data that a process may have meanwhile which had no limit."""

PIECE = 1 << 18
"""Bytes of the smallest piece that is taken: smaller holes between what is in use do no harm."""

OF_ITS_OWN = 1 << 15
"""Bytes from which on the C library asks the kernel for each tensor, which gets them back at once.

Larger ones would leave holes between small tensors that are kept, and right work would not fit.
"""

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""Of `mallopt`."""

REFUSED = "can't allocate memory"
"""Stands in torch's message."""


@contextlib.contextmanager
def little_memory(megabytes: int) -> Iterator[None]:
    """Leave so much memory, and not more, to what runs while it is entered, where the kernel keeps a limit: on Linux.

    The rest of what this process may have is taken meanwhile. Nothing is written there, so that the machine has it all the same.
    What runs is not traced, which would keep all that it makes, and has one thread: another one's stack would not fit, which ends a process.
    Raises MemoryError in the place of torch's own error.
    """
    with _limited() as is_limited, contextlib.ExitStack() as taken, one_thread(), torch._C.DisableTorchFunction():
        if is_limited:
            library = _c_library()
            with contextlib.closing(mmap.mmap(-1, megabytes * MEGABYTE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)):
                _take_the_rest(library, taken)
        try:
            yield
        except RuntimeError as error:
            if REFUSED not in str(error):
                raise
            told = f"more than {megabytes} MB at once; here there is no more memory"
            raise MemoryError(told).with_traceback(error.__traceback__) from None


@contextlib.contextmanager
def _limited() -> Iterator[bool]:
    """Limit this process, if it is not; yield whether there is a limit that can be kept."""
    try:
        import resource
    except ImportError:  # Windows
        yield False
        return
    own = resource.getrlimit(resource.RLIMIT_DATA)
    if own[0] == resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_DATA, (MOST, own[1]))
    try:
        yield True
    finally:
        if own[0] == resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_DATA, own)


@functools.cache
def _c_library() -> ctypes.CDLL:
    """Return the C library, told to keep no memory for the next tensor, nor to make another heap where it is refused."""
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    with contextlib.suppress(AttributeError):  # another C library than GNU's
        library.mallopt(M_MMAP_THRESHOLD, OF_ITS_OWN)
        library.mallopt(M_ARENA_MAX, 1)
    return library


def _take_the_rest(library: ctypes.CDLL, taken: contextlib.ExitStack) -> None:
    """Take pieces, each half as large as the one before that was refused, up to the limit of a process in all.

    The C library gives them, so that what it has kept of earlier tensors is taken too.
    """
    size, left = MOST // 2, MOST
    while size >= PIECE and left >= size:
        if place := library.malloc(size):
            taken.callback(library.free, place)
            left -= size
        else:
            size //= 2
