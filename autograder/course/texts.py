"""What a text may hold that came from elsewhere, as types for whatever reads it."""

from typing import Annotated

import msgspec

Name = Annotated[str, msgspec.Meta(pattern=r"^[^\W\d]\w*\Z")]
"""A name of Python's: no path, whatever folder it is put behind."""

CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""In the brackets of a pattern: what a terminal would obey, or what turns the direction of a line; line ends and tabs apart."""

Text = Annotated[str, msgspec.Meta(pattern=rf"^[^{CONTROLS}]*\Z")]
"""A text without control characters, with which it could do something to a terminal or its reader; newlines and tabs may be in it."""
