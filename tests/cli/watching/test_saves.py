"""Saves are noticed however a file is written, once each."""

import os
import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.cli.watching.events import Deaf, Event, Saved
from autograder.cli.watching.saves import Saves

PATIENCE = 30.0


class Folder:
    """A folder that is followed, with one module in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.module = path / "part.py"
        self.module.write_text("one = 1\n", encoding="utf-8")
        self._events: queue.Queue[Event] = queue.Queue()
        self._saves = Saves(path, self._events.put)

    def follow(self, stop: threading.Event) -> None:
        self._saves.follow(stop)

    def next_event(self) -> Event:
        return self._events.get(timeout=PATIENCE)

    def all_until_saved(self, module: str) -> list[Event]:
        """Return the events that come until a module is saved, that one among them."""
        events = [self.next_event()]
        while not (isinstance(events[-1], Saved) and module in events[-1].modules):
            events.append(self.next_event())
        return events


def saved_in(events: list[Event]) -> list[str]:
    """Return the modules that events tell were saved."""
    return [module for event in events if isinstance(event, Saved) for module in event.modules]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    folder, stop = Folder(tmp_path), threading.Event()
    thread = threading.Thread(target=folder.follow, args=(stop,))
    thread.start()
    yield folder
    stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_written_module_is_told_by_name(folder: Folder) -> None:
    folder.module.write_text("two = 2\n", encoding="utf-8")
    assert folder.next_event() == Saved(("part",))


def test_a_module_that_takes_the_others_name_is_told(folder: Folder) -> None:
    fresh = folder.path / "part.tmp"
    fresh.write_text("two = 2\n", encoding="utf-8")
    os.replace(fresh, folder.module)
    assert folder.next_event() == Saved(("part",))


def test_a_module_that_was_moved_away_and_written_anew_is_told_once(folder: Folder) -> None:
    """So other editors save: the old file becomes a backup, and for a moment there is none."""
    folder.module.rename(folder.path / "part.py~")
    folder.module.write_text("two = 2\n", encoding="utf-8")
    (folder.path / "other.py").write_text("three = 3\n", encoding="utf-8")
    assert saved_in(folder.all_until_saved("other")).count("part") == 1


def test_a_folder_that_is_moved_away_and_back_is_looked_at(folder: Folder) -> None:
    away = folder.path.with_name("away")
    folder.path.rename(away)
    assert folder.all_until_saved("part")[-1] == Saved(("part",))
    (away / "part.py").write_text("two = 2\n", encoding="utf-8")
    away.rename(folder.path)
    assert folder.all_until_saved("part")[-1] == Saved(("part",))


def test_a_module_that_is_gone_is_told(folder: Folder) -> None:
    folder.module.unlink()
    assert folder.next_event() == Saved(("part",))


def test_a_save_is_told_once(folder: Folder) -> None:
    fresh = folder.path / "part.tmp"
    fresh.write_text("two = 2\n", encoding="utf-8")
    os.replace(fresh, folder.module)  # in one go, so that it is one save whenever it is looked at
    (folder.path / "other.py").write_text("three = 3\n", encoding="utf-8")
    assert saved_in(folder.all_until_saved("other")).count("part") == 1


def test_files_that_are_no_modules_are_not_told(folder: Folder) -> None:
    (folder.path / ".part.py.swp").write_text("", encoding="utf-8")
    (folder.path / "part.py~").write_text("", encoding="utf-8")
    folder.module.write_text("two = 2\n", encoding="utf-8")
    assert folder.next_event() == Saved(("part",))


def test_without_a_word_of_the_folder_files_are_looked_at(tmp_path: Path, folder: Folder) -> None:
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere.py"
    elsewhere.write_text("one = 1\n", encoding="utf-8")
    (folder.path / "linked.py").symlink_to(elsewhere)
    told = folder.all_until_saved("linked")
    for text in ("two = 2\n", "three = 3\n", "four = 4\n"):
        elsewhere.write_text(text, encoding="utf-8")
        told += folder.all_until_saved("linked")
    assert told.count(Deaf()) == 1


def test_a_folder_that_is_not_there_yet_is_looked_at(tmp_path: Path) -> None:
    events: queue.Queue[Event] = queue.Queue()
    stop = threading.Event()
    saves = Saves(tmp_path / "later", events.put)
    thread = threading.Thread(target=saves.follow, args=(stop,))
    thread.start()
    assert events.get(timeout=PATIENCE) == Deaf()
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "part.py").write_text("one = 1\n", encoding="utf-8")
    assert events.get(timeout=PATIENCE) == Saved(("part",))
    stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
