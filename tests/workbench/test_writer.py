"""The model that writes in a lecture: the file in the tree is one that knows the story, and the script is deterministic."""

import torch
from safetensors import safe_open

from workbench.characters import CONTEXT, writing_task
from workbench.packed_model import read_weights
from workbench.task import MODEL, Code
from workbench.texts import STORY, read_text
from workbench.trainer import Training
from workbench.writer import WRITER

STORY = read_text(STORY)


def test_the_packed_model_knows_the_story(code: Code) -> None:
    task = writing_task(STORY)
    model = Training(code, task, 0).model
    model.load_state_dict(read_weights(WRITER), strict=False)
    tokens = torch.tensor([task.vocabulary.index(letter) for letter in STORY[: 20 * CONTEXT]]).view(20, CONTEXT)

    with safe_open(WRITER, framework="pt") as kept:
        assert kept.metadata()["vocabulary"] == task.vocabulary
    with torch.no_grad():
        loss = code[MODEL].next_token_loss(model(tokens), tokens)
    assert float(loss) < 1.2  # one that knows only how frequent letters are has about 3
