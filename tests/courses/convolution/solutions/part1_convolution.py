"""Part 1: convolution.

A small window slides over a picture. Wherever it stops, the numbers that it
covers are multiplied with those of a kernel and added up. What comes out is
another picture: it says where the kernel's pattern is.

Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep
learning" (2016).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional


def cross_correlate(
    image: Float[Tensor, "h w"], kernel: Float[Tensor, "kh kw"]
) -> Float[Tensor, "h_out w_out"]:
    """Slide a kernel over an image.

    image: h rows of w numbers. kernel: no larger than the image, in neither
    direction.
    Returns one number for each place where the kernel fits into the image: the
    sum of the products of the kernel with what it covers there. The kernel is
    used as it is, not turned round. torch's own convolutions are not allowed,
    conv_transpose2d among them.
    """
    ### BEGIN SOLUTION
    # TODO 1: for each row at which the kernel may begin, and each column:
    # multiply what it covers with the kernel, and add up.
    (h, w), (kh, kw) = image.shape, kernel.shape
    rows = []
    for top in range(h - kh + 1):
        row = []
        for left in range(w - kw + 1):
            covered = image[top : top + kh, left : left + kw]
            row.append((covered * kernel).sum())
        rows.append(torch.stack(row))
    return torch.stack(rows)
    ### END SOLUTION


def pad(
    image: Float[Tensor, "... h w"], padding: int
) -> Float[Tensor, "... h_padded w_padded"]:
    """Put a frame of zeros around an image.

    image: h rows of w numbers, behind any leading dimensions (none, channels,
    a batch of channels). padding: how thick the frame is; may be 0.
    Returns the images, larger by twice the padding in both directions.
    """
    ### BEGIN SOLUTION
    # TODO 2: make zeros of the larger shape, and write the image into their
    # middle.
    *leading, h, w = image.shape
    padded = image.new_zeros(*leading, h + 2 * padding, w + 2 * padding)
    padded[..., padding : padding + h, padding : padding + w] = image
    return padded
    ### END SOLUTION


def output_size(size: int, kernel_size: int, stride: int, padding: int) -> int:
    """Count the places at which a kernel stops along one side of an image.

    size: how many numbers the side has. kernel_size: how many of them the
    kernel covers. stride: how far it moves each time. padding: how many zeros
    are put before and behind the side. The kernel fits at least once.
    Returns a whole number (an int).
    """
    ### BEGIN SOLUTION
    # TODO 3: how far can the first number under the kernel move? A step that
    # would lead too far is not taken.
    return (size + 2 * padding - kernel_size) // stride + 1
    ### END SOLUTION


def windows(
    image: Float[Tensor, "c_in h w"], kernel_size: int, stride: int
) -> Float[Tensor, "n d"]:
    """Cut a picture into the windows that a kernel covers, one a row.

    image: c_in channels of h rows of w numbers. kernel_size: the height and
    width of a window. stride: how far the window moves, to the right and down.
    Returns n windows, from left to right, then from top to bottom. Each is one
    row of d = c_in · kernel_size² numbers: the first channel's, row by row,
    then the next channel's.
    """
    ### BEGIN SOLUTION
    # TODO 4: for each place where the window stops, cut it out of all channels
    # and lay it out in one row. Stack the rows.
    rows = image.unfold(1, kernel_size, stride)
    places = rows.unfold(2, kernel_size, stride)
    return places.permute(1, 2, 0, 3, 4).flatten(2).flatten(0, 1)
    ### END SOLUTION


def convolve(
    image: Float[Tensor, "c_in h w"],
    weight: Float[Tensor, "c_out c_in k k"],
    bias: Float[Tensor, " c_out"],
    stride: int,
    padding: int,
) -> Float[Tensor, "c_out h_out w_out"]:
    """Return the convolution of a picture of several channels.

    weight: one kernel for each output channel and each input channel. bias:
    one number for each output channel. stride: how far the window moves.
    padding: how thick the frame of zeros around the picture is.
    Returns one image for each output channel: the sum, over the input
    channels, of each channel's cross-correlation with its own kernel, plus the
    output channel's bias. torch's own convolutions are not allowed,
    conv_transpose2d among them.
    """
    ### BEGIN SOLUTION
    # TODO 5: pad; cut into windows; multiply every window with every kernel,
    # and add up over channels, rows and columns; add the bias.
    k = weight.shape[-1]
    padded = functional.pad(image, [padding] * 4)
    places = padded.unfold(1, k, stride).unfold(2, k, stride)
    sums = torch.einsum("chwij,ocij->ohw", places, weight)
    return sums + bias[:, None, None]
    ### END SOLUTION
