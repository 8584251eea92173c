"""Never finishes loading.

part1_simplified: timed_out
message: Is there a loop at the top of the file
"""

while True:
    pass
