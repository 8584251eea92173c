"""Never finishes loading.

part1_simplified: timed_out
message: Is there a loop, or other long work, outside your functions
"""

while True:
    pass
