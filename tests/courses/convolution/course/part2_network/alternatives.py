"""Part 2, correct in other ways than the reference: a cell holds ways to write one step."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


# %% relu: maximum
def relu(x):
    return torch.maximum(x, torch.zeros_like(x))


# %% relu: where
def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


# %% relu: times a mask
def relu(x):
    return x * (x > 0)


# %% max_pool: windows of a tensor
def max_pool(x, size):
    return x.unfold(-2, size, size).unfold(-2, size, size).amax(dim=(-2, -1))


# %% max_pool: rows, then columns
def max_pool(x, size):
    rows = x.unfold(-2, size, size).max(dim=-1).values
    return rows.unfold(-1, size, size).max(dim=-1).values


# %% max_pool: one place of all windows after the other
def max_pool(x, size):
    h, w = x.shape[-2] // size * size, x.shape[-1] // size * size
    places = [x[..., i:h:size, j:w:size] for i in range(size) for j in range(size)]
    return torch.stack(places).max(dim=0)[0]


# %% Conv2d: two random tensors, and a matrix product
class Conv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        super(Conv2d, self).__init__()
        bound = 1 / math.sqrt(in_channels * kernel_size * kernel_size)
        weight = torch.rand(out_channels, in_channels, kernel_size, kernel_size)
        self.weight = nn.Parameter((2 * weight - 1) * bound)
        self.bias = nn.Parameter((2 * torch.rand(out_channels) - 1) * bound)
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding

    def forward(self, x):
        x = F.pad(x, (self.padding,) * 4)
        h = (x.shape[2] - self.kernel_size) // self.stride + 1
        columns = F.unfold(x, self.kernel_size, stride=self.stride)
        out = self.weight.flatten(1) @ columns + self.bias[:, None]
        return out.unflatten(2, (h, -1))


# %% Conv2d: nn.init, picture by picture
class Conv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        super().__init__()
        self.k, self.s, self.p = kernel_size, stride, padding
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels, self.k, self.k))
        self.bias = nn.Parameter(torch.empty(out_channels))
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        bound = 1 / math.sqrt(in_channels * self.k**2)
        nn.init.uniform_(self.bias, -bound, bound)

    def convolve(self, image):
        image = F.pad(image, (self.p, self.p, self.p, self.p))
        places = image.unfold(1, self.k, self.s).unfold(2, self.k, self.s)
        return torch.tensordot(self.weight, places, dims=([1, 2, 3], [0, 3, 4])) + self.bias.view(-1, 1, 1)

    def forward(self, x):
        return torch.stack([self.convolve(image) for image in x])


# %% Conv2d: the kernel's numbers one by one
class Conv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        super().__init__()
        bound = (in_channels * kernel_size**2) ** -0.5
        shape = (out_channels, in_channels, kernel_size, kernel_size)
        self.weight = nn.Parameter(torch.zeros(shape).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(out_channels).uniform_(-bound, bound))
        self.stride, self.pad = stride, nn.ZeroPad2d(padding)

    def forward(self, x):
        x = self.pad(x)
        k = self.weight.shape[-1]
        h, w = x.shape[-2] - k + 1, x.shape[-1] - k + 1
        out = self.bias[:, None, None]
        for i in range(k):
            for j in range(k):
                seen = x[:, :, i : i + h : self.stride, j : j + w : self.stride]
                out = out + torch.einsum("bchw,oc->bohw", seen, self.weight[:, :, i, j])
        return out


# %% Classifier: layers in a row
class Classifier(nn.Module):
    def __init__(self, in_channels, size, num_classes):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 8, 3, padding="same")
        self.linear = nn.Linear(size * size // 2, num_classes)
        self.layers = nn.Sequential(
            self.conv1, nn.ReLU(), nn.MaxPool2d(2), self.conv2, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), self.linear
        )

    def forward(self, x):
        return self.layers(x)


# %% Classifier: pooled before the relu
class Classifier(nn.Module):
    def __init__(self, in_channels, size, num_classes):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 4, 3, 1, 1)
        self.conv2 = nn.Conv2d(4, 8, 3, 1, 1)
        self.linear = nn.Linear(8 * (size // 4) * (size // 4), num_classes)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        x = F.relu(self.pool(self.conv1(x)))
        x = F.relu(self.pool(self.conv2(x)))
        return self.linear(x.view(x.size(0), -1))


# %% Classifier: its own convolution
class Conv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, padding):
        super().__init__()
        bound = (in_channels * kernel_size**2) ** -0.5
        shape = (out_channels, in_channels, kernel_size, kernel_size)
        self.weight = nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(out_channels).uniform_(-bound, bound))
        self.padding = padding

    def forward(self, x):
        x = F.pad(x, (self.padding,) * 4)
        columns = F.unfold(x, self.weight.shape[-1])
        out = self.weight.flatten(1) @ columns + self.bias[:, None]
        return out.unflatten(2, (x.shape[2] - self.weight.shape[-1] + 1, -1))


def max_pool(x, size):
    return x.unfold(-2, size, size).unfold(-2, size, size).amax(dim=(-2, -1))


class Classifier(nn.Module):
    def __init__(self, in_channels, size, num_classes):
        super().__init__()
        self.conv1 = Conv2d(in_channels, 4, 3, padding=1)
        self.conv2 = Conv2d(4, 8, 3, padding=1)
        self.linear = nn.Linear(8 * (size // 4) ** 2, num_classes)

    def forward(self, x):
        for conv in (self.conv1, self.conv2):
            x = max_pool(conv(x).clamp(min=0), 2)
        return self.linear(x.flatten(start_dim=1))


# %% train_step: gradients asked for
def train_step(model, images, labels, rate):
    loss = F.cross_entropy(model(images), labels)
    parameters = list(model.parameters())
    gradients = torch.autograd.grad(loss, parameters)
    with torch.no_grad():
        for parameter, gradient in zip(parameters, gradients):
            parameter.sub_(rate * gradient)
    return float(loss)


# %% train_step: cross entropy by hand
def train_step(model, images, labels, rate):
    scores = model(images)
    right = scores.gather(1, labels[:, None]).squeeze(1)
    loss = (scores.logsumexp(dim=1) - right).mean()
    for parameter in model.parameters():
        parameter.grad = None
    loss.backward()
    for parameter in model.parameters():
        parameter.data -= rate * parameter.grad
    return loss.item()


# %% train_step: gradients forgotten afterwards, too
def train_step(model, images, labels, rate):
    model.zero_grad(set_to_none=False)
    loss = nn.CrossEntropyLoss()(model(images), labels)
    loss.backward()
    for parameter in model.parameters():
        parameter.data.add_(parameter.grad, alpha=-rate)
    model.zero_grad()
    return loss.detach().tolist()
