"""Part 1, attention with nothing to learn: its cases, points and hints."""

from collections.abc import Iterator

import torch

from autograder.course.draw import Draw
from autograder.course.model import IDEA, Case, Criterion, Part, Step
from course.attention.example_inputs import JOURNEY_TOKENS, WARS_TOKENS, journey, wars
from course.attention.tolerances import EXACT, LARGE_SCORES

SMALLEST = "smallest input"
LARGE, HIDDEN = "scores of 10 000 and -10 000", "scores of -inf"
THOUSANDS = "scores of thousands"


def _dot_product(draw: Draw) -> Iterator[Case]:
    yield Case("journey", {"a": journey()[1], "b": journey()[0]})
    yield Case("random", {"a": draw.normal(7), "b": draw.normal(7)})
    yield Case(SMALLEST, {"a": draw.normal(1), "b": draw.normal(1)})


def _attention_scores(draw: Draw) -> Iterator[Case]:
    yield Case("journey", {"query": journey()[1], "inputs": journey()}, labels={"token": JOURNEY_TOKENS})
    yield Case("random", {"query": draw.normal(3), "inputs": draw.normal(5, 3)})
    yield Case("as many tokens as numbers", {"query": draw.normal(4), "inputs": draw.normal(4, 4)})
    yield Case(SMALLEST, {"query": draw.normal(1), "inputs": draw.normal(1, 1)})


def _softmax(draw: Draw) -> Iterator[Case]:
    lecture = torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5])
    yield Case("lecture", {"scores": lecture})
    yield Case("rows", {"scores": draw.normal(4, 5)})
    yield Case("batch of rows", {"scores": draw.normal(2, 3, 5)})
    yield Case("lecture, and eight times as large", {"scores": torch.stack([lecture, 8 * lecture])})
    far = 10_000 * torch.tensor([[1.0, 1, 1, 1], [-1, -1, -1, -1], [-1, 1, 0, -1]])
    yield Case(LARGE, {"scores": draw.normal(3, 4) + far}, tolerance=LARGE_SCORES)
    hidden = draw.normal(3, 4).masked_fill(torch.tensor([1, 0, 1, 0]).bool(), -torch.inf)
    yield Case(HIDDEN, {"scores": hidden}, tolerance=EXACT)
    yield Case(SMALLEST, {"scores": draw.normal(1)})


def _context_vector(draw: Draw) -> Iterator[Case]:
    weights = torch.softmax(journey() @ journey()[1], dim=-1)
    yield Case("journey", {"weights": weights, "inputs": journey()}, labels={"token": JOURNEY_TOKENS})
    yield Case("weights that do not add up to 1", {"weights": draw.uniform(4), "inputs": draw.normal(4, 6)})
    yield Case("as many tokens as numbers", {"weights": draw.uniform(3), "inputs": draw.normal(3, 3)})
    yield Case("negative weights", {"weights": draw.normal(5), "inputs": draw.normal(5, 2)})
    yield Case(SMALLEST, {"weights": draw.normal(1), "inputs": draw.normal(1, 1)})


def _simplified_self_attention(draw: Draw) -> Iterator[Case]:
    yield Case("journey", {"inputs": journey()}, labels={"token": JOURNEY_TOKENS})
    yield Case("wars", {"inputs": wars()}, labels={"token": WARS_TOKENS})
    yield Case("random", {"inputs": draw.normal(4, 3)})
    yield Case("as many tokens as numbers", {"inputs": draw.normal(4, 4)})
    yield Case(SMALLEST, {"inputs": draw.normal(1, 1)})
    yield Case(THOUSANDS, {"inputs": 40 * draw.uniform(3, 5)}, tolerance=LARGE_SCORES)


PART = Part(
    name="part1_simplified",
    title="Attention with nothing to learn",
    steps=(
        Step(
            name="dot_product",
            lecture="docs/lectures/without_weights.md",
            points=2,
            effort="one line",
            cases=_dot_product,
            criteria=(Criterion("form", IDEA),),
            hints=(
                "A dot product turns two vectors into one number. `a * b` is still a vector: which operation is missing?",
                "Multiply with `*`, then call `.sum()` on the result. The answer is a tensor of shape ().",
            ),
        ),
        Step(
            name="attention_scores",
            lecture="docs/lectures/without_weights.md",
            points=4,
            effort="one line",
            cases=_attention_scores,
            hints=(
                "You need one number per token: the dot product of `query` with each row of `inputs`.",
                "A matrix times a vector is exactly that: the dot product of the vector with every row.",
                "`matrix @ vector`: which of the two arguments is the matrix?",
            ),
        ),
        Step(
            name="softmax",
            lecture="docs/lectures/without_weights.md",
            points=8,
            effort="three lines",
            cases=_softmax,
            criteria=(
                Criterion("large scores", cases=(LARGE,)),
                Criterion("weights of exactly 0", 0.05, cases=(HIDDEN,)),
            ),
            forbids=("softmax", "log_softmax", "Softmax", "LogSoftmax", "Softmax2d", "softmin", "Softmin"),
            hints=(
                "Two things happen: every score becomes exp(score), and every row is divided by its own sum.",
                "The sum runs along the last dimension, one for each row. `keepdim=True` keeps it with size 1, so that the division "
                "lines up row by row.",
                "exp(10 000) is inf, and inf / inf is nan. Subtract each row's largest score first: "
                "`scores.amax(dim=-1, keepdim=True)`. The weights stay the same, because the factor cancels.",
            ),
        ),
        Step(
            name="context_vector",
            lecture="docs/lectures/without_weights.md",
            points=4,
            effort="one line",
            cases=_context_vector,
            hints=(
                "Every row of `inputs` is multiplied by its own weight, then all rows are added to one vector.",
                "A vector times a matrix adds up the rows, weighted by the vector: `weights @ ...`.",
            ),
        ),
        Step(
            name="simplified_self_attention",
            lecture="docs/lectures/without_weights.md",
            points=7,
            effort="three lines",
            cases=_simplified_self_attention,
            criteria=(Criterion("large scores", cases=(THOUSANDS,)),),
            hints=(
                "Do for all tokens what you did for one: scores (t x t), weights (t x t), context vectors (t x d).",
                "All dot products of rows with rows are one matrix product: the matrix times its own transpose.",
                "Row i of the scores belongs to query i, so the softmax runs along the row: `dim=-1`. Then multiply the "
                "weights with `inputs`.",
            ),
        ),
    ),
)
