"""A symptom: one thing that `attn doctor` has looked at, in plain words."""

import textwrap
from dataclasses import dataclass

MARGIN = 17
"""Columns before what was found."""


@dataclass(frozen=True)
class Symptom:
    """One thing that was looked at. good: None where it is needed only for some purposes.

    advice: what was expected, and why. commands: what to run, one after the other.
    """

    what: str
    found: str
    good: bool | None
    advice: str = ""
    commands: tuple[str, ...] = ()

    def told(self, columns: int) -> str:
        """Write what was found, then what was expected, then each command on a line of its own, to be copied whole."""
        margin = " " * MARGIN
        texts = [(f"{self.what:<{MARGIN}}{self.found}", ""), *([(self.advice, margin)] if self.advice else [])]
        paragraphs = [
            textwrap.fill(
                text,
                columns,
                initial_indent=begin,
                subsequent_indent=margin,
                break_long_words=False,
                break_on_hyphens=False,
            )
            for text, begin in texts
        ]
        return "\n".join([*paragraphs, *(f"{margin}    {command}" for command in self.commands)])
