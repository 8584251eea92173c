"""The texts that a model can be trained on: the course's own, or a file."""

from pathlib import Path

from autograder.course.errors import ExplainedError

STORY = Path(__file__).with_name("text") / "the_reading_room.txt"
"""A story that was written for this course."""

SHORTEST = 1_000
"""The fewest characters of a text. In a shorter text, hardly anything repeats."""


class CannotRead(ExplainedError):
    """A file is no text that a model can learn from. The message has the reason."""


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file. Raises CannotRead, and OSError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotRead(f"{path} is not UTF-8 text: byte {error.start:,} is invalid. Save it as UTF-8.") from None
    if len(text) < SHORTEST:
        raise CannotRead(f"{path} has {len(text):,} characters; a text to learn from needs at least {SHORTEST:,}.")
    return text
