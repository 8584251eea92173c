"""The wording of a module: what a student chose to write so, and what everybody was given."""

import pytest

from autograder.classroom.similarity.wording import given_wording, in_words, phrases, wording_of

WRITTEN = '''
def softmax(x):
    """Turn scores into weights."""
    # teh largest of each row
    biggest = x.amax(dim=-1, keepdim=True)
    self.odd = 1e9
    return wobbel(x - biggest, "# no comment")
'''


def test_comments_and_texts_are_told_apart_from_lines() -> None:
    found = set(phrases(WRITTEN))

    assert {"“teh largest of each row”", "“Turn scores into weights”", "“no comment”"} <= found
    assert "biggest=x.amax(dim=-1,keepdim=True)" in found


def test_names_of_ones_own_are_compared_and_those_of_others_are_not() -> None:
    found = set(phrases(WRITTEN))

    assert {"biggest", "wobbel", "odd"} <= found
    assert not {"amax", "1e9", "teh"} & found


def test_what_everybody_was_given_is_taken_off() -> None:
    given = given_wording(['def softmax(x):\n    """Turn scores into weights."""\n'], ["The largest score, biggest."])
    left = in_words(wording_of(WRITTEN) - given, [WRITTEN])

    assert "“teh largest of each row”" in left
    assert not {"“Turn scores into weights”", "biggest", "softmax", "return"} & set(left)


def test_wording_is_shown_without_what_a_terminal_takes_for_a_command() -> None:
    line = "run(\x1b]52;c;aGk=\x07, \x1b[2J\u202e)"

    assert "run(]52;c;aGk=,[2J)" in in_words(wording_of(line), [line])


@pytest.mark.parametrize("text", ['"\\"' * 50_000, "'''\"\"\"" * 15_000, '"""' + "\\" * 99_000, "'" * 99_999])
def test_texts_that_are_never_closed_are_read_once(text: str) -> None:
    assert len(set(phrases(text))) < len(text)
