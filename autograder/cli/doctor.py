"""`attn doctor`: what this machine can give."""

import textwrap

import click

from autograder.cli.context import leave
from autograder.workspace import Workspace


@click.command()
@click.pass_obj
def doctor(workspace: Workspace | None) -> None:
    """What this machine can give: Python, torch, ways to run students' code; what is missing, and what to run."""
    from rich.text import Text

    from autograder.cli.examining import examine
    from autograder.cli.screen import make_console, signs_for

    console = make_console()
    signs = signs_for(console)
    signs_of = {True: (signs.passed, "green"), False: (signs.failed, "red"), None: (signs.open, "dim")}
    margin = 1 + max(len(sign) for sign, _ in signs_of.values())
    healthy = True
    for symptom in examine(workspace):
        sign, style = signs_of[symptom.good]
        healthy = healthy and symptom.good is not False
        told = textwrap.indent(symptom.told(console.width - margin), " " * margin)[margin:]
        console.print(Text.assemble((sign.ljust(margin), style), told), soft_wrap=True)
    leave(0 if healthy else 1)
