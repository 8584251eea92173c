"""What is slow the first time is done before anybody waits for it, and nothing that nobody needs."""

import subprocess
import sys

import pytest

PROGRAM = """
import dataclasses, sys
from autograder.course import parts
from autograder.sitting.warmth import warm_up
load = parts.load
parts.load = lambda name: dataclasses.replace(load(name), trains={trains})
warm_up()
print("torch._dynamo" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize("trains", [True, False])
def test_an_optimiser_is_loaded_where_a_part_trains(trains: bool) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(trains=trains)], capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == str(trains)
