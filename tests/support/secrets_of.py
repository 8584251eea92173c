"""The lines that give a solution away, to be looked for in what students see."""

import re

from autograder.exam.reference import BEGIN, END, read
from autograder.exam.syllabus import Syllabus
from autograder.workspace import Workspace

SAYS_NOTHING = {"with torch.no_grad():", "model.train()", "model.eval()"}
"""Lines of solutions that are no part of any answer: the grader has them too."""


def lines_of_solutions(course: Workspace, syllabus: Syllabus) -> set[str]:
    """Return the lines of all solution regions, squeezed, but comments, and lines that are in the stubs too."""
    found: set[str] = set()
    for part in syllabus.parts:
        given = {line.strip() for line in part.stub.splitlines()} | SAYS_NOTHING
        for step in read(course.solutions / f"{part.name}.py").steps:
            for region in re.findall(f"{BEGIN}\n(.*?){END}", step.text, re.DOTALL):
                lines = map(str.strip, region.splitlines())
                found |= {line for line in lines if line not in given and re.match(r"[^#].*\w", line)}
    return {squeezed(line) for line in found}


def squeezed(text: str) -> str:
    """Return a text without any space, quote or line break."""
    return re.sub(r"""[\s"'\\]|\\n""", "", text)
