"""The models that run in a page: milliseconds of a token and of a keystroke, and bytes on the way. Run: python benchmarks/live_model.py.

On one core of Chromium, a text as long as the model can see: how long the model alone reads it, again and again, and how long the whole
widget takes from a keystroke to the page that is laid out anew, with all heads and with one off. A keystroke changes the last token; what is
written on behind so long a text moves every token to another place. Needs `/usr/bin/chromium`.
"""

import gzip
import os
import statistics
import sys
import tempfile
from pathlib import Path

from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from built_site import Site, build_site, free_port, served  # noqa: E402
from chromium import chromium  # noqa: E402
from playwright.sync_api import Page  # noqa: E402

AIM, MOST = 20.0, 400
READ = """async name => {
    const { readModel } = await import(new URL("../../widgets/packed_model.mjs", location));
    const { longest, run } = await import(new URL("../../widgets/tiny_gpt.mjs", location));
    const model = readModel(await (await fetch(new URL(`../../widgets/${name}`, location))).arrayBuffer());
    const tokens = Array.from({ length: longest(model) }, (_, place) => place % 9);
    const times = Array.from({ length: 300 }, () => {
        const begun = performance.now();
        run(model, tokens);
        return performance.now() - begun;
    });
    return [tokens.length, times];
}"""


UPDATE = """async (widget, [address, moved]) => {
    const { longest } = await import(`${address}widgets/tiny_gpt.mjs`);
    const { signs } = widget.model;
    const field = widget.querySelector("textarea, input");
    const count = longest(widget.model);
    const texts = Array.from({ length: 200 }, (_, turn) =>
        Array.from({ length: count }, (_, place) => signs[(place + (moved || place === count - 1 ? turn : 0)) % 9]).join(""));
    return texts.map(text => {
        const begun = performance.now();
        field.value = text;
        field.dispatchEvent(new Event("input"));
        document.body.offsetHeight;
        return performance.now() - begun;
    });
}"""


def main() -> None:
    """Print what a token and a keystroke take, and what the page of the live model loads when a reader comes near."""
    print(describe_machine())
    widgets = ROOT / "docs" / "widgets"
    models = sorted(widgets.glob("*_model.safetensors"))
    with tempfile.TemporaryDirectory() as temporary:
        port = free_port()
        site = Site(Path(temporary) / "site", f"http://127.0.0.1:{port}/")
        build_site(site.folder, site.address)
        keep_to_one_core()
        with served(site.folder, port), chromium() as browser:
            page = browser.new_page()
            page.goto(f"{site.address}lectures/live_gpt/")
            for model in models:
                read, times = page.evaluate(READ, model.name)
                print(f"{model.stem}: {read} tokens read in {told(times)}")
            update_widgets(page, site.address)
    code = [
        widgets / f"{name}.mjs"
        for name in ("live_gpt", "tiny_gpt", "packed_model", "next_token", "arithmetic", "widget")
    ]
    plain, packed = (sum(map(size, [*models, *code])) for size in (lambda one: one.stat().st_size, _compressed))
    print(
        f"models {' and '.join(f'{one.stat().st_size / 1000:.0f}' for one in models)} kB; with their code {plain / 1000:.0f} kB, compressed {packed / 1000:.0f} kB (aim: {MOST})"
    )


def keep_to_one_core() -> None:
    """Keep this process, and the browser that it starts, to one core where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def update_widgets(page: Page, address: str) -> None:
    """Print what each widget of the page takes for a keystroke, with all heads on and with the first one off."""
    for widget in page.locator("live-gpt").all():
        widget.scroll_into_view_if_needed()
        widget.locator(".live-map path").first.wait_for(state="attached")
        name = widget.get_attribute("model") or "trained_model.safetensors"
        for heads in ("all heads on", "head 1.1 off"):
            for moved, what in enumerate(("a keystroke", "one that moves all tokens")):
                times = widget.evaluate(UPDATE, [address, moved])
                print(f"{name.partition('.')[0]}, {heads}: {what} takes {told(times)}")
            widget.locator(".live-inside").evaluate("one => { one.open = true; }")  # where a reader presses a head
            widget.locator(".live-head").first.click()


def told(times: list[float]) -> str:
    """Return times in milliseconds in words."""
    slowest = statistics.quantiles(times, n=100)[-1]
    middle = statistics.median(times)
    return (
        f"{min(times):.2f} ms at best, median {middle:.2f} ms, one in a hundred above {slowest:.2f} ms (aim: {AIM:.0f})"
    )


def _compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes()))


if __name__ == "__main__":
    main()
