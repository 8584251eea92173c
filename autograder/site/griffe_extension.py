"""The extension of Griffe through which mkdocstrings shows docstrings as the cards of the steps show them."""

from typing import Any

from griffe import Class, Extension, Function, Object

from autograder.site.docstrings import definitions


class Definitions(Extension):
    """Hands every docstring of the Python interface to `definitions`."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object that has been read."""
        if obj.docstring:
            obj.docstring.value = definitions(obj.docstring.value, _names(obj))


def _names(obj: Object) -> list[str]:
    """Return what a docstring may explain: the arguments of a function, the fields and arguments of a class."""
    arguments = [one.name for one in obj.parameters] if isinstance(obj, Class | Function) else []
    return [*arguments, *(obj.members if isinstance(obj, Class) else ())]
