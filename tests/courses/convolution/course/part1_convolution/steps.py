"""Part 1, convolution: its cases, points and hints."""

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.course.draw import Draw
from autograder.course.model import Case, Part, Step

from ..convolution.forbidden import CONVOLUTION
from ..convolution.pictures import edge, seven

LECTURE = "docs/convolution.md"


def _cross_correlate(draw: Draw) -> Iterator[Case]:
    yield Case("seven", {"image": seven(), "kernel": edge()})
    yield Case("random", {"image": draw.normal(5, 7), "kernel": draw.normal(2, 3)})
    yield Case("a kernel of one number", {"image": draw.normal(4, 3), "kernel": draw.normal(1, 1)})
    yield Case("an image of one number", {"image": draw.normal(1, 1), "kernel": draw.normal(1, 1)})
    yield Case("a kernel as large as the image", {"image": draw.normal(3, 4), "kernel": draw.normal(3, 4)})
    yield Case("an upright kernel", {"image": draw.normal(6, 4), "kernel": draw.normal(3, 2)})


def _pad(draw: Draw) -> Iterator[Case]:
    yield Case("seven", {"image": seven(), "padding": 1})
    yield Case("channels", {"image": draw.normal(2, 3, 4), "padding": 2})
    yield Case("no frame", {"image": draw.normal(3, 5), "padding": 0})
    yield Case("a batch of one number", {"image": draw.normal(3, 2, 1, 1), "padding": 1})


def _output_size(draw: Draw) -> Iterator[Case]:
    yield Case("seven", _side(6, 3, 1, 0))
    yield Case("random", _side(draw.integer(20, 40), draw.integer(3, 8), draw.integer(2, 5), draw.integer(1, 4)))
    yield Case("with a frame", _side(6, 3, 1, 1))
    yield Case("with a stride", _side(7, 3, 2, 0))
    yield Case("a step too far", _side(8, 3, 2, 1))
    yield Case("one place", _side(5, 5, 3, 0))


def _side(size: int, kernel_size: int, stride: int, padding: int) -> dict[str, int]:
    return {"size": size, "kernel_size": kernel_size, "stride": stride, "padding": padding}


def _windows(draw: Draw) -> Iterator[Case]:
    yield Case("seven", {"image": seven()[None], "kernel_size": 3, "stride": 1})
    yield Case("random", {"image": draw.normal(3, 4, 6), "kernel_size": 2, "stride": 1})
    yield Case("one window", {"image": draw.normal(2, 3, 3), "kernel_size": 3, "stride": 1})
    yield Case("windows of one number", {"image": draw.normal(2, 3, 4), "kernel_size": 1, "stride": 1})
    yield Case("one number", {"image": draw.normal(1, 1, 1), "kernel_size": 1, "stride": 1})
    yield Case("with a stride", {"image": draw.normal(2, 6, 8), "kernel_size": 3, "stride": 2})


def _convolve(draw: Draw) -> Iterator[Case]:
    edges = torch.stack([edge(), edge().T])[:, None]
    lecture = {"image": seven()[None], "weight": edges, "bias": torch.tensor([0.0, 0.5])}
    yield Case("seven", {**lecture, "stride": 1, "padding": 0})
    yield Case("random", {**_layer(draw, 3, 2, 5, 7, k=2), "stride": 1, "padding": 0})
    yield Case("with a frame", {**_layer(draw, 2, 4, 3, 4, k=3), "stride": 1, "padding": 1})
    yield Case("kernels of one number", {**_layer(draw, 3, 1, 4, 2, k=1), "stride": 1, "padding": 0})
    yield Case("one number", {**_layer(draw, 1, 1, 1, 1, k=1), "stride": 1, "padding": 0})
    yield Case("with a frame and a stride", {**_layer(draw, 2, 3, 6, 9, k=3), "stride": 2, "padding": 1})


def _layer(draw: Draw, c_in: int, c_out: int, h: int, w: int, *, k: int) -> dict[str, Tensor]:
    return {"image": draw.normal(c_in, h, w), "weight": draw.normal(c_out, c_in, k, k), "bias": draw.normal(c_out)}


PART = Part(
    name="part1_convolution",
    title="Convolution",
    steps=(
        Step(
            name="cross_correlate",
            lecture=LECTURE,
            points=5,
            effort="eight lines",
            cases=_cross_correlate,
            forbids=CONVOLUTION,
            hints=(
                "At how many rows may the kernel begin? An image of 6 rows has 4 such rows for a kernel of 3.",
                "What the kernel covers is `image[top : top + kh, left : left + kw]`. Its product with the kernel has the same shape.",
                "`torch.stack` makes one row of the numbers of a row, and one image of the rows.",
            ),
        ),
        Step(
            name="pad",
            lecture=LECTURE,
            points=2,
            effort="four lines",
            cases=_pad,
            hints=(
                "The frame is on both sides: an image of 3 rows and a padding of 2 make 7 rows.",
                "`image.new_zeros(...)` makes zeros of the image's own dtype. The first row of the image is row `padding` of the result.",
            ),
        ),
        Step(
            name="output_size",
            lecture=LECTURE,
            points=2,
            effort="one line",
            cases=_output_size,
            hints=(
                "Without a stride: of 6 numbers, a kernel of 3 can begin at 0, 1, 2 and 3. How does 4 come of 6 and 3?",
                "The kernel can move by size + 2 · padding − kernel_size. How many whole steps is that? The first place comes on top.",
            ),
        ),
        Step(
            name="windows",
            lecture=LECTURE,
            points=5,
            effort="three lines",
            cases=_windows,
            hints=(
                "Two loops, as in step 1, but each window holds all channels: `image[:, top : top + k, left : left + k]`.",
                "`.flatten()` lays a window out in one row, in the right order. `range(start, end, stride)` skips places.",
                "Without loops: `image.unfold(1, k, stride).unfold(2, k, stride)` has the shape (c_in, h_out, w_out, k, k). "
                "Which dimensions must come first before you flatten?",
            ),
        ),
        Step(
            name="convolve",
            lecture=LECTURE,
            points=6,
            effort="five lines",
            cases=_convolve,
            forbids=CONVOLUTION,
            hints=(
                "One number of the output is one window times one kernel, both with all channels, added up, plus a bias.",
                "With the windows as rows it is one matrix product: (n, d) times (d, c_out). `weight.flatten(1)` has the kernels as rows.",
                "The product has the shape (n, c_out): turn it round, then give n its rows and columns back with `reshape`.",
            ),
        ),
    ),
)
