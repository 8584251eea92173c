"""What is printed on the screen, beside drawings."""

import pytest

from autograder.render.screen import say_error


def test_a_refusal_orders_a_terminal_about_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    say_error("Nobody is called `\x1b[2J\u202e`.\n\tLeave it.")

    assert capsys.readouterr().err == "Nobody is called `\\x1b[2J\\u202e`.\n        Leave it.\n"
