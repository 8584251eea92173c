"""Keeps all cores busy with torch's own threads.

part1_simplified.dot_product: timed_out
"""

import torch


def dot_product(a, b):
    torch.set_num_threads(64)
    x = torch.ones(600, 600)
    while True:
        x = (x @ x).clamp(max=1)
