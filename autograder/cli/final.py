"""The final points that report and exports tell: ours with the adjustments, or those of nbgrader's gradebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from autograder.cli.adjusted import adjustments_file, adjustments_of
from autograder.cli.context import Stop, syllabus_of
from autograder.cli.results_folder import open_counted

if TYPE_CHECKING:
    from pathlib import Path

    from autograder.classroom.final import FinalPoints
    from autograder.workspace import Workspace

gradebook_option = click.option(
    "--gradebook",
    metavar="FILE or URL",
    help="Take the final scores of nbgrader's gradebook, with grades by hand, extra credit and penalties, instead.",
)

MOST_ACTS = 20


def open_final(
    workspace: Workspace,
    folder: Path,
    parts: tuple[str, ...],
    roster: Path | None,
    adjusted_in: Path | None,
    gradebook: str | None,
) -> FinalPoints:
    """Read the final points of the parts that count, and say what somebody must decide.

    Raises BadAdjustments, CannotKeep of a gradebook, and as `open_counted`.
    """
    if gradebook:
        final = _of_gradebook(workspace, folder, parts, roster, adjusted_in, gradebook)
    else:
        final = _adjusted(workspace, folder, parts, roster, adjusted_in)
    _tell_must_act(final)
    return final


def _adjusted(
    workspace: Workspace, folder: Path, parts: tuple[str, ...], roster: Path | None, adjusted_in: Path | None
) -> FinalPoints:
    from autograder.classroom.final import final_points
    from autograder.classroom.hand_ins import earlier_hand_ins
    from autograder.course.counting import BEST

    syllabus, counting = syllabus_of(workspace), workspace.course.counting
    adjustments = adjustments_of(folder, adjusted_in, syllabus)
    marks = open_counted(workspace, folder, parts, roster)
    earlier = earlier_hand_ins(folder, marks, syllabus) if counting.hand_ins == BEST else {}
    return final_points(marks, counting, adjustments, earlier)


def _of_gradebook(
    workspace: Workspace,
    folder: Path,
    parts: tuple[str, ...],
    roster: Path | None,
    adjusted_in: Path | None,
    gradebook: str,
) -> FinalPoints:
    """Read the points in nbgrader's gradebook, where all decisions lie that count then."""
    from autograder.cli.gradebook import require_nbgrader
    from autograder.render.screen import say_error

    require_nbgrader()
    from autograder.classroom.final import final_points
    from autograder.classroom.gradebook.database import read_url
    from autograder.classroom.gradebook.final_scores import final_scores
    from autograder.classroom.gradebook.lateness import policy_beside
    from autograder.course.counting import Counting

    if adjusted_in:
        raise Stop("--adjustments and --gradebook are two places for decisions: choose one.")
    url, ours = read_url(gradebook), final_points(open_counted(workspace, folder, parts, roster), Counting())
    final = final_scores(url, ours, policy_beside(url))
    if (unused := adjustments_file(folder, None)).is_file():
        say_error(f"{unused} is not applied: the scores are those of the gradebook.")
    return final


def _tell_must_act(final: FinalPoints) -> None:
    """Say what nobody but a person can decide, the first of many."""
    from autograder.render.screen import say_error

    acts = [f"must act: {act.student}: {act.says}" for act in final.must_act]
    more = [f"must act: {len(acts) - MOST_ACTS} more; the report lists all"] if len(acts) > MOST_ACTS else []
    if acts:
        say_error("\n".join(acts[:MOST_ACTS] + more))
