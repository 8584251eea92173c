"""`attn doctor`: what this machine can give."""

import click

from autograder.cli.context import leave
from autograder.workspace import Workspace


@click.command()
@click.pass_obj
def doctor(workspace: Workspace | None) -> None:
    """What this machine can give: Python, torch, ways to run students' code; and what is missing."""
    from autograder.cli.examining import examine
    from autograder.cli.screen import make_console, signs_for

    console = make_console()
    signs = signs_for(console)
    healthy = True
    for symptom in examine(workspace):
        sign, style = {True: (signs.passed, "green"), False: (signs.failed, "red"), None: (signs.open, "dim")}[
            symptom.good
        ]
        healthy = healthy and symptom.good is not False
        console.print(f"[{style}]{sign}[/] {symptom.what:<16} {symptom.found}", soft_wrap=True)
        if symptom.advice:
            console.print(f"{'':<18} {symptom.advice}", style="yellow", markup=False, soft_wrap=True)
    leave(0 if healthy else 1)
