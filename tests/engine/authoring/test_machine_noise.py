"""The noise of another machine in an exam's key."""

import numpy as np
from tiny_course import NAME, TinyCourse
from warm import lend

from autograder.authoring.machine_noise import WORST, noisy, with_noise
from autograder.authoring.verification import verify_in_full
from autograder.course.answer import TensorValue
from autograder.course.tolerances import TOLERANCE
from autograder.exam.files import read_exam


def test_each_number_moves_a_little() -> None:
    numbers = np.linspace(-3, 3, 6, dtype=np.float32)
    moved = np.abs(noisy(numbers, TOLERANCE, "one") - numbers)
    assert (moved > 0).all()
    assert (moved < 2 * WORST).all()


def test_a_course_is_marked_alike_with_the_key_of_another_machine(tiny: TinyCourse) -> None:
    exam = read_exam(tiny.workspace.practice_exam)
    path, case = next((path, case) for path, case in exam.key.cases.items() if path.startswith(NAME))
    here, there = case.expected.outputs, with_noise(exam).key.cases[path].expected.outputs
    assert any(
        isinstance(one, TensorValue) and one.array.tobytes() != there[name].array.tobytes()
        for name, one in here.items()
    )
    found = list(verify_in_full(tiny.workspace, lend(tiny.workspace.root), lambda _: None))
    assert [finding.problems for finding in found] == [[]] * 5
    assert all(finding.looked_at for finding in found)
