"""Calls what its step forbids in another thread, and hides that it failed.

part1_simplified.softmax: forbidden
message: uses torch's own `softmax`
"""

import threading

import torch


def softmax(scores):
    found = [scores]
    thread = threading.Thread(target=lambda: found.append(torch.softmax(scores, -1)))
    thread.start()
    thread.join()
    return found[-1]
