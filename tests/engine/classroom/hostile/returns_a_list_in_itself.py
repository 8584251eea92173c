"""Returns a list that holds itself.

part1_simplified.dot_product: wrong_dtype
"""

def dot_product(a, b):
    endless = []
    endless.append(endless)
    return endless
