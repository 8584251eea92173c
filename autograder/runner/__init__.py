"""Run a submission on the cases of a paper, in child processes, and return its answers as data.

No module of this package reads a key or grades an answer.
Only `child`, `loading`, `server` and `foreground` import torch.
"""
