"""A sitting in a forked child: where its time goes, how long it takes, its memory beyond the forker's, and marking.

Run: python benchmarks/sitting.py [--where]. With --where, only where the time goes: in processor time, so that it can be measured on
a machine that others use, too.
"""

import argparse
import functools
import gc
import os
import pickle
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classroom import texts
from machine import describe_machine, report

from autograder.course import codec, probing
from autograder.course.course import read_course
from autograder.exam.files import read_exam
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.grading.grade import mark
from autograder.runner import child
from autograder.runner.answers import Answers, PartAnswers, answers_to, decode_loaded
from autograder.runner.loading import SubmittedModules
from autograder.runner.processes import Runner, Server, open_worker
from autograder.runner.run import run
from autograder.runner.warm_up import warm_up
from autograder.runner.wire import Frame, Kind, encode
from autograder.sandbox import linux
from autograder.submission.model import Source, Submission, read_folder, to_plain
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
RUNS = 50
ROUNDS = 15
DEAREST = 20

STAGES = {
    "wire in": ((codec, "decode"), (child, "from_plain")),
    "loading": ((SubmittedModules, "load"),),
    "backward": ((probing, "_gradients"),),
    "inputs copied, outputs read": tuple((probing, name) for name in ("_fresh", "_changed", "value_of")),
    "wire out": ((codec, "encode"),),
}
"""Where a child spends its time: what is called there, by module or class and name. None is within another."""

FORWARD = "probes, forward"
BARE = "bare forks"
FORKS = "forks, copied pages, ends"


@dataclass
class Clock:
    """Processor seconds of this process, by stage and by case."""

    stages: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    cases: dict[str, float] = field(default_factory=dict)

    def time(self, owner: Any, name: str, stage: str) -> None:
        """Have a function tell this clock how long it takes, from now on."""
        function = getattr(owner, name)

        @functools.wraps(function)
        def timed(*args: Any, **options: Any) -> Any:
            begun = time.process_time()
            try:
                return function(*args, **options)
            finally:
                self.stages[stage] += time.process_time() - begun

        setattr(owner, name, timed)

    def time_cases(self) -> None:
        """Have the child tell this clock what each case takes."""
        inputs_of, look, named = child._inputs, probing.observe, [""]

        def inputs(case: Any) -> Any:
            named[0] = case.path
            return inputs_of(case)

        def observe(*args: Any, **options: Any) -> Any:
            begun, within = time.process_time(), self._within_cases
            answer = look(*args, **options)
            seconds = time.process_time() - begun
            self.stages[FORWARD] += seconds - (self._within_cases - within)
            self.cases[named[0]] = seconds
            return answer

        vars(child).update(_inputs=inputs, observe=observe)

    @property
    def _within_cases(self) -> float:
        return self.stages["backward"] + self.stages["inputs copied, outputs read"]


def run_alone(clock: Clock, exam: Exam, submission: Submission, together: bool) -> Answers:
    """Let a submission sit in children that tell what they do; return its answers, and add the host's own time to the clock.

    together: whether all parts sit in one child, as they do where all is right, or each in one of its own, as where all are wrong.
    """
    answers = Answers(submission.name)
    asked = {part.name: frozenset(step.name for step in part.steps) for part in exam.syllabus.parts}
    cases = {part: exam.paper.of(part, steps) for part, steps in asked.items()}
    begun = time.process_time()
    jobs = {part: _job(submission, part) for part in asked}
    clock.stages["jobs written by the host"] = time.process_time() - begun
    judges = read_course(ROOT).own_judges()
    frames: dict[str, list[Frame]] = {}
    for parts in [[*asked]] if together else [[part] for part in asked]:
        work = functools.partial(_do_jobs, jobs, {part: cases[part] for part in parts})
        came, told, spent = in_child(work, clock)
        frames |= came
        for stage, seconds in told.stages.items():
            clock.stages[stage] += seconds
        clock.stages[FORKS] += spent - sum(told.stages.values())
        clock.cases |= told.cases
    begun = time.process_time()
    for part, steps in asked.items():
        found = answers.parts[part] = PartAnswers(part, steps)
        for kind, body in frames[part]:
            if kind == Kind.LOADED:
                found.error, found.notes = decode_loaded(body)
            if kind == Kind.BEGIN:
                own = [case for case in cases[part] if case.step == body.decode()]
            if kind == Kind.ANSWERS:
                found.answers |= answers_to(own, body, exam.key.named, judges)
    clock.stages["answers read by the host"] = time.process_time() - begun
    return answers


def _job(submission: Submission, part: str) -> bytes:
    modules = to_plain(submission.code_of(part))
    return encode({"course": str(ROOT), "part": part, "modules": modules, "trace": None, "texts": []})


def _do_jobs(jobs: Mapping[str, bytes], cases: Mapping[str, tuple[PaperCase, ...]]) -> dict[str, list[Frame]]:
    printer = child.Printer(lambda *_: None)
    return {part: list(child.do_job(jobs[part], _frame(own), printer)) for part, own in cases.items()}


@functools.cache
def _frame(cases: tuple[PaperCase, ...]) -> bytes:
    return codec.encode(Paper(cases))


def in_child(work: Callable[[], Any], clock: Clock) -> tuple[Any, Clock, float]:
    """Work in a fork of this process. Return the result, the child's own clock, and the seconds that it and the fork took in all."""
    receiving, sending = os.pipe()
    begun = time.process_time()
    pid = os.fork()
    if pid == 0:
        gc.disable()
        clock.stages.clear()
        clock.cases.clear()
        result = work()
        with open(sending, "wb") as pipe:
            pickle.dump((result, dict(clock.stages), clock.cases), pipe)
        os._exit(0)
    forking = time.process_time() - begun
    os.close(sending)
    with open(receiving, "rb") as pipe:
        result, stages, cases = pickle.load(pipe)  # of a child that runs the solutions
    used = os.wait4(pid, 0)[2]
    return result, Clock(defaultdict(float, stages), cases), forking + used.ru_utime + used.ru_stime


def show_where_time_goes(exam: Exam, workspace: Workspace, submissions: Mapping[str, Submission]) -> None:
    """Print the processor time of one submission by stage, and of its dearest cases."""
    relations = workspace.course.own_relations()
    warm_up(str(ROOT))
    clock = Clock()
    for stage, functions in STAGES.items():
        for owner, name in functions:
            clock.time(owner, name, stage)
    clock.time_cases()
    gc.collect()
    linux.use_large_pages(map(id, gc.get_objects()))  # as the forker of a class does
    gc.freeze()
    gc.disable()
    taken: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in submissions}
    dear: dict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        for name, submission in submissions.items():
            clock.stages.clear()
            clock.cases.clear()
            answers = run_alone(clock, exam, submission, together=name == "right")
            begun = time.process_time()
            mark(exam, answers, submission, relations)
            clock.stages["marking"] = time.process_time() - begun
            taken[name]["all"].append(sum(clock.stages.values()))
            taken[name][BARE].append(sum(in_child(lambda: None, clock)[2] for _ in exam.syllabus.parts))
            for stage, seconds in clock.stages.items():
                taken[name][stage].append(seconds)
            if name == "right":
                for path, seconds in clock.cases.items():
                    dear[path].append(seconds)
    print(f"where the processor time of one submission goes, in ms: median (least) of {ROUNDS}")
    print(f"  {'':<30}{''.join(f'{name:>20}' for name in submissions)}")
    for stage in taken["right"]:
        shown = "".join(f"{_in_milliseconds(taken[name][stage]):>20}" for name in submissions)
        print(f"  {stage:<30}{shown}")
    for name, stages in taken.items():
        ratio = statistics.median(stages["all"]) / statistics.median(stages[BARE])
        print(f"  {name}: {ratio:.1f} times the bare forks (aim: 4)")
    print(f"the {DEAREST} dearest of {len(dear)} cases, forward and backward, in ms")
    for path in sorted(dear, key=lambda path: -statistics.median(dear[path]))[:DEAREST]:
        print(f"  {_in_milliseconds(dear[path]):>16}  {path}")


def _in_milliseconds(seconds: Sequence[float]) -> str:
    return f"{1000 * statistics.median(seconds):.1f} ({1000 * min(seconds):6.1f})"


def private_kilobytes(pid: int) -> int:
    """Return the memory that a process shares with no other, in kB; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def largest_child(parent: int, stop: threading.Event) -> list[int]:
    """Watch the children of a process until told to stop; return the private memory of each look at one."""
    seen = []
    while not stop.is_set():
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split()
        except OSError:
            break
        seen += [private_kilobytes(int(child)) for child in children]
        time.sleep(0.001)
    return seen


def main() -> None:
    """Let the solutions sit the practice exam again and again."""
    words = argparse.ArgumentParser()
    words.add_argument("--where", action="store_true", help="only where the processor time goes")
    where = words.parse_args().where
    print(describe_machine())
    workspace = Workspace(ROOT)
    exam = read_exam(workspace.practice_exam)
    wanted = {part.name: frozenset(step.name for step in part.steps) for part in exam.syllabus.parts}
    submission = read_folder(workspace.solutions, wanted)
    if where:
        wrong = {name: Source.module(f"{name}.py", text) for name, text in texts(workspace, exam, 1).items()}
        show_where_time_goes(exam, workspace, {"right": submission, "wrong": Submission("wrong", wrong)})
        return
    relations = workspace.course.own_relations()
    forker = Runner(ROOT, Server)
    run(forker, submission, exam.syllabus, exam.paper, wanted, is_right=exam.key.is_right)
    sittings: dict[float, list[float]] = {0.0: [], 0.1: []}
    at_once, markings = [], []
    for pause, seconds in sittings.items():
        for _ in range(RUNS):
            time.sleep(pause)
            begun = time.perf_counter()
            answers = run(forker, submission, exam.syllabus, exam.paper, wanted, is_right=exam.key.is_right)
            middle = time.perf_counter()
            assert mark(exam, answers, submission, relations).passed
            seconds.append(middle - begun)
            at_once.append(time.perf_counter() - middle)
    for _ in range(RUNS):
        begun = time.perf_counter()
        mark(exam, answers, submission, relations)
        markings.append(time.perf_counter() - begun)
    by_part: dict[str, list[float]] = {name: [] for name in wanted}
    for _ in range(RUNS):
        for name, seconds in by_part.items():
            begun = time.perf_counter()
            run(forker, submission, exam.syllabus, exam.paper, {name: wanted[name]})
            seconds.append(time.perf_counter() - begun)
    stop, seen = threading.Event(), []
    pid = forker.process.pid
    thread = threading.Thread(target=lambda: seen.extend(largest_child(pid, stop)))
    thread.start()
    for _ in range(RUNS):
        run(forker, submission, exam.syllabus, exam.paper, wanted, is_right=exam.key.is_right)
    stop.set()
    thread.join()
    forker.close()
    worker = open_worker(ROOT)
    run(worker, submission, exam.syllabus, exam.paper, wanted)
    reused = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        run(worker, submission, exam.syllabus, exam.paper, wanted)
        reused.append(time.perf_counter() - begun)
    worker.close()
    print(f"{len(exam.paper.cases)} cases in all parts, which sit in one forked child")
    report("all parts, one sitting after the other", sittings[0.0], "aim: 200")
    report("all parts, 0.1 s after the last sitting", sittings[0.1], "aim: 200")
    for name, seconds in by_part.items():
        report(f"{name} alone", seconds)
    report("marking them", markings, "aim: 20")
    report("marking them at once", at_once)
    report("all parts in a warm spawned worker", reused)
    print(f"memory of a child beyond the forker's: at most {max(seen) / 1024:.1f} MB of {len(seen)} looks (aim: 30)")


if __name__ == "__main__":
    main()
