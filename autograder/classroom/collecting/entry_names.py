"""What an entry of a class folder is called: like its student, as far as every system allows."""

import unicodedata

from autograder.classroom.collecting.handed_in import HANDED_IN
from autograder.classroom.people import folded
from autograder.submission.archive import is_junk
from autograder.submission.model import shown

ROSTER = "roster.csv"

LONGEST_FOLDER = 200
"""Bytes of the name of an entry: systems take 255, and some write more of them for the same letters."""

RESERVED = {HANDED_IN, ROSTER, "marks"}
"""What an entry cannot be called, since something else in a class folder or beside it is."""


def as_entry(name: str, suffix: str = "") -> str:
    """Return a name that can be one of an entry on every system, and is neither taken for junk nor for a file of the grader's."""
    safe = safe_name(name)
    safe = f"_{safe}" if is_junk(safe) or folded(safe) in RESERVED else safe
    short = safe.encode()[: LONGEST_FOLDER - len(suffix)].decode(errors="ignore").strip(" .")
    return f"{short or '_'}{suffix}"


def without_at(name: str) -> str:
    """Return a name that is not read as a login and a domain."""
    return name.replace("@", "_")


def safe_name(name: str) -> str:
    """Return a name without what some system does not allow in one."""
    safe = "".join("_" if character in '/\\:*?"<>|' else character for character in shown(name))
    return unicodedata.normalize("NFC", safe).strip(" .")
