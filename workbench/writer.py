"""The model with which <live-gpt> writes: `python -m workbench.writer` writes docs/widgets/text_model.safetensors anew.

It trains the reference on the course's own text, as `attn train --text` does.
"""

from autograder.workspace import COURSE
from workbench.characters import writing_task
from workbench.own_code import CodeFailed, loaded
from workbench.packed_model import packed_file
from workbench.task import ATTENTION, MODEL, Code
from workbench.texts import OWN, read_text
from workbench.trainer import Training

WRITER = COURSE.root / "docs" / "widgets" / "text_model.safetensors"
SEED = 123


def trained(code: Code, steps: int) -> bytes:
    """Train a model on the text, and return its file."""
    task = writing_task(read_text(OWN))
    training = Training(code, task, SEED, "cpu")
    for _ in range(steps):
        training.step()
    return packed_file(training.model, task.vocabulary)


if __name__ == "__main__":
    try:
        with loaded(COURSE.solutions, [ATTENTION, MODEL]) as reference:
            WRITER.write_bytes(trained(reference, writing_task(read_text(OWN)).steps))
    except CodeFailed as error:
        raise SystemExit(f"The reference is needed, and cannot be loaded: {error}") from None
