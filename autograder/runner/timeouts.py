"""How long a step may take, and loading a part, in seconds."""

TIMEOUT = 5.0
"""By default."""

SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.1, 86_400.0
"""What may be asked for: a day at most."""
