"""How surely and how fast an induction head grows: `attn train` of the reference over ten seeds.

Run: python benchmarks/training.py [SEEDS]. On a busy machine the steps count, and the seconds of the processor.
"""

import statistics
import sys
import time

from machine import describe_machine

from autograder.workspace import COURSE
from workbench.induction import ENOUGH, induction_task
from workbench.own_code import loaded
from workbench.task import ATTENTION, MODEL, Code
from workbench.trainer import Training

SEEDS = 10
EVERY = 25
"""Steps between two looks at the scores."""


def grown(code: Code, seed: int) -> tuple[int, float, float, float]:
    """Train one model; return the steps until a head scores ENOUGH, the last best score, and seconds: passed, and used."""
    task = induction_task()
    training = Training(code, task, seed, "cpu")
    begun, used, enough, best = time.perf_counter(), time.process_time(), 0, 0.0
    while training.steps < task.steps:
        training.step()
        if training.steps % EVERY == 0:
            scores = training.observe().scores
            assert scores is not None
            best = float(scores.max())
            enough = enough or (training.steps if best >= ENOUGH else 0)
    return enough, best, time.perf_counter() - begun, time.process_time() - used


def main() -> None:
    """Print each seed as it ends, then the medians."""
    print(describe_machine())
    runs = []
    with loaded(COURSE.solutions, [ATTENTION, MODEL]) as code:
        for seed in range(1, 1 + int(sys.argv[1] if len(sys.argv) > 1 else SEEDS)):
            runs.append(grown(code, seed))
            enough, best, passed, used = runs[-1]
            print(
                f"seed {seed:>2}: {ENOUGH} at step {enough:>3}, {best:.3f} at the end; {passed:.0f} s, processor {used:.0f} s"
            )
    enoughs, bests, seconds, used_by = zip(*runs, strict=True)
    print(
        f"median: {ENOUGH} at step {statistics.median(enoughs):.0f}, {statistics.median(bests):.3f} at the end, lowest "
        f"{min(bests):.3f}; {statistics.median(seconds):.0f} s (aim: 120), processor {statistics.median(used_by):.0f} s"
    )


if __name__ == "__main__":
    main()
