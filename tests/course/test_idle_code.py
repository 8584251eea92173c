"""Code that does nothing earns nothing."""

import pytest
from warm import PATIENCE, lend_worker

from autograder.authoring.trial import try_out
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusPart
from autograder.submission.model import Source, Submission

CLASS = """
class {name}(nn.Module):
    def __init__(self, *_, **__):
        super().__init__()

    def forward(self, given, *_, **__):
        return given
"""
FUNCTION = """
def {name}(*given, **named):
    given = [*given, *named.values()]
    return {returns}
"""


def _doing_nothing(part: SyllabusPart, returns: str) -> str:
    steps = ((CLASS if step.kind == "class" else FUNCTION, step.name) for step in part.steps)
    return "from torch import nn\n" + "".join(form.format(name=name, returns=returns) for form, name in steps)


@pytest.mark.parametrize(
    "returns",
    ["given[0]", *(pytest.param(one, marks=pytest.mark.slow) for one in ("given[-1]", "tuple(given)", "None", "1.0"))],
)
def test_code_that_does_nothing_earns_nothing(practice: Exam, returns: str) -> None:
    modules = {
        part.name: Source.module(f"{part.name}.py", _doing_nothing(part, returns)) for part in practice.syllabus.parts
    }
    marks = try_out(lend_worker(), practice, Submission("idle", modules), practice.syllabus.steps, PATIENCE)
    assert {step.path: earned.score for step, earned in marks if earned.score} == {}
