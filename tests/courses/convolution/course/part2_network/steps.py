"""Part 2, a network: its cases, probes, points and hints."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.course.draw import Draw
from autograder.course.model import Case, Part, Step
from autograder.course.modules import attribute, construct, parameters
from autograder.course.probing import Observation

from ..convolution.forbidden import CONVOLUTION
from ..convolution.pictures import STROKES, seven, strokes

LECTURE = "docs/convolution.md"

PARAMETERS = ("weight", "bias")
LAYERS = ("conv1", "conv2", "linear")
UPSIDE_DOWN = "of the pictures upside down"

# Probes


def run_conv2d(
    cls: type[nn.Module], x: Tensor, out_channels: int, kernel_size: int, stride: int | None, padding: int | None
) -> Observation:
    """Make the module; observe its parameters and its output. stride, padding: None where they are left to their defaults."""
    given = {"in_channels": x.shape[1], "out_channels": out_channels, "kernel_size": kernel_size}
    options: dict[str, Any] = {"stride": stride, "padding": padding}
    module = construct(cls, given, **{name: value for name, value in options.items() if value is not None}).to(x.dtype)
    outputs: dict[str, Any] = {name: attribute(module, name) for name in PARAMETERS}
    trained = parameters(module)
    outputs["parameters"] = ", ".join(name for name in PARAMETERS if name in trained)
    outputs |= {"output": module(x), f"output {UPSIDE_DOWN}": module(x.flip(-2))}
    return Observation(outputs, {name: trained[name] for name in PARAMETERS if name in trained})


def run_classifier(cls: type[nn.Module], x: Tensor, num_classes: int) -> Observation:
    """Make the module; observe its layers and its scores."""
    given = {"in_channels": x.shape[1], "size": x.shape[-1], "num_classes": num_classes}
    module = construct(cls, given).to(x.dtype)
    outputs: dict[str, Any] = {}
    for name in LAYERS:
        layer = attribute(module, name)
        outputs |= {f"{name}.{kind}": attribute(layer, kind, of=name) for kind in PARAMETERS}
    trained = parameters(module)
    outputs |= {"scores": module(x), f"scores {UPSIDE_DOWN}": module(x.flip(-2))}
    return Observation(outputs, {name: trained[name] for name in outputs if name in trained})


class Reader(nn.Module):
    """What `train_step` trains: scores made of a picture's numbers by one matrix, and a bias."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())

    def forward(self, images: Tensor) -> Tensor:
        """Return the scores (b, classes) of images (b, c, h, w)."""
        return images.flatten(1) @ self.weight + self.bias


def run_train_step(
    function: Callable[..., Any],
    images: Tensor,
    labels: Tensor,
    weight: Tensor,
    bias: Tensor,
    rate: float,
    left_over: bool,
) -> Observation:
    """Let a model learn from one batch after the other; look at the losses, and at what has become of the model.

    images: steps b c h w. labels: steps b. left_over: whether the model has gradients from before.
    """
    model = Reader(weight, bias)
    if left_over:
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
    losses = [function(model, *batch, rate) for batch in zip(images, labels, strict=True)]
    outputs = {
        "each loss is a float": all(isinstance(loss, float) for loss in losses),
        "losses": _together(losses, weight.dtype),
        "weight afterwards": model.weight.detach().clone(),
        "bias afterwards": model.bias.detach().clone(),
    }
    return Observation(outputs)


def _together(losses: Sequence[Any], dtype: torch.dtype) -> Any:
    """Return losses as one tensor, be they floats or tensors of one number; where they are something else, the first."""
    if all(isinstance(loss, float) or (isinstance(loss, Tensor) and loss.numel() == 1) for loss in losses):
        return torch.tensor([float(loss) for loss in losses], dtype=dtype)
    return losses[0]


# Cases


def _relu(draw: Draw) -> Iterator[Case]:
    yield Case("lecture", {"x": torch.tensor([-1.5, 0.5, -0.25, 2.0])})
    yield Case("random", {"x": draw.normal(4, 5)})
    yield Case("one number", {"x": draw.normal(1) - 3})
    yield Case("batch of channels", {"x": draw.normal(2, 3, 4, 5)})


def _max_pool(draw: Draw) -> Iterator[Case]:
    yield Case("seven", {"x": seven(), "size": 2})
    yield Case("random", {"x": draw.normal(4, 6), "size": 2})
    yield Case("channels", {"x": draw.normal(2, 6, 9), "size": 3})
    yield Case("windows of one number", {"x": draw.normal(3, 4), "size": 1})
    yield Case("one number", {"x": draw.normal(1, 1), "size": 1})
    yield Case("rows and columns left over", {"x": draw.normal(2, 3, 7, 9), "size": 2})


def _conv2d(draw: Draw) -> Iterator[Case]:
    defaults: dict[str, Any] = {"stride": None, "padding": None}
    yield Case(
        "as it is made by default", {"x": draw.normal(2, 3, 5, 6), "out_channels": 4, "kernel_size": 2, **defaults}
    )
    yield Case(
        "one picture of one number", {"x": draw.normal(1, 1, 1, 1), "out_channels": 1, "kernel_size": 1, **defaults}
    )
    framed: dict[str, Any] = {"out_channels": 2, "kernel_size": 3, "stride": None, "padding": 1}
    yield Case("with a frame", {"x": draw.normal(3, 2, 4, 5), **framed})
    strided = {"out_channels": 4, "kernel_size": 3, "stride": 2, "padding": 2}
    yield Case("with a frame and a stride", {"x": draw.normal(2, 3, 6, 7), **strided})


def _classifier(draw: Draw) -> Iterator[Case]:
    images, _ = strokes(4, draw.integer(0, 1000))
    yield Case("strokes", {"x": images, "num_classes": len(STROKES)}, labels={"class": STROKES})
    yield Case("one picture, one class", {"x": draw.normal(1, 1, 4, 4), "num_classes": 1})
    yield Case("colours", {"x": draw.normal(2, 3, 12, 12), "num_classes": 5})


def _train_step(draw: Draw) -> Iterator[Case]:
    images, labels = strokes(8, draw.integer(0, 1000))
    one_batch = {"images": images[None], "labels": labels[None], **_reader(draw, 64, len(STROKES))}
    yield Case("strokes", {**one_batch, "rate": 0.5, "left_over": False})
    several = {"images": draw.normal(3, 4, 2, 3, 5), "labels": draw.normal(3, 4, 6).argmax(-1), **_reader(draw, 30, 6)}
    one_number = {
        "images": draw.normal(1, 1, 1, 1, 1),
        "labels": torch.zeros(1, 1, dtype=torch.int64),
        **_reader(draw, 1, 2),
    }
    yield Case("one number", {**one_number, "rate": 0.5, "left_over": False})
    yield Case("three steps", {**several, "rate": 0.2, "left_over": False})
    yield Case("gradients left from before", {**several, "rate": 0.1, "left_over": True})


def _reader(draw: Draw, numbers: int, classes: int) -> dict[str, Tensor]:
    return {"weight": draw.normal(numbers, classes) / numbers**0.5, "bias": draw.normal(classes)}


_OUTPUT = dict.fromkeys(("output", f"output {UPSIDE_DOWN}"), "b c_out h_out w_out")
_SCORES = dict.fromkeys(("scores", f"scores {UPSIDE_DOWN}"), "b num_classes")
_KERNELS = {"weight": "c_out c_in k k", "bias": "c_out"}
_TRAINED = {"losses": "steps", "weight afterwards": "d classes", "bias afterwards": "classes"}

PART = Part(
    name="part2_network",
    title="A network",
    steps=(
        Step(
            name="relu",
            lecture=LECTURE,
            points=1,
            effort="one line",
            cases=_relu,
            forbids=("relu", "ReLU"),
            hints=(
                "Each number is compared with zero, and the larger of the two is kept.",
                "`clamp` and `torch.where` both make a new tensor. `x[x < 0] = 0` writes into the caller's.",
            ),
        ),
        Step(
            name="max_pool",
            lecture=LECTURE,
            points=4,
            effort="three lines",
            cases=_max_pool,
            forbids=("max_pool1d", "max_pool2d", "max_pool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"),
            hints=(
                "h // size windows fit below each other. Cut off the rows and columns behind the last one first.",
                "`x.unflatten(-1, (w, size))` makes two dimensions of the columns: which window, and where in it.",
                "With the rows cut up too, the shape is (..., h, size, w, size): `amax` over the two dimensions within a window.",
            ),
        ),
        Step(
            name="Conv2d",
            lecture=LECTURE,
            points=5,
            effort="nine lines",
            cases=_conv2d,
            probe=run_conv2d,
            returns=_KERNELS | _OUTPUT,
            forbids=CONVOLUTION,
            hints=(
                "A tensor is trained when it is wrapped: `nn.Parameter(torch.empty(...).uniform_(-bound, bound))`.",
                "The weight has the shape (out_channels, in_channels, kernel_size, kernel_size). Draw it before the bias.",
                "`forward` is `convolve` with one dimension more: a loop over the pictures and `torch.stack` will do.",
            ),
        ),
        Step(
            name="Classifier",
            lecture=LECTURE,
            points=5,
            effort="eight lines",
            cases=_classifier,
            probe=run_classifier,
            returns=_SCORES,
            never_one=("size",),
            hints=(
                "Pooling halves rows and columns, twice: of 8 × 8 pictures, 2 × 2 numbers are left in each of the 8 channels.",
                "The order is convolution, relu, pooling; then the same again; then flatten and the linear layer.",
                "`x.flatten(1)` leaves the batch as it is and lays everything else out in one row.",
            ),
        ),
        Step(
            name="train_step",
            lecture=LECTURE,
            points=5,
            effort="eight lines",
            cases=_train_step,
            probe=run_train_step,
            returns=_TRAINED,
            gradients=False,
            forbids=("Optimizer",),
            hints=(
                "`loss.backward()` adds to the gradients that are there: `model.zero_grad()` comes before it.",
                "Downhill is against the gradient: each parameter loses `rate` times its own.",
                "Inside `with torch.no_grad():`, `parameter -= ...` writes into a parameter. `loss.item()` is a float.",
            ),
        ),
    ),
)
