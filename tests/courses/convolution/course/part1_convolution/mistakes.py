"""Known mistakes of part 1."""

import torch
from torch import Tensor
from torch.nn import functional

from autograder.course.model import Mistakes


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


class cross_correlate(Mistakes):
    def kernel_turned_round(image: Tensor, kernel: Tensor) -> Tensor:
        """Your kernel is turned round: that is the convolution of mathematics. Networks use the
        kernel as it is, a cross-correlation."""
        return slide(image, kernel.flip(0, 1))

    def kernel_transposed(image: Tensor, kernel: Tensor) -> Tensor:
        """Rows and columns of the kernel have changed places. Use the kernel as it is."""
        return slide(image, kernel.T)

    def products_averaged(image: Tensor, kernel: Tensor) -> Tensor:
        """You take the mean of the products. Add them up, and divide by nothing."""
        return slide(image, kernel) / kernel.numel()

    def last_places_missing(image: Tensor, kernel: Tensor) -> Tensor:
        """The last row and the last column are missing: an image of h rows has h − kh + 1 places
        for the kernel, not h − kh."""
        return slide(image[:-1, :-1], kernel)


class pad(Mistakes):
    def columns_only(image: Tensor, padding: int) -> Tensor:
        """Only the width grows. Rows of zeros are needed above and below, too."""
        return functional.pad(image, [padding] * 2)

    def once_in_all(image: Tensor, padding: int) -> Tensor:
        """Your frame is half as thick: the size grows by the padding on each side, so by twice the
        padding."""
        return functional.pad(image, [padding, 0, padding, 0])

    def frame_of_ones(image: Tensor, padding: int) -> Tensor:
        """Your frame is made of ones. It is made of zeros: `new_zeros`."""
        return functional.pad(image, [padding] * 4, value=1.0)


class output_size(Mistakes):
    def first_place_forgotten(size: int, kernel_size: int, stride: int, padding: int) -> int:
        """The first place does not count in yours: to the steps that the kernel takes, add 1."""
        return (size + 2 * padding - kernel_size) // stride

    def padded_once(size: int, kernel_size: int, stride: int, padding: int) -> int:
        """The padding counts twice: there are zeros before and behind the side."""
        return (size + padding - kernel_size) // stride + 1

    def rounded_up(size: int, kernel_size: int, stride: int, padding: int) -> int:
        """You count a step that leads too far. Round down: `//`."""
        return -((kernel_size - size - 2 * padding) // stride) + 1

    def true_division(size: int, kernel_size: int, stride: int, padding: int) -> float:
        """`/` gives a float, and may give half a step. `//` divides and rounds down."""
        return (size + 2 * padding - kernel_size) / stride + 1


class windows(Mistakes):
    def windows_as_columns(image: Tensor, kernel_size: int, stride: int) -> Tensor:
        """The windows are your columns. Each window is one row: `.T`."""
        return places(image, kernel_size, kernel_size, stride).permute(0, 3, 4, 1, 2).flatten(0, 2).flatten(1)

    def channels_last(image: Tensor, kernel_size: int, stride: int) -> Tensor:
        """Within a window, your channels change fastest. First come all numbers of the first
        channel, row by row, then the next channel's."""
        return places(image, kernel_size, kernel_size, stride).permute(1, 2, 3, 4, 0).flatten(2).flatten(0, 1)

    def windows_without_stride(image: Tensor, kernel_size: int, stride: int) -> Tensor:
        """The window moves by 1, whatever the stride is."""
        return places(image, kernel_size, kernel_size).permute(1, 2, 0, 3, 4).flatten(2).flatten(0, 1)

    def windows_cut_anew(image: Tensor, kernel_size: int, stride: int) -> Tensor:
        """Right shape, scrambled windows: `reshape` and `view` cut the numbers anew as they lie in
        memory. Bring the places before the channels first: `permute`."""
        cut = places(image, kernel_size, kernel_size, stride)
        return cut.reshape(-1, image.shape[0] * kernel_size**2)


class convolve(Mistakes):
    def without_bias(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
        """The bias is missing: each output channel has one number that is added everywhere."""
        return apply(image, weight, stride, padding)

    def bias_meets_columns(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
        """Your bias meets the columns, not the channels. `bias[:, None, None]` has the shape
        (c_out, 1, 1)."""
        return apply(image, weight, stride, padding) + bias

    def kernels_turned_round(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
        """Your kernel is turned round: that is the convolution of mathematics. Networks use the
        kernel as it is, a cross-correlation."""
        return apply(image, weight.flip(-2, -1), stride, padding) + bias[:, None, None]

    def first_channel_only(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
        """Only the first input channel counts. Each channel meets its own kernel, and the results
        are added up."""
        return apply(image[:1], weight[:, :1], stride, padding) + bias[:, None, None]

    def without_padding(image: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
        """There is no frame around the picture: pad it before the kernel moves."""
        return apply(image, weight, stride, 0) + bias[:, None, None]
