"""Part 2: a network.

Convolutions, each followed by a relu and by pooling, turn a picture into fewer
and fewer numbers that mean more and more. A linear layer reads the last of
them, and gradient descent finds the kernels.

Source: LeCun et al., "Gradient-based learning applied to document recognition"
(1998), section II.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional


def relu(x: Float[Tensor, ...]) -> Float[Tensor, ...]:
    """Put zero in the place of every negative number.

    x: of any shape. Returns numbers of the same shape. torch's own relu is not
    allowed in this step.
    """
    ### BEGIN SOLUTION
    # TODO 1: keep what is above zero. `x` itself must stay as it is.
    return x.clamp(min=0)
    ### END SOLUTION


def max_pool(
    x: Float[Tensor, "... h w"], size: int
) -> Float[Tensor, "... h_out w_out"]:
    """Keep the largest number of each window of size × size numbers.

    x: h rows of w numbers, behind any leading dimensions. size: the height and
    width of a window, and how far it moves: windows do not overlap. Rows and
    columns at the end that fill no window are left out.
    Returns one number a window. torch's own max pooling is not allowed in this
    step.
    """
    ### BEGIN SOLUTION
    # TODO 2: leave out what fills no window, give the windows dimensions of
    # their own, and take the largest number over these.
    h, w = x.shape[-2] // size, x.shape[-1] // size
    whole = x[..., : h * size, : w * size]
    windows = whole.unflatten(-1, (w, size)).unflatten(-3, (h, size))
    return windows.amax(dim=(-3, -1))
    ### END SOLUTION


class Conv2d(nn.Module):
    """A convolution as a module, which learns its kernels.

    in_channels, out_channels: of what comes in and goes out. kernel_size: the
    height and width of the kernels. stride, padding: as in part 1.
    Parameters weight (out_channels, in_channels, kernel_size, kernel_size) and
    bias (out_channels), drawn in this order, uniformly between −1 / √n and
    1 / √n, where n = in_channels · kernel_size². torch's own convolutions are
    not allowed in this step, conv_transpose2d among them.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        # TODO 3: two `nn.Parameter`s, weight and bias. `tensor.uniform_(low,
        # high)` draws numbers. Keep what `forward` needs.
        self.stride, self.padding = stride, padding
        bound = (in_channels * kernel_size**2) ** -0.5
        weight = torch.empty(
            out_channels, in_channels, kernel_size, kernel_size
        )
        self.weight = nn.Parameter(weight.uniform_(-bound, bound))
        self.bias = nn.Parameter(
            torch.empty(out_channels).uniform_(-bound, bound)
        )
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "b in_channels h w"]
    ) -> Float[Tensor, "b out_channels h_out w_out"]:
        """Return the convolution of each picture of the batch."""
        ### BEGIN SOLUTION
        # TODO 3: as in `convolve` of part 1, for all pictures of the batch.
        k = self.weight.shape[-1]
        padded = functional.pad(x, [self.padding] * 4)
        places = padded.unfold(2, k, self.stride).unfold(3, k, self.stride)
        sums = torch.einsum("bchwij,ocij->bohw", places, self.weight)
        return sums + self.bias[:, None, None]
        ### END SOLUTION


class Classifier(nn.Module):
    """A small convolutional network: says what a picture shows.

    in_channels: of the pictures. size: their height and width, a multiple of
    4. num_classes: how many things a picture may show.
    Layers, made in this order: conv1, a convolution to 4 channels; conv2, one
    from these to 8 channels; linear, an `nn.Linear` from all numbers that are
    left to num_classes scores. Both convolutions have kernels of 3 × 3 and a
    padding of 1, so that a picture keeps its size. After each of them come a
    relu and max pooling in windows of 2 × 2. torch's own layers are welcome
    here, `nn.Conv2d` too.
    """

    def __init__(self, in_channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        # TODO 4: conv1, conv2 and linear, in this order. How many rows and
        # columns are left after pooling twice?
        self.conv1 = nn.Conv2d(in_channels, 4, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(4, 8, kernel_size=3, padding=1)
        self.linear = nn.Linear(8 * (size // 4) ** 2, num_classes)
        ### END SOLUTION

    def forward(
        self, x: Float[Tensor, "b in_channels size size"]
    ) -> Float[Tensor, "b num_classes"]:
        """Return a score for each picture and each class, before any softmax.

        The linear layer reads all channels of a picture in one row, the first
        channel first, each row by row.
        """
        ### BEGIN SOLUTION
        # TODO 4: convolution, relu, pooling, twice; then flatten all but the
        # batch, and the linear layer.
        x = functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        scores: Tensor = self.linear(x.flatten(1))
        return scores
        ### END SOLUTION


def train_step(
    model: nn.Module,
    images: Float[Tensor, "b c h w"],
    labels: Int[Tensor, " b"],
    rate: float,
) -> float:
    """Take one step of gradient descent on a batch.

    model: makes scores of images, one for each class. labels: the number of
    each image's class. rate: how far to step. The loss is the cross entropy of
    the scores, the mean over the batch (`functional.cross_entropy`).
    Moves every parameter of the model by −rate times its gradient; gradients
    that are left from before must not count.
    Returns the loss before the step, as a Python float. torch's own optimisers,
    as each Optimizer is called there, are not allowed in this step.
    """
    ### BEGIN SOLUTION
    # TODO 5: forget old gradients, compute the loss, go backward, then move
    # the parameters. Moving them is no step of the computation: it needs no
    # gradient (`torch.no_grad`).
    model.zero_grad()
    loss = functional.cross_entropy(model(images), labels)
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.sub_(rate * parameter.grad)
    return loss.item()
    ### END SOLUTION
