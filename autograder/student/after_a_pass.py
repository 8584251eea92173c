"""Which solutions a student may look at now: those of steps that have just passed, in a course that includes them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from autograder.workspace import Workspace

if TYPE_CHECKING:
    from autograder.grading.results import Marks
    from autograder.student.progress import Progress


def newly_passed(progress: "Progress", marks: "Marks") -> list[str]:
    """Return the steps that pass in these marks and did not in the last ones. progress: from before they are recorded."""
    paths = (f"{part.part}.{step.step}" for part in marks.parts for step in part.steps if step.passed)
    return [path for path in paths if not progress.passed(path)]


def way_to_solutions(workspace: Workspace, passed: Iterable[str]) -> str:
    """Say how to see how the reference does steps that have just passed; nothing for none, and where no solutions are shipped."""
    shown = [path for path in passed if (workspace.solutions / f"{path.partition('.')[0]}.py").is_file()]
    if not shown:
        return ""
    return f"How the reference does it: attn solution {shown[0] if len(shown) == 1 else 'STEP'}"
