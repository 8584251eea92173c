"""What <live-gpt> shows of a model that writes: the model, and what it wrote at several steps of its training.

`python -m workbench.writer` trains the reference on the course's own text, as `attn train --text` does, and writes
docs/widgets/text_model.safetensors and docs/widgets/text_samples.json anew.
"""

import json
from collections.abc import Sequence

from autograder.workspace import COURSE
from workbench.characters import writing_task
from workbench.own_code import CodeFailed, loaded
from workbench.packed_model import packed_file
from workbench.task import ATTENTION, MODEL
from workbench.texts import OWN, read_text
from workbench.trainer import Training

WIDGETS = COURSE.root / "docs" / "widgets"
WRITER, SAMPLES = WIDGETS / "text_model.safetensors", WIDGETS / "text_samples.json"
SEED = 123
STEPS = (0, 50, 100, 200, 400, 800)
"""After how many steps of training the model writes a sample."""


def samples(training: Training, steps: Sequence[int] = STEPS) -> list[dict[str, int | str]]:
    """Train a model, and return what it writes after each of so many steps."""
    written: list[dict[str, int | str]] = []
    for step in steps:
        while training.steps < step:
            training.step()
        written.append({"steps": step, "writes": training.observe().sample})
    return written


if __name__ == "__main__":
    try:
        with loaded(COURSE.solutions, [ATTENTION, MODEL]) as reference:
            task = writing_task(read_text(OWN))
            training = Training(reference, task, SEED, "cpu")
            found = samples(training)
            SAMPLES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            WRITER.write_bytes(packed_file(training.model, task.vocabulary))
    except CodeFailed as error:
        raise SystemExit(f"The reference is needed, and cannot be loaded: {error}") from None
