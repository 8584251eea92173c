"""The search for causes: whatever a submission does when it runs again, its marks stay."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from warm import lend

from autograder.check import check
from autograder.course.verdicts import Verdict
from autograder.diagnosis import find
from autograder.diagnosis.find import find_causes
from autograder.exam.model import Exam
from autograder.exam.syllabus import by_part
from autograder.grading.compare import GENERAL
from autograder.grading.grade import mark
from autograder.grading.results import StepMarks
from autograder.runner.answers import Answers
from autograder.runner.run import Interrupted, Interruption, run
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

PART, STEP = "part1_convolution", "pad"

SECOND_RUN = """
import os, sys, time, torch

def pad(image, padding):
    if os.path.exists({marker!r}):
        {again}
    return torch.nn.functional.pad(image, (padding,) * 4, value=2.0)
"""

AGAIN = {
    "hangs": "while True: pass",
    "ends the process": "os._exit(0)",
    "sleeps": "time.sleep(0.2)",
    "prints without end": "while True: print('x' * 10_000)",
    "writes to what it may be read by": "[os.write(number, b'x' * 100_000) for number in range(3, 12)]",
    "takes all memory": "[bytearray(10**9) for _ in range(10**6)]",
    "raises something else": "raise SystemExit(0)",
    "calls itself": "pad(image, padding)",
}

OTHER_WAY = """
import gc, os, socket, torch

def forge(*frames):
    wire = next(one for one in gc.get_objects() if isinstance(one, socket.socket))
    for kind, body in frames:
        wire.sendall(kind + len(body).to_bytes(4, "little") + body)

def pad(image, padding):
    if {when}:
        {does}
    return torch.nn.functional.pad(image, (padding,) * 4, value=2.0)

own = pad
"""

WHEN = {"is traced": "torch.overrides._get_current_function_mode_stack()", "is edited": "pad is not own"}

EMPTY = '(2).to_bytes(4, "little") + b"{}" + (2).to_bytes(8, "little") + b"{}"'

DOES = {
    "hangs": "while True: pass",
    "ends the process": "os._exit(0)",
    "prints without end": "while True: print('x' * 10_000)",
    "ends after forged answers": f"forge((b'A', {EMPTY})) or os._exit(0)",
    "forges answers without end": f"while True: forge((b'A', {EMPTY}))",
    "forges a trace": f"forge((b'R', {EMPTY}))",
    "forges the end": "forge((b'Q', b''), (b'Q', b''))",
    "forges what was not asked for": "forge((b'B', b'0'), (b'L', b''), (b'P', b'{}'))",
    "forges a frame of four gigabytes": "forge((b'A', b'')) or os.write(3, b'A' + bytes([255] * 4))",
}


def marks_of(
    course: Workspace, exam: Exam, text: str, marker: Path, seconds: float, keep: bool = False
) -> tuple[StepMarks, StepMarks]:
    """Return the marks of a step without causes, and with those that are found when it does something else from then on.

    keep: whether the search is handed the answers that were marked.
    """
    submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
    runner, step = lend(course.root), exam.syllabus.part(PART).step(STEP)
    answers = run(runner, submission, exam.syllabus, exam.paper, by_part([step]))
    marks = mark(exam, answers, submission, GENERAL)
    marker.touch()
    found = find_causes(marks, exam, submission, runner, seconds, known=answers.parts[PART].answers if keep else {})
    return marks.parts[0].steps[0], found.parts[0].steps[0]


@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN)
def test_marks_stay_whatever_code_does_when_it_runs_again(
    convolution: Workspace, convolution_exam: Exam, tmp_path: Path, again: str
) -> None:
    marker = tmp_path / "was here"
    text = SECOND_RUN.format(marker=str(marker), again=again)

    marks, found = marks_of(convolution, convolution_exam, text, marker, seconds=0.3)

    assert replace(found, diagnosis=None) == replace(marks, diagnosis=None)


@pytest.mark.parametrize("does", DOES.values(), ids=DOES)
@pytest.mark.parametrize("when", WHEN.values(), ids=WHEN)
def test_marks_stay_whatever_code_does_when_it_is_looked_into(
    convolution: Workspace, convolution_exam: Exam, tmp_path: Path, when: str, does: str
) -> None:
    text = OTHER_WAY.format(when=when, does=does)

    marks, found = marks_of(convolution, convolution_exam, text, tmp_path / "unused", seconds=0.2)

    assert marks.verdict == Verdict.WRONG_VALUES
    assert replace(found, diagnosis=None) == replace(marks, diagnosis=None)


@pytest.mark.parametrize("keep", [False, True])
def test_code_that_is_right_when_it_runs_again_is_told_nothing(
    convolution: Workspace, convolution_exam: Exam, tmp_path: Path, keep: bool
) -> None:
    marker = tmp_path / "was here"
    text = SECOND_RUN.format(marker=str(marker), again="return torch.nn.functional.pad(image, (padding,) * 4)")

    marks, found = marks_of(convolution, convolution_exam, text, marker, seconds=60.0, keep=keep)

    assert not marks.passed
    assert found == marks


def test_answers_that_were_marked_are_not_asked_for_again(
    convolution: Workspace, convolution_exam: Exam, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import torch\n\ndef pad(image, padding):\n    return torch.nn.functional.pad(image, (padding,) * 4, value=2.0)\n"
    traced, changed = [], []
    ran = find.run

    def run_again(*given: Any, trace: bool, **named: Any) -> Answers:
        (traced if trace else changed).extend(given[3].cases)
        return ran(*given, trace=trace, **named)

    monkeypatch.setattr(find, "run", run_again)

    step = convolution_exam.syllabus.part(PART).step(STEP)
    submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
    marks = check(convolution_exam, submission, [step], lend(convolution.root), seconds=60.0)

    assert marks.parts[0].steps[0].diagnosis
    assert len(traced) == 1
    assert not {*map(id, changed)} & {*map(id, convolution_exam.paper.cases)}


def test_an_interrupted_search_raises(convolution: Workspace, convolution_exam: Exam) -> None:
    submission = Submission(
        "text", {PART: Source.module(f"{PART}.py", SECOND_RUN.format(marker="", again="return image"))}
    )
    runner, interruption = lend(convolution.root), Interruption()
    marks = check(convolution_exam, submission, [convolution_exam.syllabus.part(PART).step(STEP)], runner)
    interruption.make()

    with pytest.raises(Interrupted):
        find_causes(marks, convolution_exam, submission, runner, interruption=interruption)


def test_what_a_failed_operation_was_given_is_said(
    convolution: Workspace, convolution_exam: Exam, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "by_repair", lambda *_: None)
    text = "import torch\n\ndef pad(image, padding):\n    frame = torch.zeros(7, 11)\n    return image + frame\n"
    submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})
    runner = lend(convolution.root)
    marks = check(convolution_exam, submission, [convolution_exam.syllabus.part(PART).step(STEP)], runner)

    cause = find_causes(marks, convolution_exam, submission, runner, seconds=60.0).parts[0].steps[0].diagnosis

    assert cause
    assert cause.kind == "exception"
    assert cause.what.startswith("Line 5 was given `image` of shape (")
    assert cause.what.endswith("and `frame` of shape (7, 11).")


def test_an_error_of_the_search_costs_no_marks(
    convolution: Workspace, convolution_exam: Exam, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(find, "Alignment", fail)
    submission = Submission(
        "text", {PART: Source.module(f"{PART}.py", "def pad(image, padding):\n    return -image\n")}
    )
    runner = lend(convolution.root)
    marks = check(convolution_exam, submission, [convolution_exam.syllabus.part(PART).step(STEP)], runner)

    assert find_causes(marks, convolution_exam, submission, runner) == marks
