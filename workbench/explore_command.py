"""`attn explore`: open a page like the lectures' live model, with the student's own model in it."""

from pathlib import Path

import click

from autograder.cli.context import Stop, open_page
from autograder.cli.options import in_course
from autograder.workspace import Workspace


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@in_course
def explore(workspace: Workspace, file: Path | None) -> None:
    """Look into your own model in the browser: write to it, see where its heads look, switch them off.

    FILE is one that `attn train` has written and whose name ends in .packed.safetensors; without it, the newest is opened. The
    page is one file, which loads nothing and sends nothing; its address is printed, too.
    """
    from autograder.atomic_write import atomic_write
    from workbench.live_page import PACKED, live_page

    folder = workspace.memory / "training"
    model = file or max(folder.glob(f"*{PACKED}"), key=lambda path: path.stat().st_mtime, default=None)
    if not model:
        raise Stop("you have trained no model yet that the page can open: `attn train` trains one.")
    if not model.name.endswith(PACKED):
        raise Stop(f"{model} is no model that the page can open: open one that ends in {PACKED}.")
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{model.name.removesuffix(PACKED)}.live.html"
    atomic_write(page, live_page(workspace.root / "docs", model).encode())
    open_page(page.resolve().as_uri())
