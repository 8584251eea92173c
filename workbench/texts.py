"""The texts that a model can be trained on: the course's own, a file, or a story of the public domain from the network."""

import http.client
import re
import urllib.error
import urllib.request
from pathlib import Path

from workbench.training_files import written_whole

OWN = Path(__file__).with_name("text") / "the_reading_room.txt"
"""Written for this course."""

VERDICT = "https://www.gutenberg.org/cache/epub/306/pg306.txt"
"""Holds "The Verdict" (Edith Wharton, 1908) among other stories."""

STORY = re.compile(
    r"I\s+HAD\s+always\s+thought\s+Jack\s+Gisburn.*?exterminating\s+our\s+kind\s+of\s+art\.\W*", re.DOTALL
)
SHORTEST = 1_000
"""Characters: in fewer, hardly anything comes twice."""

LARGEST = 5_000_000
"""Bytes that are read of a file or a network response."""

PATIENCE = 20.0
"""Seconds that the network may be silent."""


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


def the_verdict(kept: Path, address: str = VERDICT) -> str:
    """Return "The Verdict", from the copy of an earlier call, else from the network. Raises CannotRead, CannotKeep."""
    if not kept.is_file():
        story = STORY.search(_fetch(address))
        if not story:
            raise CannotRead(f"{address} does not hold the story any more: save it as a file, and `--text FILE`.")
        with written_whole(kept) as new:
            new.write_text(story[0].rstrip() + "\n", encoding="utf-8")
    return read_text(kept)


def _fetch(address: str) -> str:
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            content: bytes = answer.read(LARGEST)
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise CannotRead(
            f"The Verdict could not be fetched from {address} ({reason}). Try again when online, or use another text: "
            "`attn train --text` takes the course's own text, `--text FILE` any other."
        ) from None
    return content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
