"""The sandbox: what keeps a stranger's code from reading, writing, reaching or outliving anything.

`levels` says what this machine can give, `launch` starts the forker inside, `confinement` is what each of its children enters.
Only Linux has it.
"""

FULL, KERNEL, NONE = "full", "kernel", "none"
LEVELS = (FULL, KERNEL, NONE)
"""How much it confines, from the most to nothing."""
