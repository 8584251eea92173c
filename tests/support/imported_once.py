"""What a process imports before others are forked from it: torch, all parts of the course, and what most verbs need.

It starts no thread: in a forked process there is no other than the one that forked.
"""

import command  # noqa: F401
import torch

import autograder.cli.main
import autograder.runner.child  # noqa: F401
from autograder.workspace import COURSE

torch.set_num_threads(1)
for name in COURSE.course.parts:
    COURSE.course.part(name)
