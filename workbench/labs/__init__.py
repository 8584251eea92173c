"""The labs: experiments that measure the student's own code. Each module here has one."""

from workbench.labs import against_torch, cache_memory, cache_speed, largest_tensor
from workbench.labs.lab import Lab

LABS: dict[str, Lab] = {
    "cache-speed": cache_speed.LAB,
    "cache-memory": cache_memory.LAB,
    "against-torch": against_torch.LAB,
    "largest-tensor": largest_tensor.LAB,
}
"""The labs, by the names that `attn lab` accepts."""
