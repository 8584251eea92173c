"""Known mistakes of part 2."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.course.model import MistakeBank

BANK = MistakeBank()

# relu


@BANK.of("relu", "You turn negative numbers into positive ones (`abs`). Zero takes their place.")
def absolute(x: Tensor) -> Tensor:
    return x.abs()


@BANK.of("relu", "You keep what is below zero. Keep what is above it.")
def negative_kept(x: Tensor) -> Tensor:
    return x.clamp(max=0)


@BANK.of(
    "relu",
    "You write into `x` (`x[x < 0] = 0`, `clamp_`), so the caller's numbers change too. Make a new tensor: `clamp`.",
)
def clamped_in_place(x: Tensor) -> Tensor:
    return x.clamp_(min=0)


# max_pool


def cut(x: Tensor, size: int) -> Tensor:
    """Return the windows that do not overlap: (... h_out w_out size size)."""
    return x.unfold(-2, size, size).unfold(-2, size, size)


@BANK.of("max_pool", "This is the mean of each window. Keep its largest number.")
def mean_of_windows(x: Tensor, size: int) -> Tensor:
    return cut(x, size).mean(dim=(-2, -1))


@BANK.of("max_pool", "Your windows overlap: they move by 1. They move by their own size.")
def overlapping_windows(x: Tensor, size: int) -> Tensor:
    return x.unfold(-2, size, 1).unfold(-2, size, 1).amax(dim=(-2, -1))


@BANK.of(
    "max_pool",
    "Right where the windows fill the rows and columns, but some may be left over: cut these off before you give the windows "
    "dimensions of their own.",
)
def nothing_left_over(x: Tensor, size: int) -> Tensor:
    return x.unflatten(-1, (-1, size)).unflatten(-3, (-1, size)).amax(dim=(-3, -1))


@BANK.of(
    "max_pool",
    "Right shape, scrambled windows: after `reshape`, a window's rows are its neighbours' too. Rows and columns are cut up each by "
    "themselves: (..., h, size, w, size).",
)
def windows_cut_anew(x: Tensor, size: int) -> Tensor:
    h, w = x.shape[-2] // size, x.shape[-1] // size
    whole = x[..., : h * size, : w * size]
    return whole.reshape(*x.shape[:-2], h, w, size, size).amax(dim=(-2, -1))


# Conv2d


class _Conv2d(nn.Module):
    """What the mistakes below have in common where they are right."""

    weight: Tensor
    bias: Tensor

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0
    ) -> None:
        super().__init__()
        self.stride, self.padding = stride, padding
        self.bound = (in_channels * kernel_size**2) ** -0.5
        self.weight = nn.Parameter(self.drawn(out_channels, in_channels, kernel_size, kernel_size))
        self.bias = nn.Parameter(self.drawn(out_channels))

    def drawn(self, *shape: int) -> Tensor:
        return torch.empty(*shape).uniform_(-self.bound, self.bound)

    def forward(self, x: Tensor) -> Tensor:
        k = self.weight.shape[-1]
        padded = functional.pad(x, [self.padding] * 4)
        places = padded.unfold(-2, k, self.stride).unfold(-2, k, self.stride)
        return torch.einsum("bchwij,ocij->bohw", places, self.weight) + self.bias[:, None, None]


@BANK.of("Conv2d", "Your weight and bias are plain tensors: nothing trains them. Wrap each: `nn.Parameter(...)`.")
class PlainTensors(_Conv2d):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0
    ) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding)
        weight, bias = self.weight.detach(), self.bias.detach()
        del self.weight, self.bias
        self.weight, self.bias = weight, bias

    def forward(self, x: Tensor) -> Tensor:
        self.weight, self.bias = self.weight.to(x.dtype), self.bias.to(x.dtype)
        return super().forward(x)


@BANK.of(
    "Conv2d",
    "Your weight is drawn from 0 up. Draw it, and the bias, from −bound to bound: half of the numbers are negative.",
)
class DrawnFromZero(_Conv2d):
    def drawn(self, *shape: int) -> Tensor:
        return torch.empty(*shape).uniform_(0, self.bound)


@BANK.of(
    "Conv2d", "Your bound forgets the size of the kernel: n = in_channels · kernel_size², the numbers of one window."
)
class KernelSizeForgotten(_Conv2d):
    def drawn(self, *shape: int) -> Tensor:
        bound = self.bound * (self.weight.shape[-1] if len(shape) == 1 else shape[-1])
        return torch.empty(*shape).uniform_(-bound, bound)


@BANK.of("Conv2d", "Nothing is padded, whatever `padding` says. Keep it in `__init__` and use it in `forward`.")
class PaddingForgotten(_Conv2d):
    def forward(self, x: Tensor) -> Tensor:
        self.padding = 0
        return super().forward(x)


@BANK.of("Conv2d", "Only the first picture of the batch is convolved. Return one result for each.")
class FirstPictureOnly(_Conv2d):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x[:1])


# Classifier


class _Classifier(nn.Module):
    """What the mistakes below have in common where they are right."""

    def __init__(self, in_channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 8, 3, padding=1)
        self.linear = nn.Linear(8 * (size // 4) ** 2, num_classes)

    def bent(self, x: Tensor) -> Tensor:
        return torch.relu(x)

    def pooled(self, x: Tensor) -> Tensor:
        return functional.max_pool2d(x, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pooled(self.bent(self.conv1(x)))
        x = self.pooled(self.bent(self.conv2(x)))
        scores: Tensor = self.linear(x.flatten(1))
        return scores


@BANK.of("Classifier", "There is no relu: without one, two convolutions are no more than one. It follows each of them.")
class WithoutRelu(_Classifier):
    def bent(self, x: Tensor) -> Tensor:
        return x


@BANK.of("Classifier", "Your windows are averaged. Max pooling keeps the largest number of each.")
class MeanPooling(_Classifier):
    def pooled(self, x: Tensor) -> Tensor:
        return functional.avg_pool2d(x, 2)


@BANK.of(
    "Classifier", "These are probabilities already. Return the scores: the cross entropy applies the softmax by itself."
)
class Probabilities(_Classifier):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).softmax(dim=-1)


@BANK.of("Classifier", "You flatten the whole batch into one row. Leave the first dimension as it is: `x.flatten(1)`.")
class BatchFlattened(_Classifier):
    def forward(self, x: Tensor) -> Tensor:
        x = self.pooled(self.bent(self.conv1(x)))
        x = self.pooled(self.bent(self.conv2(x)))
        scores: Tensor = self.linear(x.flatten())
        return scores


# train_step


def moved(model: nn.Module, loss: Tensor, rate: float) -> float:
    """Go backward, and step downhill."""
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.sub_(rate * parameter.grad)
    return loss.item()


@BANK.of("train_step", "You step uphill: the loss grows. Subtract the gradient.")
def uphill(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
    model.zero_grad()
    return moved(model, functional.cross_entropy(model(images), labels), -rate)


@BANK.of(
    "train_step",
    "Gradients from before are still there, and `backward` adds to them. Begin each step with `model.zero_grad()`.",
)
def old_gradients_kept(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
    return moved(model, functional.cross_entropy(model(images), labels), rate)


@BANK.of("train_step", "You return the loss after the step. Return the one that you went backward from.")
def loss_afterwards(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
    model.zero_grad()
    moved(model, functional.cross_entropy(model(images), labels), rate)
    return functional.cross_entropy(model(images), labels).item()


@BANK.of(
    "train_step",
    "You hand probabilities to the cross entropy, which applies the softmax by itself. Hand it the scores.",
)
def softmax_twice(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
    model.zero_grad()
    return moved(model, functional.cross_entropy(model(images).softmax(dim=-1), labels), rate)


@BANK.of("train_step", "You return a tensor, and with it the whole computation. A float is asked for: `loss.item()`.")
def loss_as_a_tensor(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> Tensor:
    model.zero_grad()
    loss = functional.cross_entropy(model(images), labels)
    moved(model, loss, rate)
    return loss.detach()
