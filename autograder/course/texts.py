"""What a text may hold that came from elsewhere, as types for whatever reads it."""

from typing import Annotated

import msgspec

Name = Annotated[str, msgspec.Meta(pattern=r"^[^\W\d]\w*\Z")]
"""A name of Python's: no path, whatever folder it is put behind."""

Text = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*\Z")]
"""A text without control characters, with which it could do something to a terminal; newlines and tabs may be in it."""
