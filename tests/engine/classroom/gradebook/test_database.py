"""The place of a gradebook, and the message for an unusable place, without a password."""

from pathlib import Path

import pytest

from autograder.classroom.gradebook import CannotKeep, shown, transaction


def test_a_url_is_shown_without_its_password() -> None:
    assert shown("postgresql+psycopg://me:pass%40word@host/book") == "postgresql+psycopg://host/book"


@pytest.mark.parametrize(
    "given",
    [
        "postgresql+psycopg://me:secret@host:port/book",
        "://secret",
        "nonsense://me:secret@host/book",
        "mysql+pymysql://me:secret@host/book",
    ],
)
def test_a_url_that_is_no_good_is_refused_without_its_password(given: str) -> None:
    with pytest.raises(CannotKeep, match=r"a URL like postgresql\+psycopg://") as caught, transaction(given):
        pass

    assert "me:secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "says"), [("folder", "unable to open"), ("text", "not a database"), ("no/book", "unable to open")]
)
def test_a_path_where_no_gradebook_can_be_is_refused(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("a text")

    with (
        pytest.raises(CannotKeep, match=f"{name} could not be written: .*{says}"),
        transaction(str(tmp_path / name)),
    ):
        pass
