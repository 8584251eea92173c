"""Known mistakes of part 1."""

import torch
from torch import Tensor
from torch.nn import functional

from autograder.course.model import MistakeBank

BANK = MistakeBank()

TURNED_ROUND = "Your kernel is turned round: that is the convolution of mathematics. Networks use the kernel as it is, a cross-correlation."


def places(image: Tensor, kh: int, kw: int, stride: int = 1) -> Tensor:
    """Cut an image (... h w) into what a kernel covers: (... h_out w_out kh kw)."""
    return image.unfold(-2, kh, stride).unfold(-2, kw, stride)


def slide(image: Tensor, kernel: Tensor) -> Tensor:
    """Cross-correlate one channel."""
    return (places(image, *kernel.shape) * kernel).sum(dim=(-2, -1))


def apply(image: Tensor, weight: Tensor, stride: int, padding: int) -> Tensor:
    """Convolve all channels, without a bias."""
    k = weight.shape[-1]
    padded = functional.pad(image, [padding] * 4)
    return torch.einsum("chwij,ocij->ohw", places(padded, k, k, stride), weight)


# cross_correlate


@BANK.of("cross_correlate", TURNED_ROUND)
def kernel_turned_round(image: Tensor, kernel: Tensor) -> Tensor:
    return slide(image, kernel.flip(0, 1))


@BANK.of("cross_correlate", "Rows and columns of the kernel have changed places. Use the kernel as it is.")
def kernel_transposed(image: Tensor, kernel: Tensor) -> Tensor:
    return slide(image, kernel.T)


@BANK.of("cross_correlate", "You take the mean of the products. Add them up, and divide by nothing.")
def products_averaged(image: Tensor, kernel: Tensor) -> Tensor:
    return slide(image, kernel) / kernel.numel()


@BANK.of(
    "cross_correlate",
    "The last row and the last column are missing: an image of h rows has h − kh + 1 places for the kernel, not h − kh.",
)
def last_places_missing(image: Tensor, kernel: Tensor) -> Tensor:
    return slide(image[:-1, :-1], kernel)


# pad


@BANK.of("pad", "Only the width grows. Rows of zeros are needed above and below, too.")
def columns_only(image: Tensor, padding: int) -> Tensor:
    return functional.pad(image, [padding] * 2)


@BANK.of("pad", "Your frame is half as thick: the size grows by the padding on each side, so by twice the padding.")
def once_in_all(image: Tensor, padding: int) -> Tensor:
    return functional.pad(image, [padding, 0, padding, 0])


@BANK.of("pad", "Your frame is made of ones. It is made of zeros: `new_zeros`.")
def frame_of_ones(image: Tensor, padding: int) -> Tensor:
    return functional.pad(image, [padding] * 4, value=1.0)


# output_size


@BANK.of("output_size", "The first place does not count in yours: to the steps that the kernel takes, add 1.")
def first_place_forgotten(size: int, kernel_size: int, stride: int, padding: int) -> int:
    return (size + 2 * padding - kernel_size) // stride


@BANK.of("output_size", "The padding counts twice: there are zeros before and behind the side.")
def padded_once(size: int, kernel_size: int, stride: int, padding: int) -> int:
    return (size + padding - kernel_size) // stride + 1


@BANK.of("output_size", "You count a step that leads too far. Round down: `//`.")
def rounded_up(size: int, kernel_size: int, stride: int, padding: int) -> int:
    return -((kernel_size - size - 2 * padding) // stride) + 1


@BANK.of("output_size", "`/` gives a float, and may give half a step. `//` divides and rounds down.")
def true_division(size: int, kernel_size: int, stride: int, padding: int) -> float:
    return (size + 2 * padding - kernel_size) / stride + 1


# windows


@BANK.of("windows", "The windows are your columns. Each window is one row: `.T`.")
def windows_as_columns(image: Tensor, kernel_size: int, stride: int) -> Tensor:
    return places(image, kernel_size, kernel_size, stride).permute(0, 3, 4, 1, 2).flatten(0, 2).flatten(1)


@BANK.of(
    "windows",
    "Within a window, your channels change fastest. First come all numbers of the first channel, row by row, then the next channel's.",
)
def channels_last(image: Tensor, kernel_size: int, stride: int) -> Tensor:
    return places(image, kernel_size, kernel_size, stride).permute(1, 2, 3, 4, 0).flatten(2).flatten(0, 1)


@BANK.of("windows", "The window moves by 1, whatever the stride is.")
def windows_without_stride(image: Tensor, kernel_size: int, stride: int) -> Tensor:
    return places(image, kernel_size, kernel_size).permute(1, 2, 0, 3, 4).flatten(2).flatten(0, 1)


@BANK.of(
    "windows",
    "Right shape, scrambled windows: `reshape` and `view` cut the numbers anew as they lie in memory. Bring the places before the "
    "channels first: `permute`.",
)
def windows_cut_anew(image: Tensor, kernel_size: int, stride: int) -> Tensor:
    cut = places(image, kernel_size, kernel_size, stride)
    return cut.reshape(-1, image.shape[0] * kernel_size**2)


# convolve


@BANK.of("convolve", "The bias is missing: each output channel has one number that is added everywhere.")
def without_bias(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
    return apply(image, weight, stride, padding)


@BANK.of(
    "convolve",
    "Your bias meets the columns, not the channels. `bias[:, None, None]` has the shape (c_out, 1, 1).",
)
def bias_meets_columns(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
    return apply(image, weight, stride, padding) + bias


@BANK.of("convolve", TURNED_ROUND)
def kernels_turned_round(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
    return apply(image, weight.flip(-2, -1), stride, padding) + bias[:, None, None]


@BANK.of(
    "convolve", "Only the first input channel counts. Each channel meets its own kernel, and the results are added up."
)
def first_channel_only(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
    return apply(image[:1], weight[:, :1], stride, padding) + bias[:, None, None]


@BANK.of("convolve", "There is no frame around the picture: pad it before the kernel moves.")
def without_padding(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
    return apply(image, weight, stride, 0) + bias[:, None, None]
