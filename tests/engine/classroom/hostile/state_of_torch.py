"""Changes what torch does everywhere; the next part must not notice.

part1_simplified: passed
"""

import random

import numpy
import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed = torch.seed = torch.initial_seed = lambda *_: None
torch.set_num_threads(2)
torch.set_printoptions(precision=1)
random.seed = numpy.random.seed = lambda *_: None
numpy.seterr(all="raise")
