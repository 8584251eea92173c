"""What a course says of itself in its course.toml, and what is refused there."""

from pathlib import Path

import pytest

from autograder.course.course import Course, read_course
from autograder.course.errors import BrokenCourse

LEAST = 'id = "photos"\ntitle = "Photos"\nparts = ["part1"]\n'


def reading(folder: Path, more: str = "") -> Course:
    (folder / "course.toml").write_text(LEAST + more, encoding="utf-8")
    return read_course(folder)


def test_slices_along_dimensions_are_called_by_the_course_s_words(tmp_path: Path) -> None:
    words = reading(tmp_path, '[words]\nb = "photo"\nt = "place"\n').words

    assert words.along(("b", "c", "")) == ("photo", "", "")


WRONG = {
    "a hint without a sentence": ("[hints]\nbatch = ' '\n", "at `\\$.hints"),
    "hints that are no table": ("hints = ['batch']\n", "Expected `object`, got `array` - at `\\$.hints`"),
    "a repository that is not on GitHub": ("repository = 'https://example.org/a/b'\n", "at `\\$.repository`"),
    "a repository that is an address to clone": ("repository = 'https://github.com/a/b.git'\n", "at `\\$.repository`"),
    "a folder in a repository": ("repository = 'https://github.com/a/b/tree'\n", "at `\\$.repository`"),
    "a site that is no address": ("site = 'example.org'\n", "at `\\$.site`"),
    "a site that orders a terminal about": ('site = "https://example.org/\\u001b[2J"\n', "at `\\$.site`"),
    "a verb that orders a terminal about": ('[verbs]\n"\\u001b[2J" = "a:b"\n', "at `key` in `\\$.verbs`"),
    "a word that is none": ("[words]\nb = 2\n", "Expected `str`, got `int` - at `\\$.words"),
}


@pytest.mark.parametrize(("more", "says"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_used_is_refused(tmp_path: Path, more: str, says: str) -> None:
    with pytest.raises(BrokenCourse, match=says):
        reading(tmp_path, more)


def test_a_course_without_relations_of_its_own_has_none(tmp_path: Path) -> None:
    assert reading(tmp_path).own_relations() == ()


def test_judges_that_are_not_there_are_refused(tmp_path: Path) -> None:
    assert reading(tmp_path).own_judges() == {}
    course = reading(tmp_path, 'judges = "course.nowhere"\n')

    with pytest.raises(BrokenCourse, match=r"judges is 'course\.nowhere': ModuleNotFoundError"):
        course.own_judges()


def test_relations_that_are_not_there_are_refused(tmp_path: Path) -> None:
    course = reading(tmp_path, 'relations = "course.nowhere"\n')

    with pytest.raises(BrokenCourse, match=r"relations is 'course\.nowhere': ModuleNotFoundError"):
        course.own_relations()
