"""The wording of a module: what a student chose to write so, and what everybody was given."""

import pytest

from autograder.classroom.similarity.wording import Rare, given_wording, in_words, phrases, wording_of

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


def test_the_layout_of_a_line_leaves_no_trace() -> None:
    assert wording_of("a = first( x,y )\n") == wording_of("    a=first(x, y)\n")


def test_what_everybody_was_given_is_taken_off() -> None:
    given = given_wording(['def softmax(x):\n    """Turn scores into weights."""\n'], ["The largest score, biggest."])
    left = in_words(wording_of(WRITTEN) - given, [WRITTEN])

    assert "“teh largest of each row”" in left
    assert not {"“Turn scores into weights”", "biggest", "softmax", "return"} & set(left)


def test_remarks_are_shown_before_names() -> None:
    assert in_words(map(hash, ["wobbel", "“teh largest of each row”"]), [WRITTEN])[0] == "“teh largest of each row”"


def test_wording_is_shown_without_what_a_terminal_takes_for_a_command() -> None:
    line = "run(\x1b]52;c;aGk=\x07, \x1b[2J\u202e)"

    assert "run(]52;c;aGk=,[2J)" in in_words(wording_of(line), [line])


def test_what_many_have_is_not_shown_as_rare() -> None:
    people = [frozenset([1, 2, 10 + person]) for person in range(30)]
    people[3] = people[4] = frozenset([1, 99])

    assert Rare(people).of(3, 4) == [99]


@pytest.mark.parametrize("text", ['"\\"' * 50_000, "'''\"\"\"" * 15_000, '"""' + "\\" * 99_000, "'" * 99_999])
def test_texts_that_are_never_closed_are_read_once(text: str) -> None:
    assert len(set(phrases(text))) < len(text)
