"""Prints what moves the cursor, turns the writing around and ends texts.

part1_simplified.dot_product: passed
"""

def dot_product(a, b):
    print("\x1b[2J\x1b]0;owned\x07\x00\u202e\u2066\ud800\r\x9b31m[bold red]fake[/]\x85\u2028")
    return (a * b).sum()
