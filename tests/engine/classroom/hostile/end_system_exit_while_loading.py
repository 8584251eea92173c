"""Ends the program while it is loaded.

part1_simplified: raised
message: SystemExit
"""

import sys

sys.exit(0)
