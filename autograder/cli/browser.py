"""A page for the browser: its address is printed in any case, for who has none on this machine."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def open_page(console: "Console", address: str) -> None:
    """Print the address of a page, and open it in the browser, if there is one."""
    import webbrowser

    console.print(address, style="cyan", markup=False, soft_wrap=True)
    if not webbrowser.open(address):
        console.print("No browser was found here: open this address in one.", markup=False)
