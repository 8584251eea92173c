"""The cause by something that is not there."""

import pytest

from autograder.course.answer import Answer, Failure, PlainValue
from autograder.course.verdicts import Verdict
from autograder.diagnosis.syntax import by_absence
from autograder.submission.model import Source

NOTHING = Answer({"output": PlainValue("NoneType", None)})


def raised(message: str) -> Answer:
    return Answer(failure=Failure(Verdict.RAISED, message))


UNDEFINED, LACKING = (
    raised("NameError: name 'scores' is not defined"),
    raised("AttributeError: 'step' object has no attribute 'scale'"),
)

FUNCTION = "def step(x):\n    pass\n    weights = scores.exp()\n    return weights\n"
CLASS = "class step:\n    def __init__(self):\n        super().__init__()\n        pass\n\n    def forward(self, x):\n        return x * self.scale\n"

ABSENT = {
    "what is returned": ("def step(x):\n    y = x + 1\n    y = y * 2\n", NOTHING, None, 3),
    "what a module returns": ("class step:\n    def forward(self, x):\n        x + 1\n", NOTHING, None, 3),
    "a variable": (FUNCTION, UNDEFINED, 3, 2),
    "an attribute": (CLASS, LACKING, 7, 4),
}


@pytest.mark.parametrize(("text", "answer", "line", "expected"), ABSENT.values(), ids=ABSENT)
def test_the_place_is_where_it_could_stand(text: str, answer: Answer, line: int | None, expected: int) -> None:
    cause = by_absence("step", Source.module("part.py", text), answer, line)

    assert cause
    assert cause.spot
    assert cause.spot.line == expected


SILENT = {
    "something is returned somewhere": ("def step(x):\n    if x > 0:\n        return x\n", NOTHING, None),
    "another thing than nothing comes out": (
        "def step(x):\n    x + 1\n",
        Answer({"output": PlainValue("int", 1)}),
        None,
    ),
    "the name is made somewhere": (FUNCTION + "    scores = x\n", UNDEFINED, 3),
    "nothing stands in its place": (FUNCTION.replace("pass", "y = x"), UNDEFINED, 3),
    "the pass comes later": ("def step(x):\n    weights = scores.exp()\n    pass\n    return weights\n", UNDEFINED, 2),
    "a name is nearly alike": (FUNCTION, raised("NameError: name 'scores' is not defined. Did you mean: 'score'?"), 3),
    "it is another step": (FUNCTION.replace("step", "other"), UNDEFINED, 3),
}


@pytest.mark.parametrize(("text", "answer", "line"), SILENT.values(), ids=SILENT)
def test_nothing_is_told_where(text: str, answer: Answer, line: int | None) -> None:
    assert by_absence("step", Source.module("part.py", text), answer, line) is None
