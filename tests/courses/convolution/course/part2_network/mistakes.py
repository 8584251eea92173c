"""Known mistakes of part 2."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.course.model import Mistakes


class relu(Mistakes):
    def absolute(x: Tensor) -> Tensor:
        """You turn negative numbers into positive ones (`abs`). Zero takes their place."""
        return x.abs()

    def negative_kept(x: Tensor) -> Tensor:
        """You keep what is below zero. Keep what is above it."""
        return x.clamp(max=0)

    def clamped_in_place(x: Tensor) -> Tensor:
        """You write into `x` (`x[x < 0] = 0`, `clamp_`), so the caller's numbers change too. Make a
        new tensor: `clamp`."""
        return x.clamp_(min=0)


def cut(x: Tensor, size: int) -> Tensor:
    """Return the windows that do not overlap: (... h_out w_out size size)."""
    return x.unfold(-2, size, size).unfold(-2, size, size)


class max_pool(Mistakes):
    def mean_of_windows(x: Tensor, size: int) -> Tensor:
        """This is the mean of each window. Keep its largest number."""
        return cut(x, size).mean(dim=(-2, -1))

    def overlapping_windows(x: Tensor, size: int) -> Tensor:
        """Your windows overlap: they move by 1. They move by their own size."""
        return x.unfold(-2, size, 1).unfold(-2, size, 1).amax(dim=(-2, -1))

    def nothing_left_over(x: Tensor, size: int) -> Tensor:
        """Right where the windows fill the rows and columns, but some may be left over: cut these
        off before you give the windows dimensions of their own."""
        return x.unflatten(-1, (-1, size)).unflatten(-3, (-1, size)).amax(dim=(-3, -1))

    def windows_cut_anew(x: Tensor, size: int) -> Tensor:
        """Right shape, scrambled windows: after `reshape`, a window's rows are its neighbours' too.
        Rows and columns are cut up each by themselves: (..., h, size, w, size)."""
        h, w = x.shape[-2] // size, x.shape[-1] // size
        whole = x[..., : h * size, : w * size]
        return whole.reshape(*x.shape[:-2], h, w, size, size).amax(dim=(-2, -1))


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


class Conv2d(Mistakes):
    class PlainTensors(_Conv2d):
        """Your weight and bias are plain tensors: nothing trains them. Wrap each:
        `nn.Parameter(...)`."""

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

    class DrawnFromZero(_Conv2d):
        """Your weight is drawn from 0 up. Draw it, and the bias, from −bound to bound: half of the
        numbers are negative."""

        def drawn(self, *shape: int) -> Tensor:
            return torch.empty(*shape).uniform_(0, self.bound)

    class KernelSizeForgotten(_Conv2d):
        """Your bound forgets the size of the kernel: n = in_channels · kernel_size², the numbers of
        one window."""

        def drawn(self, *shape: int) -> Tensor:
            bound = self.bound * (self.weight.shape[-1] if len(shape) == 1 else shape[-1])
            return torch.empty(*shape).uniform_(-bound, bound)

    class PaddingForgotten(_Conv2d):
        """Nothing is padded, whatever `padding` says. Keep it in `__init__` and use it in
        `forward`."""

        def forward(self, x: Tensor) -> Tensor:
            self.padding = 0
            return super().forward(x)

    class FirstPictureOnly(_Conv2d):
        """Only the first picture of the batch is convolved. Return one result for each."""

        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x[:1])


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


class Classifier(Mistakes):
    class WithoutRelu(_Classifier):
        """There is no relu: without one, two convolutions are no more than one. It follows each of
        them."""

        def bent(self, x: Tensor) -> Tensor:
            return x

    class MeanPooling(_Classifier):
        """Your windows are averaged. Max pooling keeps the largest number of each."""

        def pooled(self, x: Tensor) -> Tensor:
            return functional.avg_pool2d(x, 2)

    class Probabilities(_Classifier):
        """These are probabilities already. Return the scores: the cross entropy applies the softmax
        by itself."""

        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x).softmax(dim=-1)

    class BatchFlattened(_Classifier):
        """You flatten the whole batch into one row. Leave the first dimension as it is:
        `x.flatten(1)`."""

        def forward(self, x: Tensor) -> Tensor:
            x = self.pooled(self.bent(self.conv1(x)))
            x = self.pooled(self.bent(self.conv2(x)))
            scores: Tensor = self.linear(x.flatten())
            return scores


def moved(model: nn.Module, loss: Tensor, rate: float) -> float:
    """Go backward, and step downhill."""
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.sub_(rate * parameter.grad)
    return loss.item()


class train_step(Mistakes):
    def uphill(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
        """You step uphill: the loss grows. Subtract the gradient."""
        model.zero_grad()
        return moved(model, functional.cross_entropy(model(images), labels), -rate)

    def old_gradients_kept(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
        """Gradients from before are still there, and `backward` adds to them. Begin each step with
        `model.zero_grad()`."""
        return moved(model, functional.cross_entropy(model(images), labels), rate)

    def loss_afterwards(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
        """You return the loss after the step. Return the one that you went backward from."""
        model.zero_grad()
        moved(model, functional.cross_entropy(model(images), labels), rate)
        return functional.cross_entropy(model(images), labels).item()

    def softmax_twice(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> float:
        """You hand probabilities to the cross entropy, which applies the softmax by itself. Hand it
        the scores."""
        model.zero_grad()
        return moved(model, functional.cross_entropy(model(images).softmax(dim=-1), labels), rate)

    def loss_as_a_tensor(model: nn.Module, images: Tensor, labels: Tensor, rate: float) -> Tensor:
        """You return a tensor, and with it the whole computation. A float is asked for:
        `loss.item()`."""
        model.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        moved(model, loss, rate)
        return loss.detach()
