"""The boxes in which readers write a line: milliseconds from a keystroke to what it draws. Run: python benchmarks/line.py.

Types a long line into every box of the site, letter by letter, and measures until the page is laid out again. Needs `/usr/bin/chromium`.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from built_site import Site, build_site, free_port, served  # noqa: E402
from chromium import chromium  # noqa: E402

AIM = 16.0
LINES = ("a = {names}", "torch.softmax({first} @ {first}.transpose(-2, -1) / 2 ** 0.5, dim=-1) @ {first}  # and so on")

TYPE = """([box, lines]) => {
    const field = box.querySelector("textarea");
    const names = [...box.querySelectorAll(".line-names code")].map(name => name.textContent);
    const times = [];
    for (const line of lines) {
        const text = line.replaceAll("{first}", names[0]).replaceAll("{names}", names.join(", "));
        for (let end = 1; end <= text.length; end += 1) {
            const begun = performance.now();
            field.value = text.slice(0, end);
            field.dispatchEvent(new Event("input"));
            document.body.offsetHeight;
            times.push(performance.now() - begun);
        }
    }
    return times;
}"""


def main() -> None:
    """Build the site, type into every box, and print the median and the slowest keystroke of each page."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        port = free_port()
        site = Site(Path(temporary) / "site", f"http://127.0.0.1:{port}/")
        build_site(site.folder, site.address)
        page = browser.new_page()
        with served(site.folder, port):
            for path in ("", *site.lectures):
                page.goto(site.address + path)
                times = []
                for box in page.locator("write-line").all():
                    box.scroll_into_view_if_needed()
                    box.locator("textarea").wait_for()
                    times += box.evaluate("(box, lines) => (" + TYPE + ")([box, lines])", list(LINES))
                if times:
                    slowest = statistics.quantiles(times, n=100)[-1]
                    print(
                        f"{path or 'start':<32} {len(times):>5} keystrokes  median {statistics.median(times):5.2f} ms"
                        f"  one in a hundred above {slowest:5.2f} ms (aim: {AIM:.0f})  slowest {max(times):5.2f} ms"
                    )


if __name__ == "__main__":
    main()
