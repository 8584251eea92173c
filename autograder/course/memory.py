"""Little memory: what does not fit is refused by the kernel, and by nobody's word."""

import contextlib
import ctypes
import functools
import gc
import mmap
import sys
from collections.abc import Collection, Iterator

import torch

from autograder.course.threads import one_thread

MEGABYTE = 1 << 20

MOST = 4 << 30
"""Bytes of data that a process may have meanwhile which had no limit."""

PIECE = 1 << 18
"""Bytes of the smallest piece that is taken: smaller holes between what is in use do no harm."""

LARGE = 3 * MEGABYTE
"""Bytes of the smallest tensor that counts if it is kept from before: no little memory is less, and tables and masks are as a rule."""

OF_ITS_OWN = 1 << 15
"""Bytes from which on the C library asks the kernel for each tensor, which gets them back at once.

Larger ones would leave holes between small tensors that are kept, and right work would not fit.
"""

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""Of `mallopt`."""

MALLINFO = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
"""What `mallinfo2` tells. `hblkhd`: how many bytes the C library has from the kernel piece by piece."""

KEPT = (
    "your code keeps {kept:.0f} MB from before this call, and here it has {all} MB in all: "
    "make no large tensor outside of a function, and keep none"
)

REFUSED = "can't allocate memory"
"""Stands in torch's message."""


@contextlib.contextmanager
def little_memory(megabytes: int, *given: torch.Tensor) -> Iterator[None]:
    """Leave so much memory, and not more, to what runs while it is entered, where the kernel keeps a limit: on Linux.

    given: tensors beside that. Others that are kept in large pieces since `count_what_is_kept` are within: they can be written into.
    The rest of what this process may have is taken meanwhile. Nothing is written there, so that the machine has it all the same.
    What runs is not traced, which would keep all that it makes, and has one thread: another one's stack would not fit, which ends a process.
    Raises MemoryError where nothing is left, and in the place of torch's own error.
    """
    with _limited() as is_limited, contextlib.ExitStack() as taken, one_thread(), torch._C.DisableTorchFunction():
        if is_limited:
            library = _c_library()
            kept = _large_pieces.kept(given)
            left = megabytes * MEGABYTE - kept
            if left <= 0:
                raise MemoryError(KEPT.format(kept=kept / MEGABYTE, all=megabytes))
            taken.callback(_ask_for_each, LARGE)
            _ask_for_each(OF_ITS_OWN)
            with contextlib.closing(mmap.mmap(-1, left, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)):
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
    """Return the C library, told to make no other heap where one is refused."""
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    with contextlib.suppress(AttributeError):  # another C library than GNU's
        library.mallopt(M_ARENA_MAX, 1)
        library.mallinfo2.restype = _MallInfo
    return library


def _ask_for_each(size: int) -> None:
    """Have the C library ask the kernel for each piece of so many bytes, which gets it back at once."""
    with contextlib.suppress(AttributeError):
        _c_library().mallopt(M_MMAP_THRESHOLD, size)


class _MallInfo(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_size_t) for name in MALLINFO.split())


class _LargePieces:
    """How much memory is kept in large pieces since counting began."""

    def __init__(self) -> None:
        self._before: int | None = None

    def begin(self) -> None:
        _ask_for_each(LARGE)
        self._before = self._in_use()

    def kept(self, given: Collection[torch.Tensor]) -> int:
        """Return how many bytes there are more, but for some tensors; none where nobody has begun."""
        if self._before is None:
            return 0
        at_least = self._before + sum(tensor.nbytes for tensor in given if tensor.nbytes >= LARGE)
        if self._in_use() > at_least + PIECE:
            gc.collect()  # what nothing leads to any more is not kept
        return max(self._in_use() - at_least, 0)

    @staticmethod
    def _in_use() -> int:
        try:
            return int(_c_library().mallinfo2().hblkhd)
        except AttributeError:
            return 0


_large_pieces = _LargePieces()


def count_what_is_kept() -> None:
    """Have little memory be less by what code keeps in large pieces from here on, where the C library tells: GNU's, from 2.33 on."""
    if sys.platform == "linux":
        _large_pieces.begin()


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
