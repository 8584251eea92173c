"""Ends its process while it is loaded.

part1_simplified: crashed
message: os._exit
"""

import os

os._exit(0)
