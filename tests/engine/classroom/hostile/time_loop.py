"""Never returns.

part1_simplified.dot_product: timed_out
message: Is there a loop
"""

def dot_product(a, b):
    while True:
        pass
