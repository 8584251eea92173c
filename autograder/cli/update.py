"""`attn update`: a newer release comes into the folder of an earlier one."""

from pathlib import Path

import click

from autograder.cli.context import Stop, in_course
from autograder.workspace import Workspace


@click.command()
@click.argument("release", type=click.Path(path_type=Path))
@in_course
def update(workspace: Workspace, release: Path) -> None:
    """Take in a newer RELEASE of this course, a zip or a folder: new parts, a new grader.

    Exercises and notebooks in which you have written stay as they are, and so does your progress. Of other files that the release
    replaces, the old ones are kept in .attn/replaced.
    """
    from autograder.render.screen import make_console
    from autograder.student.advice import install
    from autograder.student.updating import update as take_in
    from autograder.submission.model import shown

    console, advice = make_console(), install(workspace)  # what is imported later would be the new grader's
    try:
        done = take_in(workspace, release)
    except OSError as error:
        raise Stop(
            f"{error.filename or release} could not be read or written: {error.strerror}. What you have written is unchanged."
        ) from error
    said = [f"New: {', '.join(done.parts)}" if done.parts else "There are no new parts; the rest is as in the release."]
    if done.kept:
        said.append(f"Kept as you have written them: {', '.join(shown(path.as_posix()) for path in done.kept)}")
    if done.replaced:
        said.append(
            f"What was replaced is in {done.replaced.relative_to(workspace.root)}, should you have written in it."
        )
    said += [f"The release has no {part}: its files stay, and are no longer marked." for part in done.gone]
    if done.other_needs:
        said += ["Other libraries may be needed than before:", *(f"    {line}" for line in advice)]
    for line in said:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
