"""A class folder, and downloads that are collected into it."""

from pathlib import Path

import pytest
from downloads import Gather

from autograder.classroom.collecting.collect import Collected, collect


@pytest.fixture
def class_(tmp_path: Path) -> Path:
    return tmp_path / "class"


@pytest.fixture
def gather(tmp_path: Path, class_: Path) -> Gather:
    """Collect a download of these files, each by path with its text. Each time it is another download."""

    def run(files: dict[str, str], roster: str = "", platform: str = "", part: str = "") -> Collected:
        download = tmp_path / f"download {len(list(tmp_path.iterdir()))}"
        for name, text in files.items():
            (download / name).parent.mkdir(parents=True, exist_ok=True)
            (download / name).write_text(text)
        if roster:
            (tmp_path / "people.csv").write_text(roster)
        return collect(download, class_, tmp_path / "people.csv" if roster else None, platform, part)

    return run
