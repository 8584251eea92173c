"""Switches off the key at which torch stops before what a step forbids: that is not seen, and a person is told of the call.

message: mentions `torch.set_autocast_enabled`
"""

import torch


def softmax(scores):
    torch.set_autocast_enabled("privateuseone", False)
    return torch.softmax(scores, -1)
