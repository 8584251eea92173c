"""The texts that a model can be trained on: the course's own, or a file."""

from pathlib import Path

OWN = Path(__file__).with_name("text") / "the_reading_room.txt"
"""Written for this course."""

SHORTEST = 1_000
"""Characters: in fewer, hardly anything comes twice."""

LARGEST = 5_000_000
"""Bytes that are read of a file."""


class CannotRead(Exception):
    """A text is not available; the message says why and what to do."""


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file. Raises CannotRead."""
    try:
        if path.exists() and not path.is_file():  # reading a pipe might never end
            raise CannotRead(f"{path} is not a file. A text file was expected.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise CannotRead(f"{path} could not be read: {error.strerror}. A text file was expected.") from None
    if len(content) > LARGEST:
        raise CannotRead(f"{path} has more than {LARGEST:,} bytes: give a part of it.")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise CannotRead(f"{path} is not UTF-8 text: byte {error.start:,} is invalid. Save it as UTF-8.") from None
    if len(text) < SHORTEST:
        raise CannotRead(f"{path} has {len(text):,} characters; a text to learn from needs at least {SHORTEST:,}.")
    return text
