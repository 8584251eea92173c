"""Run a submission on the cases of a paper, in child processes, and return its answers as data.

A paper holds the inputs of each case. This package reads no key, which holds expected answers.
Only `child`, `loading` and `server` import torch.
"""
