"""A sitting survives whatever a submission does, in a child of a forker and in a worker alike."""

import contextlib
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from quick_starts import quick_starts
from warm import lend

from autograder.check import check
from autograder.exam.model import Exam
from autograder.grading.results import PartMarks, StepMarks
from autograder.runner.answers import PartAnswers
from autograder.runner.limits import processor_time
from autograder.runner.processes import Child, Runner
from autograder.runner.run import Interrupted, Interruption, run
from autograder.runner.wire import Wire
from autograder.sandbox import FULL, KERNEL, NONE
from autograder.sandbox.levels import missing_of
from autograder.submission.model import Source, Submission
from autograder.workspace import COURSE, Workspace

pytestmark = pytest.mark.slow

PART, SIBLING = "part2_network", "part1_convolution"

RIGHT = """
def max_pool(x, size):
    return x.unfold(-2, size, size).unfold(-2, size, size).amax((-1, -2))
"""
"""The second step of a part; what its first step does is what a test is about."""

MarkPart = Callable[..., PartMarks]


@pytest.fixture(scope="module", params=[True, False], ids=["forks", "spawns"])
def either(convolution: Workspace, request: pytest.FixtureRequest) -> Iterator[Runner]:
    with quick_starts():
        warm = Runner(convolution.root, forks=request.param)
        yield warm
        warm.close()


@pytest.fixture
def exam(convolution_exam: Exam) -> Exam:
    return convolution_exam


@pytest.fixture
def runner(convolution: Workspace) -> Runner:
    """The warm process of the session."""
    borrowed: Runner = lend(convolution.root)
    return borrowed


@pytest.fixture
def mark_part(either: Runner, exam: Exam) -> MarkPart:
    def run(text: str, timeout: float = 30.0, **others: str) -> PartMarks:
        modules = {PART: Source.module(f"{PART}.py", text)}
        modules |= {name: Source.module(f"{name}.py", other) for name, other in others.items()}
        return check(exam, Submission("text", modules), exam.syllabus.part(PART).steps[:2], either, timeout).parts[0]

    return run


def first_step(part: PartMarks) -> StepMarks:
    assert part.error is None, part.error
    return part.steps[0]


ENDLESS = {
    "loop": "while True: pass",
    "printing": "while True: print('again')",
    "sleep": "import time; time.sleep(600)",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_a_step_that_does_not_end_is_ended_and_the_next_goes_on(mark_part: MarkPart, body: str) -> None:
    part = mark_part(f"def relu(x):\n    {body}\n{RIGHT}", timeout=0.5)

    assert [step.verdict for step in part.steps] == ["timed_out", "passed"]


def test_a_step_that_does_not_end_names_its_line(mark_part: MarkPart) -> None:
    step = first_step(mark_part(f"def relu(x):\n    n = 0\n    while True:\n        n += 1\n{RIGHT}", timeout=0.5))

    assert step.traceback
    assert step.traceback.partition("\n")[0] in {f"{PART}.py, line {line}, in relu" for line in (3, 4)}


def test_what_waits_is_not_late_before_its_wall_clock_time_is_over(mark_part: MarkPart) -> None:
    part = mark_part(f"import time\ntime.sleep(1.5)\ndef relu(x):\n    return x.clamp(min=0)\n{RIGHT}", timeout=1.0)

    assert [step.verdict for step in part.steps] == ["passed", "passed"]


@pytest.mark.parametrize("level", [level for level in (NONE, KERNEL, FULL) if not missing_of(level)])
def test_the_processor_time_of_a_child_is_known_at_every_level(convolution: Workspace, level: str) -> None:
    with contextlib.closing(lend(convolution.root, level=level)) as runner, runner.child() as child:
        end = time.monotonic() + 30
        while not processor_time(child.pid) and time.monotonic() < end:  # on a busy machine it may not have run yet
            time.sleep(0.01)
        assert processor_time(child.pid) > 0


LEAVES_COMPILER_OUT = """
import sys
import torch

sys.modules.pop("torch._inductor.config", None)
torch.use_deterministic_algorithms(True)

@torch.compile
def relu(x):
    assert "torch._inductor.config" not in sys.modules
    return x.clamp(min=0)

@torch.compile(mode="max-autotune")
def double(x):
    return 2 * x
"""


def test_torch_s_compiler_is_neither_imported_nor_run(mark_part: MarkPart) -> None:
    part = mark_part(LEAVES_COMPILER_OUT + RIGHT)

    assert [step.verdict for step in part.steps] == ["passed", "passed"]


BEHAVIOURS = {
    "sys.exit": ("import sys; sys.exit(0)", "raised"),
    "os._exit": ("import os; os._exit(0)", "crashed"),
    "abort": ("import os; os.abort()", "crashed"),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "crashed"),
    "recursion": ("return relu(x)", "raised"),
    "exception": ("raise ValueError('no')", "raised"),
    "exception whose text fails": ("class E(Exception):\n        __str__ = None\n    raise E", "raised"),
    "keyboard interrupt": ("raise KeyboardInterrupt", "raised"),
    "closed output": ("import sys; sys.stdout.close(); return x.clamp(min=0)", "passed"),
    "descriptors closed": ("import os; os.closerange(0, 64)", "crashed"),
}


@pytest.mark.parametrize(("body", "verdict"), BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_one_step_pays_for_its_own_behaviour_and_no_other(mark_part: MarkPart, body: str, verdict: str) -> None:
    part = mark_part(f"def relu(x):\n    {body}\n{RIGHT}")

    assert [step.verdict for step in part.steps] == [verdict, "passed"]


def test_a_loop_at_the_top_of_the_file_ends_the_part(mark_part: MarkPart) -> None:
    part = mark_part("while True: pass", timeout=0.5)

    assert part.error is not None
    assert "did not finish in time" in part.error
    assert {step.verdict for step in part.steps} == {"timed_out"}


def test_an_exit_at_the_top_of_the_file_ends_the_part(mark_part: MarkPart) -> None:
    part = mark_part("import os\nos._exit(4)")

    assert part.error is not None
    assert {step.verdict for step in part.steps} == {"crashed"}


def test_an_exception_at_the_top_of_the_file_is_told_with_its_line(mark_part: MarkPart) -> None:
    part = mark_part("import torch\nbroken = 1 / 0\n")

    assert (
        part.error == "ZeroDivisionError: division by zero\npart2_network.py, line 2, in <module>\n    broken = 1 / 0"
    )


def test_what_a_step_prints_is_kept_case_by_case(mark_part: MarkPart) -> None:
    step = first_step(mark_part("def relu(x):\n    print('hello')\n    return x.clamp(min=0)\n"))

    assert step.printed.startswith("[lecture]\nhello\n[random]\nhello\n")


def test_a_sibling_part_can_be_imported(mark_part: MarkPart) -> None:
    text = f"from part1_convolution import clipped\ndef relu(x):\n    return clipped(x)\n{RIGHT}"

    part = mark_part(text, part1_convolution="def clipped(x):\n    return x.clamp(min=0)\n")

    assert [step.verdict for step in part.steps] == ["passed", "passed"]


def test_torch_settings_of_one_sitting_do_not_reach_the_next(mark_part: MarkPart) -> None:
    mark_part("import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\n" + RIGHT)

    part = mark_part("import torch\ndef relu(x):\n    return x.clamp(min=0) + torch.zeros(1)\n" + RIGHT)

    assert [step.verdict for step in part.steps] == ["passed", "passed"]


def test_a_filter_of_warnings_of_one_sitting_does_not_reach_the_next(mark_part: MarkPart) -> None:
    mark_part("import warnings\nwarnings.simplefilter('error')\n" + RIGHT)

    part = mark_part("import warnings\ndef relu(x):\n    warnings.warn('slow')\n    return x.clamp(min=0)\n" + RIGHT)

    assert [step.verdict for step in part.steps] == ["passed", "passed"]


def test_a_module_of_an_earlier_submission_is_gone(mark_part: MarkPart) -> None:
    text = "import helper\ndef relu(x):\n    return x.clamp(min=0) * helper.one\n" + RIGHT
    assert first_step(mark_part(text, helper="one = 1")).passed

    assert "No module named 'helper'" in first_step(mark_part(text)).checks[0].message


def test_a_step_that_comes_from_a_file_that_is_not_there_is_missing(mark_part: MarkPart) -> None:
    step = first_step(mark_part("from helper import relu\n" + RIGHT))

    said = "`relu` comes from `helper`, which is neither installed here nor handed in"
    assert (step.verdict, step.checks[0].message) == ("missing", said)


RELU = "def relu(x):\n    return x.clamp(min=0)\n"

BROKEN = {
    "an unclosed bracket": "def relu(x):\n    return (x\n",
    "an unclosed text": 'def relu(x):\n    """Clamp.\n    return x\n',
    "a missing colon": "def relu(x)\n    return x\n",
    "a mistyped keyword": "df relu(x):\n    return x\n",
    "a bad indentation": "def relu(x):\n    y = x\n  return y\n",
    "a null byte": "def relu(x):\n    return x\0\n",
    "below a right one": RELU + "def relu(x):\n    return (x\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_definition_that_cannot_be_parsed_costs_its_own_step_alone(mark_part: MarkPart, text: str) -> None:
    assert [step.verdict for step in mark_part(text + RIGHT).steps] == ["missing", "passed"]


def test_a_definition_that_cannot_be_parsed_is_told_with_its_line(mark_part: MarkPart) -> None:
    step = first_step(mark_part("import torch\n\ndef relu(x):\n    return (x\n" + RIGHT))

    assert step.checks[0].message == (f"SyntaxError in {PART}.py, line 4: '(' was never closed.")


@pytest.mark.parametrize("raising", ["print(1 / 0)", "assert False", "import nowhere_to_be_found", "unknown", "exit()"])
@pytest.mark.parametrize("where", ["above", "below"])
def test_a_statement_that_raises_costs_no_definition(mark_part: MarkPart, raising: str, where: str) -> None:
    text = f"{raising}\n{RELU}{RIGHT}" if where == "above" else f"{RELU}{RIGHT}{raising}\n"

    assert [step.verdict for step in mark_part(text).steps] == ["passed", "passed"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("print(nothing)", 'Move this under `if __name__ == "__main__":`, or take it out.'),
        ("raise SystemExit(0)", 'Move this under `if __name__ == "__main__":`, or take it out.'),
        ("from math import found", "What else the file defines is marked."),
        ("print((1)", "'(' was never closed"),
    ],
)
def test_a_line_that_costs_no_step_is_told_with_its_number(mark_part: MarkPart, line: str, told: str) -> None:
    text = f"{RELU}{RIGHT}\n"
    number = text.count("\n") + 1

    (note,) = mark_part(f"{text}{line}\n").notes

    assert f"line {number}" in note
    assert told in note


def test_a_line_that_costs_a_step_is_told_there_alone(mark_part: MarkPart) -> None:
    assert mark_part(f"{RIGHT}\n\ndef relu(x:\n    return x\n").notes == ()


def test_a_step_that_lacks_a_name_is_told_what_raised_in_its_place(mark_part: MarkPart) -> None:
    step = first_step(mark_part("LOW = 1 / 0\ndef relu(x):\n    return x.clamp(min=LOW)\n" + RIGHT))

    assert step.checks[0].message == (
        "NameError: name 'LOW' is not defined. Line 1 raised ZeroDivisionError: division by zero, which may be why."
    )


@pytest.mark.parametrize("text", ["LOW = ask()\ndef relu(x):\n    return x.clamp(min=LOW)\n", "relu = ask()\n"])
def test_what_raised_in_its_place_is_told_with_one_period_at_its_end(mark_part: MarkPart, text: str) -> None:
    marks = mark_part(f"def ask():\n    raise EOFError('EOF when reading a line')\n\n{text}{RIGHT}")

    said = [first_step(marks).checks[0].message, *marks.notes]
    assert not any(".." in one or ".," in one for one in said)


@pytest.fixture
def trace_relu(either: Runner, exam: Exam) -> Callable[..., PartAnswers]:
    def traced(body: str, timeout: float = 30.0) -> PartAnswers:
        modules = {PART: Source.module("own.py", f"def relu(x):\n    {body}\n")}
        wanted = {PART: frozenset({"relu"})}
        submission = Submission("text", modules)
        answers = run(either, submission, exam.syllabus, exam.paper, wanted, timeout, trace=True)
        return answers.parts[PART]

    return traced


def test_a_traced_step_brings_the_trace_of_every_case(exam: Exam, trace_relu: Callable[..., PartAnswers]) -> None:
    found = trace_relu("return x.exp()")
    paths = [case.path for case in exam.paper.of(PART, frozenset({"relu"}))]

    assert [*found.traces] == [*found.answers] == paths
    assert [one.name for one in found.traces[paths[0]].operations] == ["exp"]


def test_a_traced_step_goes_no_further_than_the_first_case_that_fails(
    trace_relu: Callable[..., PartAnswers],
) -> None:
    traces = trace_relu("return x.exp() if x.dim() < 3 else x.nothing()").traces

    assert [trace.stop is not None for trace in traces.values()] == [False, False, False, True]


def test_answers_are_the_same_in_a_forked_child_and_in_a_worker(exam: Exam, either: Runner, runner: Runner) -> None:
    modules = {PART: Source.module(f"{PART}.py", "def relu(x):\n    return x.abs()\n" + RIGHT)}
    submission = Submission("text", modules)

    ones, others = (check(exam, submission, exam.syllabus.part(PART).steps[:2], one) for one in (either, runner))

    assert [(step.verdict, step.score, step.diagnosis) for step in ones.parts[0].steps] == [
        (step.verdict, step.score, step.diagnosis) for step in others.parts[0].steps
    ]


def test_steps_are_announced_as_they_begin(exam: Exam, either: Runner) -> None:
    submission = Submission("text", {PART: Source.module(f"{PART}.py", RIGHT)})
    begun: list[tuple[str, str]] = []

    run(
        either,
        submission,
        exam.syllabus,
        exam.paper,
        {PART: frozenset({"relu", "max_pool"})},
        on_step=lambda part, step: begun.append((part, step)),
    )

    assert begun == [(PART, "relu"), (PART, "max_pool")]


WAITS = """
import pathlib, time

def {step}(x, *_):
    folder = pathlib.Path({folder!r})
    (folder / {mine!r}).touch()
    while not (folder / {other!r}).exists():
        time.sleep(0.01)
    {then}
"""
"""A step that goes on only while that of another part runs."""


@pytest.fixture
def two_at_once(convolution: Workspace) -> Iterator[Runner]:
    with quick_starts():
        warm = Runner(convolution.root)
        warm.together = 2
        yield warm
        warm.close()


def verdicts_of_two(exam: Exam, runner: Runner, folder: Path, first: str, second: str) -> dict[str, str]:
    """Let two parts of one step each sit that wait for each other. first, second: what they do then."""
    steps = [exam.syllabus.part(name).steps[0] for name in (PART, SIBLING)]
    modules = {
        step.part: Source.module(
            f"{step.part}.py",
            WAITS.format(step=step.name, folder=str(folder), mine=step.part, other=other.part, then=then),
        )
        for step, other, then in zip(steps, reversed(steps), (first, second), strict=True)
    }
    marks = check(exam, Submission("text", modules), steps, runner)
    return {part.part: part.steps[0].verdict for part in marks.parts}


def test_parts_sit_at_once(exam: Exam, two_at_once: Runner, tmp_path: Path) -> None:
    found = verdicts_of_two(exam, two_at_once, tmp_path, "return x.clamp(min=0)", "return x")

    assert list(found) == [PART, SIBLING]
    assert found[PART] == "passed"


def test_a_crash_of_one_part_is_not_that_of_another_which_sits_at_once(
    exam: Exam, two_at_once: Runner, tmp_path: Path
) -> None:
    found = verdicts_of_two(exam, two_at_once, tmp_path, "return x.clamp(min=0)", "import os; os._exit(3)")

    assert [*found.values()] == ["passed", "crashed"]


THREADS = """
import os
import torch

def relu(x):
    torch.set_num_threads(16)
    torch.ones(600, 600) @ torch.ones(600, 600)
    assert len(os.listdir("/proc/self/task")) == 1
    return x.clamp(min=0)
"""


def test_torch_computes_in_one_thread_whatever_a_submission_sets(exam: Exam, runner: Runner) -> None:
    submission = Submission("text", {PART: Source.module(f"{PART}.py", THREADS)})

    assert check(exam, submission, exam.syllabus.part(PART).steps[:1], runner).parts[0].steps[0].verdict == "passed"


class Ends:
    """A runner whose children end while they take their job, with any exit code of theirs."""

    course, together = COURSE.root, 1

    def __init__(self, code: int) -> None:
        self._code = code
        self.children = 0

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        ours, theirs = socket.socketpair()
        theirs.close()
        self.children += 1
        yield Child(Wire(ours), lambda: self._code)
        ours.close()


@pytest.mark.parametrize(("code", "tries"), [(-signal.SIGKILL, 2), (-signal.SIGSEGV, 1), (1, 1)])
def test_a_child_that_was_killed_from_outside_is_tried_once_more(exam: Exam, code: int, tries: int) -> None:
    submission = Submission("text", {PART: Source.module(f"{PART}.py", RIGHT)})

    run(runner := Ends(code), submission, exam.syllabus, exam.paper, {PART: frozenset({"relu"})})  # type: ignore[arg-type]

    assert runner.children == tries


KILLED_ONCE = """
import os, pathlib, signal

def relu(x):
    print("begun")
    try:
        pathlib.Path({path!r}).touch(exist_ok=False)
    except FileExistsError:
        return x.clamp(min=0)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_step_in_which_a_child_is_killed_once_passes(exam: Exam, runner: Runner, tmp_path: Path) -> None:
    text = KILLED_ONCE.format(path=str(tmp_path / "killed")) + RIGHT
    submission = Submission("text", {PART: Source.module(f"{PART}.py", text)})

    steps = check(exam, submission, exam.syllabus.part(PART).steps[:2], runner).parts[0].steps

    assert [step.verdict for step in steps] == ["passed", "passed"]


@pytest.mark.parametrize("code", [0, 1, 255])
def test_no_exit_code_of_a_students_says_that_it_was_the_machines_fault(exam: Exam, code: int) -> None:
    submission = Submission("text", {PART: Source.module(f"{PART}.py", RIGHT)})
    wanted = {PART: frozenset({"relu"})}

    answers = run(Ends(code), submission, exam.syllabus, exam.paper, wanted)  # type: ignore[arg-type]

    assert (failure := answers.parts[PART].error)
    assert failure.kind == "crashed"


def test_a_time_limit_interrupts_by_itself_and_with_another_interruption() -> None:
    outer = Interruption()
    limit = Interruption(3600.0, outer)
    limit.check()
    outer.make()

    for made in (limit, Interruption(0.0)):
        with pytest.raises(Interrupted):
            made.check()
