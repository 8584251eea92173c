"""The model that runs in a page: milliseconds a token and bytes on the way. Run: python benchmarks/live_model.py.

Reads a text as long as the model can see, again and again, on one core of Chromium. Needs `/usr/bin/chromium`.
"""

import gzip
import statistics
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from chromium import chromium  # noqa: E402

AIM, MOST = 20.0, 400
READ = """async name => {
    const { readModel } = await import("/widgets/packed_model.mjs");
    const { longest, run } = await import("/widgets/tiny_gpt.mjs");
    const model = readModel(await (await fetch(`/widgets/${name}`)).arrayBuffer());
    const tokens = Array.from({ length: longest(model) }, (_, place) => place % 9);
    const times = Array.from({ length: 300 }, () => {
        const begun = performance.now();
        run(model, tokens);
        return performance.now() - begun;
    });
    return [tokens.length, times];
}"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    """Print what a token takes, and what the page of the live model loads when a reader comes near."""
    print(describe_machine())
    widgets = ROOT / "docs" / "widgets"
    models = sorted(widgets.glob("*_model.safetensors"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(ROOT / "docs")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/widgets/")
        for model in models:
            read, times = page.evaluate(READ, model.name)
            slowest = statistics.quantiles(times, n=100)[-1]
            print(
                f"{model.stem}: {read} tokens read in {min(times):.2f} ms at best, median {statistics.median(times):.2f} ms, "
                f"one in a hundred above {slowest:.2f} ms (aim: {AIM:.0f})"
            )
    server.shutdown()
    code = [
        widgets / f"{name}.mjs"
        for name in ("live_gpt", "tiny_gpt", "packed_model", "next_token", "arithmetic", "widget")
    ]
    plain, packed = (sum(map(size, [*models, *code])) for size in (lambda one: one.stat().st_size, _compressed))
    print(
        f"models {' and '.join(f'{one.stat().st_size / 1000:.0f}' for one in models)} kB; with their code {plain / 1000:.0f} kB, compressed {packed / 1000:.0f} kB (aim: {MOST})"
    )


def _compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes()))


if __name__ == "__main__":
    main()
