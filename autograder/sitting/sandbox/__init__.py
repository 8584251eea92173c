"""The sandbox: what keeps a stranger's code from reading, writing, reaching or outliving anything.

`levels` says what this machine can give, `launch` starts the forker inside, `confinement` is what each of its children enters.
Only Linux has it.
"""
