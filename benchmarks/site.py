"""The lecture site: seconds to build it, bytes of its pages, and Lighthouse's marks. Run: python benchmarks/site.py [--all | PAGE …].

It judges the pages that are named, as `lectures/scaling/`, or else one of each kind. With --all every page is judged: once, and
again where a mark is below its aim; then only what stays below is printed.

Lighthouse comes from npm into a temporary folder, so this needs Node, and `/usr/bin/chromium`. Its marks for performance fall on a
busy machine. The speed that it measures stands beside them: below 1000, its phone, four times slower than that, is none that anybody has.
"""

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from built_site import Site, build_site, free_port, served  # noqa: E402

PAGES = (
    "",
    "lectures/why_attention/",
    "lectures/scaling/",
    "lectures/several_heads/",
    "lectures/live_gpt/",
    "reference/steps/",
)
RUNS = 3
CHROME = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
FORMS = {"mobile": (), "desktop": ("--preset=desktop",)}
MARKS = ("performance", "accessibility", "best-practices", "seo")
AIMS = {"mobile": 90, "desktop": 95}
"""For performance; the other marks should be 100."""


def main() -> None:
    """Build the site, weigh it, and print the medians of Lighthouse's marks; then what costs a mark."""
    parser = argparse.ArgumentParser(description="Weigh the site, and have Lighthouse judge it.")
    parser.add_argument("--all", action="store_true", help="judge every page, and print those below an aim")
    parser.add_argument("pages", nargs="*", default=PAGES, help="the pages to judge")
    arguments = parser.parse_args()
    every = arguments.all
    print(describe_machine())
    with tempfile.TemporaryDirectory() as temporary:
        folder, port = Path(temporary), free_port()
        site = Site(folder / "site", f"http://127.0.0.1:{port}/")
        begun = time.perf_counter()
        build_site(site.folder, site.address)
        print(f"build: {time.perf_counter() - begun:.1f} s (aim: 20), {len(site.pages)} pages")
        weigh(site)
        lighthouse = installed(folder)
        with served(site.folder, port):
            for page in site.pages if every else arguments.pages:
                for form in FORMS:
                    judge(lighthouse, site.address + page, form, folder / "report.json", every)


def weigh(site: Site) -> None:
    """Print how many bytes the HTML of the pages and the search index have, compressed."""
    sizes = {page: len(gzip.compress(site.file(page).read_bytes(), 6)) for page in site.pages}
    largest = max(sizes, key=lambda page: sizes[page])
    print(f"HTML, compressed: median {statistics.median(sizes.values()) / 1000:.1f} KB", end=", ")
    print(f"largest {sizes[largest] / 1000:.1f} KB ({largest})")
    index = (site.folder / "search" / "search_index.json").read_bytes()
    print(f"search index, compressed: {len(gzip.compress(index, 6)) / 1000:.1f} KB")


def installed(folder: Path) -> Path:
    """Install Lighthouse into a folder; return its command."""
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), "lighthouse@12"],
        check=True,
        capture_output=True,
    )
    return folder / "node_modules" / ".bin" / "lighthouse"


def judge(lighthouse: Path, address: str, form: str, report: Path, once_if_good: bool) -> None:
    """Print the medians of a page's marks, and every audit of the last run that cost accessibility or the like.

    once_if_good: a page whose first marks are all as good as the aims is not judged again, and nothing is printed.
    """
    marks: dict[str, list[float]] = {name: [] for name in MARKS}
    speeds: list[float] = []
    for _ in range(RUNS):
        found = report_of(lighthouse, address, form, report)
        speeds.append(found["environment"]["benchmarkIndex"])
        for name in MARKS:
            marks[name].append(100 * found["categories"][name]["score"])
        if once_if_good and good(marks, form):
            return
    medians = "  ".join(f"{mark} {statistics.median(values):.0f}" for mark, values in marks.items())
    page = address.partition("/")[2][1:].partition("/")[2] or "start"
    print(f"{page:<28} {form:<8} {medians} (aims: {AIMS[form]}, 100)  speed {statistics.median(speeds):.0f}")
    for name in MARKS[1:]:
        for audit in found["categories"][name]["auditRefs"]:
            if audit["weight"] and found["audits"][audit["id"]]["score"] == 0:
                print(f"    {name}: {found['audits'][audit['id']]['title']}")


def good(marks: dict[str, list[float]], form: str) -> bool:
    """Whether the medians are as good as the aims."""
    return all(statistics.median(values) >= (AIMS[form] if name == MARKS[0] else 100) for name, values in marks.items())


def report_of(lighthouse: Path, address: str, form: str, report: Path) -> dict[str, Any]:
    """Run Lighthouse once; return its report."""
    subprocess.run(
        [
            str(lighthouse),
            address,
            "--quiet",
            "--no-enable-error-reporting",
            "--output=json",
            f"--output-path={report}",
            f"--chrome-flags={CHROME}",
            f"--only-categories={','.join(MARKS)}",
            *FORMS[form],
        ],
        env={**os.environ, "CHROME_PATH": "/usr/bin/chromium"},
        check=True,
        capture_output=True,
    )
    found: dict[str, Any] = json.loads(report.read_text("utf-8"))
    return found


if __name__ == "__main__":
    main()
