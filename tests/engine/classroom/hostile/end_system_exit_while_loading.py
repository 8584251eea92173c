"""Ends the program while it is loaded, as any statement that raises there: what the file defines is marked."""

import sys

sys.exit(0)
