"""Little memory: what does not fit is refused, and afterwards all is as before."""

import sys

import pytest
import torch

from autograder.course import memory
from autograder.course.memory import count_what_is_kept, little_memory

resource = pytest.importorskip("resource", reason="Windows has no limits of this kind")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a limit on data")

MILLION = 1 << 20
"""Numbers of four megabytes."""


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MemoryError, match="more than 6 MB at once"), little_memory(6):
        torch.ones(2 * MILLION)


def test_what_fits_is_made() -> None:
    with little_memory(6):
        assert torch.ones(MILLION).sum() == MILLION


def test_what_is_kept_adds_up() -> None:
    with pytest.raises(MemoryError), little_memory(6):
        [torch.ones(MILLION) for _ in range(2)]


def test_what_was_let_go_before_leaves_no_holes_to_put_it_in() -> None:
    """As in a process that has worked for long: its C library keeps what was let go."""
    memory._c_library().mallopt(memory.M_MMAP_THRESHOLD, 1 << 25)
    memory._c_library.cache_clear()
    kept = [torch.ones(MILLION // (2 if i % 2 else 16)) for i in range(32)]
    del kept[1::2]
    with pytest.raises(MemoryError), little_memory(6):
        [torch.ones(MILLION // 4) for _ in range(16)]


def test_what_is_let_go_leaves_none_either() -> None:
    """As right work does tile by tile, and keeps little of each."""
    kept = []
    with little_memory(4):
        for _ in range(64):
            tile = torch.ones(MILLION // 16) * 2
            kept.append(tile[:300].exp())
            del tile
    assert len(kept) == 64


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count what is kept from here on, as a process does that is to run a student's code."""
    monkeypatch.setattr(memory, "_large_pieces", memory._LargePieces())
    count_what_is_kept()


LARGE = 16 * MILLION
"""Numbers that no hole has room for, which another test has left in the heap."""


@pytest.mark.usefixtures("counted")
def test_what_is_kept_from_before_leaves_as_much_less() -> None:
    kept = torch.empty(LARGE)
    with pytest.raises(MemoryError, match="more than 66 MB at once"), little_memory(66):
        torch.empty_like(kept)


@pytest.mark.usefixtures("counted")
def test_what_is_given_is_not_kept() -> None:
    given = torch.empty(LARGE)
    with little_memory(66, given):
        torch.empty_like(given)


@pytest.mark.usefixtures("counted")
def test_it_is_said_where_what_is_kept_leaves_nothing() -> None:
    kept = torch.empty(LARGE)
    told = "your code keeps 64 MB from before this call, and here it has 6 MB in all"
    with pytest.raises(MemoryError, match=told), little_memory(6):
        kept[:9].zero_()


@pytest.mark.usefixtures("counted")
def test_what_nothing_leads_to_any_more_is_not_kept() -> None:
    class Ring:
        def __init__(self) -> None:
            self.itself, self.kept = self, torch.empty(LARGE)

    Ring()
    with little_memory(6):
        torch.ones(MILLION)


def test_other_errors_pass() -> None:
    with pytest.raises(RuntimeError, match="shape"), little_memory(6):
        torch.ones(2).view(3)


def test_afterwards_there_is_memory_again() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(MemoryError), little_memory(6):
        torch.ones(2 * MILLION)

    assert torch.ones(4 * MILLION).numel() == 4 * MILLION
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_one_thread_computes_however_many_are_set() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        with little_memory(6):
            inside = torch.get_num_threads()
        assert (inside, torch.get_num_threads()) == (1, 4)
    finally:
        torch.set_num_threads(before)
