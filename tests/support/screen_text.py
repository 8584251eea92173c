"""What Rich draws, as the text of a screen without colours."""

import io

from rich.console import Console, RenderableType


def drawn(*renderables: RenderableType, width: int = 80) -> str:
    """Return the lines of a screen of this width, without the spaces at their ends."""
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    for renderable in renderables:
        console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())
