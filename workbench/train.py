"""`attn train`: train the student's own model, and show what its heads have learned."""

from pathlib import Path

import click

from autograder.cli.context import leave, solutions_of
from autograder.cli.options import in_course, timeout_option
from autograder.workspace import Workspace

OWN = "the course's own"
INTERRUPTED = 130
NEEDED = ("part4_multihead.MultiHeadAttention", "part6_training")


@click.command()
@click.option(
    "--text",
    is_flag=False,
    flag_value=OWN,
    metavar="[FILE]",
    help="Train on a text instead of repeated random sequences: the course's own, or a UTF-8 file.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Steps in all; by default 600 of sequences, 800 of text.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 9999),
    metavar="NUMBER",
    default=1,
    show_default=True,
    help="Another seed, another model.",
)
@click.option("--resume", is_flag=True, help="Continue an earlier run of this seed.")
@click.option("--reference", is_flag=True, help="Train the reference instead of your own code.")
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda", "mps"]),
    default="cpu",
    show_default=True,
    help="What computes: the processor, or a graphics processor by NVIDIA or Apple.",
)
@timeout_option
@in_course
def train(
    workspace: Workspace,
    text: str | None,
    steps: int | None,
    seed: int,
    resume: bool,
    reference: bool,
    device: str,
    timeout: float,
) -> None:
    """Train your own TinyGPT, and look into its heads.

    On repeated random sequences, until a head has learned to look behind the last occurrence of a token, or on a text. The
    grader checks your code first. Ctrl-C keeps what was learned, and exits with 130.
    """
    from autograder.cli.check import require_passed
    from workbench.texts import STORY, read_text

    story = read_text(STORY if text == OWN else Path(text)) if text else None
    folder = solutions_of(workspace) if reference else require_passed(workspace, NEEDED, timeout)
    from workbench.characters import writing_task  # imports torch, which is not needed before
    from workbench.induction import induction_task
    from workbench.own_code import loaded
    from workbench.task import ATTENTION, MODEL
    from workbench.trainer import Training
    from workbench.training_screen import run

    task = writing_task(story) if story else induction_task()
    kept = workspace.memory / "training" / f"{task.name}-seed{seed}{'-reference' if reference else ''}.pt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with loaded(folder, [ATTENTION, MODEL]) as code:
        finished = run(Training(code, task, seed, device), task, steps or task.steps, kept, resume)
    leave(0 if finished else INTERRUPTED)
