"""Little memory: what does not fit is refused, and afterwards all is as before."""

import resource
import sys

import pytest
import torch

from autograder.course.memory import little_memory

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
