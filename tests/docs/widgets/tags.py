"""Each widget as a page puts it in, with numbers of the lectures."""

import json
from functools import cache

import torch
from torch import Tensor

from autograder.site.written_line import write
from autograder.workspace import COURSE
from course.attention.example_inputs import JOURNEY_TOKENS as TOKENS
from course.attention.example_inputs import journey, lecture_weights, wars


def tag_of(name: str, **attributes: object) -> str:
    """Return an element. attributes: values as pages give them, with _ for -."""
    given = {key: value.tolist() if isinstance(value, Tensor) else value for key, value in attributes.items()}
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in given.items()}
    written = (f"{key.replace('_', '-')}='{text}'" for key, text in texts.items())
    return f"<{name} {' '.join(written)}></{name}>"


WEIGHTS = lecture_weights()
QUERIES, KEYS, VALUES = (journey() @ weights for weights in WEIGHTS)
ROW = {"queries": QUERIES, "keys": KEYS, "values": VALUES, "labels": TOKENS}
FIRST, SECOND = ("Your journey starts with one step", journey()), ("wars not make one great", wars())
EXAMPLES = [
    {"name": name, "tokens": name.split(), "inputs": [[round(number, 2) for number in row] for row in inputs.tolist()]}
    for name, inputs in (FIRST, SECOND)
]
X = torch.randn(3, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64).round(decimals=4)
QUERY, KEY = torch.randn(2, 8, generator=torch.Generator().manual_seed(123), dtype=torch.float64)

CAUSAL_MASK = tag_of("causal-mask", scores=QUERIES @ KEYS.T, labels=TOKENS, d_k=2)
DOT_PRODUCT_VARIANCE = tag_of("dot-product-variance", dimension=5, seed=123)
FLASH_TILES = tag_of("flash-tiles", **ROW)
GROWING_CACHE = tag_of("growing-cache", **ROW)
HEAD_EXPLORER = "<head-explorer></head-explorer>"
HEAD_SHARING = tag_of("head-sharing", heads=8, head_dim=128)
HEAD_SPLIT = tag_of("head-split", x=X, labels=["token 1", "token 2", "token 3"], heads=2)
INDUCTION_BIRTH = "<induction-birth></induction-birth>"
LIVE_GPT = "<live-gpt></live-gpt>"
MATRIX_PRODUCTS = tag_of("matrix-products", examples=EXAMPLES, w_query=WEIGHTS[0], w_key=WEIGHTS[1], w_value=WEIGHTS[2])
ROTARY_ROTATION = tag_of("rotary-rotation", query=QUERY, key=KEY)
SOFTMAX_TEMPERATURE = tag_of("softmax-temperature", scores=[0.1, -0.2, 0.3, -0.2, 0.5], labels=list("abcde"))
VIEW_TRANSPOSE = tag_of("view-transpose", tokens=3, heads=2, head_dim=3)
WEIGHTED_SUM = tag_of("weighted-sum", query=QUERIES[1], keys=KEYS, values=VALUES, labels=TOKENS, token="journey")


@cache
def write_line() -> str:
    """Return the box of the step that asks for scores."""
    COURSE.course.at_home()
    drawn = write("part2_trainable.attention_scores", "Write the scores.", cases=("journey", "batch"))
    return drawn.page.removeprefix("<div>").removesuffix("</div>")
