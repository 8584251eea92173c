"""Writing into a pipe that somebody has named, which systems without `mkfifo` do not have."""

import os
from pathlib import Path

from autograder.atomic_write import write_where_told


def test_a_pipe_that_somebody_has_named_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_where_told(pipe, b"all")

    assert os.read(reader, 9) == b"all"
    assert pipe.is_fifo()
    os.close(reader)
