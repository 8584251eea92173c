"""Part 1, correct in other ways than the reference: a cell holds ways to write one step."""

import math

import torch
import torch.nn.functional as F


# %% cross_correlate: windows of a tensor
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    return (image.unfold(0, kh, 1).unfold(1, kw, 1) * kernel).sum(dim=(2, 3))


# %% cross_correlate: the kernel's numbers one by one
def cross_correlate(image, kernel):
    h, w = image.shape[0] - kernel.shape[0] + 1, image.shape[1] - kernel.shape[1] + 1
    result = image.new_zeros(h, w)
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            result = result + kernel[i, j] * image[i : i + h, j : j + w]
    return result


# %% cross_correlate: written into zeros
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    result = torch.zeros(image.shape[0] - kh + 1, image.shape[1] - kw + 1, dtype=image.dtype)
    for i in range(result.shape[0]):
        for j in range(result.shape[1]):
            result[i, j] = torch.sum(image[i : i + kh, j : j + kw] * kernel)
    return result


# %% pad: torch's own
def pad(image, padding):
    return F.pad(image, (padding, padding, padding, padding))


# %% pad: joined on all sides
def pad(image, padding):
    above = image.new_zeros(*image.shape[:-2], padding, image.shape[-1])
    tall = torch.cat([above, image, above], dim=-2)
    beside = image.new_zeros(*tall.shape[:-1], padding)
    return torch.cat([beside, tall, beside], dim=-1)


# %% pad: a module
def pad(image, padding):
    return torch.nn.ConstantPad2d(padding, 0.0)(image)


# %% output_size: floor
def output_size(size, kernel_size, stride, padding):
    return math.floor((size + 2 * padding - kernel_size) / stride + 1)


# %% output_size: places counted
def output_size(size, kernel_size, stride, padding):
    return len(range(0, size + 2 * padding - kernel_size + 1, stride))


# %% output_size: step by step
def output_size(size, kernel_size, stride, padding):
    places, start = 0, -padding
    while start + kernel_size <= size + padding:
        places, start = places + 1, start + stride
    return places


# %% windows: torch's own
def windows(image, kernel_size, stride):
    return F.unfold(image[None], kernel_size, stride=stride)[0].T


# %% windows: two loops
def windows(image, kernel_size, stride):
    _, h, w = image.shape
    rows = []
    for top in range(0, h - kernel_size + 1, stride):
        for left in range(0, w - kernel_size + 1, stride):
            rows.append(image[:, top : top + kernel_size, left : left + kernel_size].flatten())
    return torch.stack(rows)


# %% windows: places indexed
def windows(image, kernel_size, stride):
    c, h, w = image.shape
    inside = torch.arange(kernel_size)
    rows = torch.arange(0, h - kernel_size + 1, stride)[:, None] + inside
    columns = torch.arange(0, w - kernel_size + 1, stride)[:, None] + inside
    cut = image[:, rows[:, None, :, None], columns[None, :, None, :]]
    return cut.permute(1, 2, 0, 3, 4).reshape(-1, c * kernel_size * kernel_size)


# %% convolve: one matrix product
def convolve(image, weight, bias, stride, padding):
    k = weight.shape[-1]
    padded = F.pad(image, (padding,) * 4)
    h = (padded.shape[1] - k) // stride + 1
    columns = F.unfold(padded[None], k, stride=stride)[0]
    return (weight.flatten(1) @ columns + bias[:, None]).unflatten(1, (h, -1))


# %% convolve: four loops
def convolve(image, weight, bias, stride, padding):
    k = weight.shape[-1]
    padded = F.pad(image, (padding,) * 4)
    channels = []
    for kernels, number in zip(weight, bias):
        rows = []
        for top in range(0, padded.shape[1] - k + 1, stride):
            row = [
                (padded[:, top : top + k, left : left + k] * kernels).sum() + number
                for left in range(0, padded.shape[2] - k + 1, stride)
            ]
            rows.append(torch.stack(row))
        channels.append(torch.stack(rows))
    return torch.stack(channels)


# %% convolve: its own functions of the earlier steps
def cross_correlate(image, kernel):
    kh, kw = kernel.shape
    return (image.unfold(0, kh, 1).unfold(1, kw, 1) * kernel).sum(dim=(2, 3))


def pad(image, padding):
    return F.pad(image, (padding, padding, padding, padding))


def convolve(image, weight, bias, stride, padding):
    padded = pad(image, padding)
    whole = [
        sum(cross_correlate(channel, kernel) for channel, kernel in zip(padded, kernels)) + number
        for kernels, number in zip(weight, bias)
    ]
    return torch.stack(whole)[:, ::stride, ::stride]
