"""The screen of `attn train`: a bar until the end or Ctrl-C, then the heads before and after."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

import numpy as np
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.atomic_write import atomic_write
from autograder.course.answer import Array
from autograder.render.screen import Signs, make_console, signs_for
from workbench.induction import ENOUGH
from workbench.live_page import PACKED
from workbench.packed_model import CannotPack, packed_file
from workbench.task import Observation, Task
from workbench.trainer import Training

KEEP_EVERY = 100
"""The number of steps between two saves. A killed training loses at most these steps."""

LINES = 10
"""The number of printed losses if no bar can be drawn."""

WRITTEN = {" ": "␣", "\n": "↵", "\t": "⇥"}
"""Signs for characters that cannot be seen."""


def run(training: Training, task: Task, steps: int, kept: Path, resume: bool) -> bool:
    """Train up to `steps` steps in all, save the model, show it. Return False if Ctrl-C came first.

    kept: the file to save to. Raises CannotResume, Diverged, OSError, and errors of the student's code.
    """
    console = make_console()
    before = training.observe()
    if resume:
        training.resume(kept)
        console.print(f"Going on after {training.steps:,} steps.")
    elif kept.exists():
        earlier = kept.replace(kept.with_suffix(f".earlier{kept.suffix}"))
        console.print(
            f"This starts over; the earlier run is now {_shown(earlier)}. `--resume` would have continued it.",
            markup=False,
        )
    with _ctrl_c() as asked, _bar(console, training.steps, steps) as show:
        while training.steps < steps and not asked.is_set():
            show(training.steps + 1, training.step())
            if training.steps % KEEP_EVERY == 0:
                training.save(kept)
    try:
        training.save(kept)
    finally:  # a full disk costs the file, not the results on the screen
        _show(console, task, before, training.observe())
    _pack(console, training, task, kept.with_name(kept.stem + PACKED))
    console.print(f"What was learned is kept in:  {_shown(kept)}", markup=False, soft_wrap=True)
    if training.steps < steps:
        console.print(f"Stopped after {training.steps:,} of {steps:,} steps: `--resume` continues.", style="yellow")
    return training.steps >= steps


def _pack(console: Console, training: Training, task: Task, path: Path) -> None:
    """Write the file that `attn explore` opens, or print the reason why that is impossible."""
    try:
        atomic_write(path, packed_file(training.model, task.vocabulary))
    except CannotPack as error:
        console.print(f"`attn explore` and the live model of the lectures cannot open yours: {error}.", markup=False)
        return
    console.print(f"All heads, in the browser, by `attn explore`:  {_shown(path)}", markup=False, soft_wrap=True)


@contextlib.contextmanager
def _ctrl_c() -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C sets. A second Ctrl-C ends the program at once."""
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, usual)
        asked.set()

    usual = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, usual)


@contextlib.contextmanager
def _bar(console: Console, done: int, steps: int) -> Iterator[Callable[[int, float], None]]:
    """Yield a function that shows a step's number and loss: in a terminal as a bar, else in ten lines."""
    if not console.is_terminal:
        every = max(steps // LINES, 1)
        yield (
            lambda step, loss: (
                console.print(f"step {step:>5,} of {steps:,}   loss {loss:.3f}")
                if step % every == 0 or step == steps
                else None
            )
        )
        return
    columns = (TextColumn("step"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.fields[loss]}"))
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        bar = progress.add_task("", total=steps, completed=done, loss="")
        yield lambda step, loss: progress.update(bar, completed=step, loss=f"loss {loss:.3f}")


def _shown(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _show(console: Console, task: Task, before: Observation, after: Observation) -> None:
    """Print the scores or the samples, and the maps of the head that has learned most."""
    if before.scores is not None and after.scores is not None:
        console.print(_table(before.scores, after.scores))
        layer, head = _largest(after.scores)
        console.print(_verdict(after.scores[layer, head], layer, head))
    else:
        layer, head = _largest(np.abs(after.maps - before.maps).sum(axis=(2, 3)))
        for title, sample in (("Before it writes", before.sample), ("Now it writes", after.sample)):
            console.print(title, style="bold")
            console.print(sample, markup=False)
    console.print(f"\nLayer {layer + 1}, head {head + 1}: a row is a token that looks, a column one that is looked at.")
    maps = {"before": before.maps[layer, head], "after": after.maps[layer, head]}
    console.print(draw_maps(task.shown, maps, signs_for(console)))
    console.print()


def _largest(numbers: Array) -> tuple[int, int]:
    layer, head = np.unravel_index(numbers.argmax(), numbers.shape)
    return int(layer), int(head)


def _table(before: Array, after: Array) -> Table:
    table = Table("layer", "head", "before", "after", title="Induction scores", title_justify="left", box=None)
    for layer, head in np.ndindex(after.shape):
        style = "bold green" if after[layer, head] >= ENOUGH else ""
        cells = (f"{before[layer, head]:.2f}", f"{after[layer, head]:.2f}")
        table.add_row(str(layer + 1), str(head + 1), *cells, style=style)
    return table


def _verdict(score: float, layer: int, head: int) -> str:
    if score < ENOUGH:
        return f"No head has reached {ENOUGH} yet: more steps, with `--resume --steps N`, may get there."
    return (
        f"Head {head + 1} of layer {layer + 1} is an induction head: it puts {score:.2f} of its weight on the token that "
        "followed the last time."
    )


def draw_maps(text: str, maps: dict[str, Array], signs: Signs) -> RenderableType:
    """Return the maps of a text, by title, side by side if they fit. A row has the weights of one token."""
    tokens = [WRITTEN.get(token, token) for token in text]
    if signs.plain:
        return Group(*(_in_words(tokens, title, weights) for title, weights in maps.items()))
    return Columns([_draw(tokens, title, weights, signs) for title, weights in maps.items()], padding=(0, 3))


def _in_words(tokens: Sequence[str], title: str, weights: Array) -> Text:
    """Return a sentence for each token: its largest weight, and the token with this weight."""
    lines = [
        f"Token {number}, {token}: {row.max():.2f} of its weight is on token {row.argmax()}, {tokens[row.argmax()]}."
        for number, (token, row) in enumerate(zip(tokens, weights, strict=True))
    ]
    return Text("\n").join(map(Text, [f"{title}:", *lines]))


def _draw(tokens: Sequence[str], title: str, weights: Array, signs: Signs) -> Text:
    shades, darkest = " " + signs.shades, len(signs.shades)
    header = Text("  " + "".join(f"{token} " for token in tokens), style="dim")
    rows = [
        Text.assemble((f"{token} ", "dim"), ("".join(2 * shades[round(weight * darkest)] for weight in row), "blue"))
        for token, row in zip(tokens, weights, strict=True)
    ]
    return Text("\n").join([Text(title, style="bold"), header, *rows])
