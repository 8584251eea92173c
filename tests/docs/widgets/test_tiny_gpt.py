"""The model in the page is torch's: its logits, maps and tokens on the way, with every head on and with heads switched off."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page
from torch import Tensor

from solutions.part4_multihead import MultiHeadAttention
from solutions.part6_training import TinyGPT, TransformerBlock, attention_maps
from workbench.ablation import switched_off
from workbench.explorer import SIGNS, TRAINED
from workbench.packed_model import read_weights
from workbench.trainer import EMB_DIM, NUM_HEADS, NUM_LAYERS

pytestmark = pytest.mark.slow

CONTEXT, PROMPTS = 32, 40
CLOSE = 1e-3
HEADS = [(layer, head) for layer in range(1, NUM_LAYERS + 1) for head in range(1, NUM_HEADS + 1)]

Prompt = tuple[list[int], list[tuple[int, int]]]
Found = list[tuple[Prompt, dict[str, Any]]]

RUN = """async ([file, prompts]) => {
    const { readModel } = await import("/widgets/packed_model.mjs");
    const { run, said } = await import("/widgets/tiny_gpt.mjs");
    const answer = await fetch(`/widgets/${file}`);
    const model = readModel(await answer.arrayBuffer());
    return prompts.map(([tokens, off]) => {
        const isOff = (layer, head) => off.some(([l, h]) => l === layer + 1 && h === head + 1);
        const { states, maps, logits } = run(model, tokens, isOff);
        return {
            logits,
            states,
            lens: states.map(one => said(model, one)),
            maps,
        };
    });
}"""


def prompts() -> list[Prompt]:
    """Texts of every length, some that repeat, each with some heads switched off, the first with none."""
    draw = torch.Generator().manual_seed(7)
    texts = [
        torch.randint(len(SIGNS), (1 + number * 31 // (PROMPTS - 1),), generator=draw) for number in range(PROMPTS)
    ]
    texts = [torch.cat([text, text])[: max(1, len(text))] if number % 2 else text for number, text in enumerate(texts)]
    masks = [torch.rand(len(HEADS), generator=draw) < number / PROMPTS for number in range(PROMPTS)]
    return [
        (text.tolist(), [head for head, off in zip(HEADS, mask.tolist(), strict=True) if off])
        for text, mask in zip(texts, masks, strict=True)
    ]


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{address}/widgets/")
    yield page
    page.close()


@pytest.fixture(scope="module")
def found(page: Page) -> Found:
    """Prompts, and what the page makes of them."""
    return list(zip(prompts(), page.evaluate(RUN, [TRAINED.name, prompts()]), strict=True))


@pytest.fixture(scope="module")
def model() -> TinyGPT:
    model = TinyGPT(len(SIGNS), CONTEXT, EMB_DIM, NUM_HEADS, NUM_LAYERS, 0.0, MultiHeadAttention)
    model.load_state_dict(read_weights(TRAINED), strict=False)
    return model.eval()


def test_logits_are_torchs_with_all_heads_and_without_some(model: TinyGPT, found: Found) -> None:
    for (tokens, off), answer in found:
        with torch.no_grad(), switched_off(model, off):
            right = model(torch.tensor([tokens]))[0]
        torch.testing.assert_close(torch.tensor(answer["logits"]), right, rtol=0, atol=CLOSE)


def test_maps_are_torchs_with_all_heads_and_without_some(model: TinyGPT, found: Found) -> None:
    for (tokens, off), answer in found:
        with switched_off(model, off):
            right = attention_maps(model, torch.tensor([tokens]))
        maps = torch.tensor(answer["maps"], dtype=torch.float32).view(right.shape)
        torch.testing.assert_close(maps, right, rtol=0, atol=CLOSE)


def test_tokens_after_each_addition_are_torchs_and_so_is_what_the_end_of_the_model_makes_of_them(
    model: TinyGPT, found: Found
) -> None:
    caught: list[Tensor] = []

    def catch(block: TransformerBlock, given: tuple[Tensor], left: Tensor) -> None:
        added = block.attention(block.attention_norm(given[0]))
        caught.extend([given[0] + added, left])

    handles = [block.register_forward_hook(catch) for block in model.blocks]
    for (tokens, off), answer in found:
        caught.clear()
        with torch.no_grad(), switched_off(model, off):
            model(torch.tensor([tokens]))
            lens = [model.head(model.norm(state))[0] for state in caught]
        states = torch.stack([state[0] for state in caught])
        torch.testing.assert_close(torch.tensor(answer["states"][1:]), states, rtol=0, atol=CLOSE)
        torch.testing.assert_close(torch.tensor(answer["lens"][1:]), torch.stack(lens), rtol=0, atol=CLOSE)
    for handle in handles:
        handle.remove()
