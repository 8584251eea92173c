"""The final points that report and exports show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.cli.adjusted import adjustments_of
from autograder.cli.context import syllabus_of
from autograder.cli.results_folder import open_counted

if TYPE_CHECKING:
    from pathlib import Path

    from autograder.classroom.final import FinalPoints
    from autograder.workspace import Workspace

MOST_ACTS = 20


def open_final(
    workspace: Workspace, folder: Path, parts: tuple[str, ...], roster: Path | None, adjusted_in: Path | None
) -> FinalPoints:
    """Read the final points of the parts that count, and print the first of what a person must decide.

    Raises BadAdjustments, and as `open_counted`.
    """
    from autograder.classroom.final import final_points
    from autograder.render.screen import say_error

    adjustments = adjustments_of(folder, adjusted_in, syllabus_of(workspace))
    final = final_points(open_counted(workspace, folder, parts, roster), workspace.course.counting, adjustments)
    acts = [f"must act: {act.student}: {act.says}" for act in final.must_act]
    more = [f"must act: {len(acts) - MOST_ACTS} more; the report lists all"] if len(acts) > MOST_ACTS else []
    if acts:
        say_error("\n".join(acts[:MOST_ACTS] + more))
    return final
