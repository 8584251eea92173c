"""`attn doctor`: what this machine can give."""

import click

from autograder.cli.context import leave
from autograder.workspace import Workspace


@click.command()
@click.pass_obj
def doctor(workspace: Workspace | None) -> None:
    """What this machine can give: Python, torch, ways to run students' code; what is missing, and what to run."""
    from autograder.render.screen import make_console, signs_for
    from autograder.student.machine_checks import examine, remedies

    console = make_console()
    signs = signs_for(console)
    signs_of = {True: (signs.passed, "green"), False: (signs.failed, "red"), None: (signs.open, "dim")}
    widest = max(len(sign) for sign, _ in signs_of.values())
    findings = []
    for finding in examine(workspace):
        findings.append(finding)
        sign, style = signs_of[finding.good]
        line = finding.line(console.width, f"{sign:<{widest}} ")
        console.print(line, style=style, markup=False, soft_wrap=True)
    for remedy in remedies(findings, console.width):
        console.print(f"\n{remedy}", markup=False, soft_wrap=True)
    leave(1 if any(finding.good is False for finding in findings) else 0)
