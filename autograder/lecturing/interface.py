"""The extension of Griffe through which mkdocstrings shows docstrings as the cards of the steps show them."""

from typing import Any

from griffe import Extension, Object

from autograder.lecturing.docstrings import prose


class EntryPerLine(Extension):
    """Hands every docstring of the Python interface to `prose`."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object that has been read."""
        if obj.docstring:
            obj.docstring.value = prose(obj.docstring.value)
