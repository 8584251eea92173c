"""Hooks into the import of everything, before all others.

part1_simplified: passed
"""

import builtins
import importlib.abc
import sys


class Hook(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        raise ImportError(f"no {name} for you")


sys.meta_path.insert(0, Hook())
sys.path[:] = []
sys.path_hooks.clear()
