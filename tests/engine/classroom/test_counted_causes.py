"""What a class is told most: the same cause is counted once, whatever the lines and names in a student's code."""

from autograder.classroom.counted_causes import CountedCauses
from autograder.grading.results import Diagnosis, Spot


def cure(line: int, of: str, slip: str = "dimension") -> Diagnosis:
    where = f"Look at line {line}: `{of}(x, dim=0)`."
    what = f"`{of}` works along the wrong dimension."
    return Diagnosis("cure", slip, where, where, what, "With `dim=-1`.", Spot("ada/part1.py", line, 0, 4, "text"))


def counted(*causes: Diagnosis, step: str = "part1.softmax") -> list[tuple[str, str, int]]:
    counts = CountedCauses()
    for cause in causes:
        counts.add(step, cause)
    return counts.commonest(9)


def test_the_same_slip_at_other_lines_is_one_cause_in_the_words_that_all_got() -> None:
    assert counted(cure(3, "softmax"), cure(8, "softmax")) == [
        ("part1.softmax", "`softmax` works along the wrong dimension.", 2)
    ]


def test_other_slips_are_other_causes_and_the_commonest_comes_first() -> None:
    found = counted(cure(3, "scores", "missing_scaling"), cure(3, "softmax"), cure(9, "softmax"))

    assert [count for _, _, count in found] == [2, 1]


def test_a_slip_of_another_step_is_another_cause() -> None:
    counts = CountedCauses()
    counts.add("part1.softmax", cure(3, "softmax"))
    counts.add("part2.weights", cure(3, "softmax"))

    assert len(counts.commonest(9)) == len(counts) == 2


def test_a_known_mistake_is_said_as_its_author_says_it() -> None:
    assert counted(*[Diagnosis("mistake", "halved", "You halve.")] * 2) == [("part1.softmax", "You halve.", 2)]
