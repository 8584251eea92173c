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


def read_damaged(code: Code, path: Path, data: st.DataObject) -> None:
    """Damage the file of a training and resume it; fail if that raises anything but its refusal, or takes too much time or memory."""
    training = Training(code, induction_task(), 1, "cpu")
    training.save(path)
    content = data.draw(damaged(path.read_bytes()))
    path.write_bytes(content)

    with bounded(), measured() as peak, contextlib.suppress(CannotResume):
        training.resume(path)

    assert peak.taken <= 16 * len(content) + (64 << 20)


@pytest.mark.slow
@ALWAYS
@given(data=st.data())
def test_a_damaged_checkpoint_is_resumed_or_refused(code: Code, tmp_path: Path, data: st.DataObject) -> None:
    read_damaged(code, tmp_path / "kept.safetensors", data)


@pytest.mark.world
@AT_LENGTH
@given(data=st.data())
def test_thousands_of_damaged_checkpoints_are_resumed_or_refused(
    code: Code, tmp_path: Path, data: st.DataObject
) -> None:
    read_damaged(code, tmp_path / "kept.safetensors", data)
