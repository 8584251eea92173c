"""The console and its signs: what is printed on the screen, beside drawings."""

import io

import pytest
from rich.console import Console

from autograder.render.screen import ASCII, PLAIN, UNICODE, Signs, say_error, signs_for


def test_a_refusal_orders_a_terminal_about_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    say_error("Nobody is called `\x1b[2J\u202e`.\n\tLeave it.")

    assert capsys.readouterr().err == "Nobody is called `\\x1b[2J\\u202e`.\n        Leave it.\n"


@pytest.mark.parametrize(("encoding", "signs"), [("UTF-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII)])
def test_signs_are_those_that_the_encoding_can_show(encoding: str, signs: Signs) -> None:
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert signs_for(console) == signs
    assert signs_for(console, plain=True) == PLAIN


@pytest.mark.parametrize(("value", "plain"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_environment_asks_for_words_too(monkeypatch: pytest.MonkeyPatch, value: str, plain: bool) -> None:
    monkeypatch.setenv("ATTN_PLAIN", value)
    assert signs_for(Console(file=io.StringIO())).plain == plain
