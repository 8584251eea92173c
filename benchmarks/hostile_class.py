"""What hostile submissions cost the judge: its memory over a class of them, and the time-outs of one. Run: python benchmarks/hostile_class.py."""

import resource
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from machine import describe_machine

from autograder.check import check
from autograder.course.verdicts import Verdict
from autograder.diagnosis.effort import QUICK
from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.grading.results import PartMarks
from autograder.runner.processes import open_runner
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent

NUMBERS = """
import numpy as np
from autograder.course.answer import Answer, TensorValue
from autograder.runner import child

def lie(*_, **__):
    return Answer({str(n): TensorValue("float64", (20_000,), np.random.rand(20_000)) for n in range(45)})

send = child.codec.encode
child.observe = lie
"""
"""7 MB a case, and no frame of a step is one: each case is sent twice by itself."""

EACH = """
import gc, socket
from autograder.runner.wire import HEADER

def each(answers):
    if not isinstance(answers, dict):
        return send(answers)
    wire = next(one for one in gc.get_objects() if isinstance(one, socket.socket))
    for case, answer in answers.items():
        for _ in range(2):
            body = send({case: answer})
            wire.sendall(HEADER.pack(b"A", len(body)) + body)
    return send({})

child.codec.encode = each
"""

MESSAGES = """
from autograder.course.answer import Answer, Failure
from autograder.runner import child

send = child.codec.encode
child.observe = lambda *_, **__: Answer(failure=Failure("raised", "mat1 and mat2 shapes cannot be " * 33_000))
"""

ENDLESS = """
def {name}(*_, **__):
    while True:
        pass
"""

HELPERS = 45

NOT_RUN = "was not run to its end"
"""Said of a part for which no time was left."""


def hostile_class(exam: Exam) -> Mapping[str, dict[str, str]]:
    """Return the texts of the modules of each submission, by what it does."""
    steps = {part.name: [step.name for step in part.steps] for part in exam.syllabus.parts}
    right = {name: (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8") for name in steps}
    star = "".join(f"from helper_{number} import *\n" for number in range(HELPERS))
    names = "".join(f"a{number} = a{number + 1}, b\n" for number in range(700))
    uses = "".join(f"\ndef {name}(*_, **__):\n    return a0, {{}}\n" for part in steps.values() for name in part)
    return {
        "honest": right,
        "15 MB a case": {name: text + NUMBERS + EACH for name, text in right.items()},
        "a message of 1 MB a case": {name: text + MESSAGES + EACH for name, text in right.items()},
        "every step hangs": {name: "".join(ENDLESS.format(name=step) for step in own) for name, own in steps.items()},
        f"{HELPERS} helpers, each with star imports of all": {f"helper_{n}": star + names for n in range(HELPERS)}
        | dict.fromkeys(steps, star + uses),
    }


def megabytes() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def waited(part: PartMarks) -> int:
    """Return how often the judge has waited for a part to the end of its time: while it loaded, and for steps that began."""
    late = any(step.verdict == Verdict.TIMED_OUT for step in part.steps)
    loading = part.error is not None and late and NOT_RUN not in part.error
    return loading + sum(any("not done after" in check.message for check in step.checks) for step in part.steps)


def main() -> None:
    """Mark them one after the other in this process, which is the judge; students' code runs in children of another."""
    exam = read_exam(Workspace(ROOT).practice_exam)
    print(describe_machine())
    print(f"the judge with its exam, before the class: {megabytes():.0f} MB")
    with closing(open_runner(ROOT, batch=True)) as runner:
        for what, texts in hostile_class(exam).items():
            modules = {name: Source.module(f"{name}.py", text) for name, text in texts.items()}
            begun = time.monotonic()
            marks = check(exam, Submission(what, modules), exam.syllabus.steps, runner, seconds=QUICK)
            seconds = time.monotonic() - begun
            waits = sum(map(waited, marks.parts))
            print(
                f"{what:<45} {marks.score:6.2f} points, {seconds:6.1f} s, {waits:2} time-outs; "
                f"so far the judge has had {megabytes():.0f} MB at most (aim: 300)"
            )


if __name__ == "__main__":
    main()
