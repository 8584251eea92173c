"""A page that shows where every head looked before the training and where it looks after: one file, which loads no other."""

import html

import numpy as np

from autograder.course.answer import Array
from course.attention.pages.weight_map import draw_map
from workbench.task import Observation, Task

WRITTEN = {" ": "␣", "\n": "↵", "\t": "⇥"}

STYLE = """
:root { color-scheme: light dark; --paper: #fcfbf8; --ink: #1e2024; --soft: #565a62; --line: #dedad0; --fill: #1c5585;
  --frame: #a8440f; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17191d; --ink: #e7e5e0; --soft: #a7abb3; --line: #363a41; --fill: #93c5ec; --frame: #f0a070; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 75rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; font-weight: 650; }
h2 { margin: 2.5rem 0 1rem; font-size: 1.35rem; }
h3 { font-size: 1rem; }
p { max-width: 44rem; }
.heads { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1.5rem 2.5rem; }
figure { margin: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; }
figcaption { grid-column: 1 / -1; color: var(--soft); }
svg { width: 100%; height: auto; }
svg text { font: 7px ui-monospace, monospace; fill: var(--soft); text-anchor: middle; dominant-baseline: central; }
.edge { fill: none; stroke: var(--line); }
.shade { fill: var(--fill); }
.frame { fill: none; stroke: var(--frame); }
table { border-collapse: collapse; }
caption { text-align: left; color: var(--soft); }
th, td { padding: .15rem 1.25rem .15rem 0; text-align: right; font-weight: 400; border-top: 1px solid var(--line); }
pre { white-space: pre-wrap; padding: .75rem 1rem; border-left: 3px solid var(--line); max-width: 44rem; }
"""


def page(task: Task, steps: int, before: Observation, after: Observation) -> str:
    """Return the page as HTML. steps: how many there are between the two observations."""
    body = "".join(
        [
            f"<h1>{steps:,} steps of training</h1>",
            "<p>A row is a token that looks, a column a token that is looked at; the stronger the colour of a cell, the more "
            f"weight it has. On the left a head as it was drawn at random, on the right after the training.{_about_frames(task)}</p>",
            _scores(before.scores, after.scores) if before.scores is not None and after.scores is not None else "",
            *(_layer(task, layer, before, after) for layer in range(len(after.maps))),
            _samples(before.sample, after.sample) if after.sample else "",
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>Attention before and after training</title>\n<style>{STYLE}</style>\n'
        f"</head>\n<body>\n<main>{body}</main>\n</body>\n</html>\n"
    )


def written(token: str) -> str:
    """Return a token as it can be seen."""
    return WRITTEN.get(token, token)


def _about_frames(task: Task) -> str:
    return " Framed is where an induction head looks: right after the same token." if task.framed else ""


def _scores(before: Array, after: Array) -> str:
    rows = "".join(
        f'<tr><th scope="row">layer {layer + 1}, head {head + 1}</th>'
        f"<td>{before[layer, head]:.2f}</td><td>{after[layer, head]:.2f}</td></tr>"
        for layer, head in np.ndindex(after.shape)
    )
    return (
        "<h2>Induction scores</h2>\n<table><caption>The average weight on cells like the framed ones, over other sequences</caption>"
        f'<thead><tr><td></td><th scope="col">before</th><th scope="col">after</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _layer(task: Task, layer: int, before: Observation, after: Observation) -> str:
    figures = "".join(
        f"<figure>{_map(task, old, f'layer {layer + 1}, head {head} before training')}"
        f"{_map(task, new, f'layer {layer + 1}, head {head} after training')}<figcaption>Head {head}</figcaption></figure>"
        for head, (old, new) in enumerate(zip(before.maps[layer], after.maps[layer], strict=True), start=1)
    )
    return f'<h2>Layer {layer + 1}</h2>\n<div class="heads">{figures}</div>\n'


def _map(task: Task, weights: Array, title: str) -> str:
    return draw_map(weights, [written(token) for token in task.shown], title, task.framed)


def _samples(before: str, after: str) -> str:
    return (
        f"<h2>What it writes</h2>\n<h3>Before</h3>\n<pre>{html.escape(before)}</pre>\n"
        f"<h3>After</h3>\n<pre>{html.escape(after)}</pre>"
    )
