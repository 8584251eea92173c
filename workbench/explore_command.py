"""`attn explore`: open the live model of the lectures with the student's own in it."""

from pathlib import Path

import click

from autograder.cli.context import Stop, in_course, open_page
from autograder.workspace import Workspace


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@in_course
def explore(workspace: Workspace, file: Path | None) -> None:
    """Look into your own model in the browser: write to it, see where its heads look, switch them off.

    FILE is one that `attn train` has written and whose name ends in .packed.safetensors; without it, the newest is opened. The
    page is one file, which loads nothing and sends nothing; its address is printed, too.
    """
    from workbench.live_page import PACKED, is_packed, live_page
    from workbench.training_files import CannotKeep, folder_of, made_folder, written_whole

    model = file or _newest(folder_of(workspace.memory))
    if not is_packed(model):
        raise Stop(_no_model(model))
    try:
        content = live_page(workspace.root / "docs", model)
    except OSError as error:
        raise Stop(
            f"{error.filename} cannot be read ({error.strerror}): get docs/ again from where you got the course."
        ) from error
    try:
        page = made_folder(workspace.memory) / f"{model.name.removesuffix(PACKED)}.live.html"
        with written_whole(page) as new:
            new.write_text(content, encoding="utf-8")
    except CannotKeep as error:
        raise Stop(str(error)) from error
    open_page(page.resolve().as_uri())


def _newest(folder: Path) -> Path:
    from workbench.live_page import PACKED

    packed = sorted(folder.glob(f"*{PACKED}"), key=lambda path: path.stat().st_mtime)
    if not packed:
        raise Stop("you have trained no model yet that the page can open: `attn train` trains one.")
    return packed[-1]


def _no_model(file: Path) -> str:
    """Say why a file cannot be opened, and which one can."""
    from workbench.live_page import PACKED

    if not file.exists():
        return f"{file} is not there. Without a name, `attn explore` opens the model that you trained last."
    beside = file.with_suffix(PACKED)
    instead = f"open {beside}, which lies beside it" if beside.is_file() else f"open one that ends in {PACKED}"
    return f"{file} is no model that the page can open. `attn train` writes two files of each model: {instead}."
