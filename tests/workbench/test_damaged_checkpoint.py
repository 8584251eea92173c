"""Whatever is in the file of a training: it is resumed or refused, within the memory that reading may take."""

import contextlib
from pathlib import Path

import pytest
from damage import ALWAYS, AT_LENGTH, damaged
from hypothesis import given
from hypothesis import strategies as st
from watched import bounded, measured

from workbench.induction import induction_task
from workbench.task import Code
from workbench.trainer import CannotResume, Training


@pytest.fixture
def kept(code: Code, tmp_path: Path) -> bytes:
    """The file of a training."""
    path = tmp_path / "kept.safetensors"
    Training(code, induction_task(), 1, "cpu").save(path)
    return path.read_bytes()


def resume(code: Code, path: Path, content: bytes) -> None:
    """Resume what the file of a training holds; fail if that raises anything but its refusal, or takes too much time or memory."""
    training = Training(code, induction_task(), 1, "cpu")
    path.write_bytes(content)

    with bounded(), measured() as peak, contextlib.suppress(CannotResume):
        training.resume(path)

    assert peak.taken <= 16 * len(content) + (64 << 20)


@pytest.mark.slow
@ALWAYS
@given(data=st.data())
def test_a_damaged_checkpoint_is_resumed_or_refused(
    code: Code, kept: bytes, tmp_path: Path, data: st.DataObject
) -> None:
    resume(code, tmp_path / "damaged.safetensors", data.draw(damaged(kept)))


@pytest.mark.world
@AT_LENGTH
@given(data=st.data())
def test_thousands_of_damaged_checkpoints_are_resumed_or_refused(
    code: Code, kept: bytes, tmp_path: Path, data: st.DataObject
) -> None:
    resume(code, tmp_path / "damaged.safetensors", data.draw(damaged(kept)))
