"""A class on a Dask cluster of this machine, whose workers are killed again and again and whose scheduler is killed once.

Run: python benchmarks/cluster.py [--submissions N] [--workers W] [--kill-every K]. Linux alone. Scheduler and workers are started as
the guide to clusters says, and started again as a service manager does it; the command that marks is run again where it says so.
Then: has each submission exactly one mark, the same as on one machine; what a submission costs, beside `attn grade` on one machine;
and whether the memory of every process stays. The exit code is 1 where something was lost, done twice or marked otherwise.

Causes of wrong steps are not searched for: that takes as long as it is given. Costs are processor time, so that they can be measured on
a machine that others use, too. What a cluster takes every second, whatever it marks, is measured beforehand.
"""

import argparse
import contextlib
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from exactly_once import Outcome, differences, faults, outcome
from machine import describe_machine
from varied_class import write_class

from autograder.exam.build import build_exam
from autograder.exam.files import read_exam, write_exam
from autograder.grading.results import Marks, marks_from_json
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SEED = 7
COMPARED = 400
"""Submissions that are marked on one machine, too."""

AIM = 1.15
"""What a submission may cost on the cluster, as a multiple of what it costs on one machine."""

MARKED = (0, 3)
"""Exit codes of a command that has marked everybody."""

TIMEOUT = 60
"""Seconds a step may take, so that nobody is marked otherwise because the machine is busy."""

RUNS_AGAIN = 5
TICK = 0.5
SETTLED = 20.0
"""Seconds after a start or a kill in which processes get warm: what is spent in them is no cost of a submission."""

START = 300.0
REST = 20.0
"""Seconds in which a cluster that has nothing to do is watched."""

CLIENT, SCHEDULER, NANNY, GRADER, WARM = "attn grade", "scheduler", "nanny", "worker", "warm process"


@dataclass(frozen=True)
class Process:
    """A line of /proc. seconds: of processor time, with those of the children that it has waited for."""

    parent: int
    name: str
    begun: int
    seconds: float
    megabytes: float


Processes = Mapping[int, Process]


@dataclass(frozen=True)
class Sample:
    """How it stood at a moment. spent: processor seconds by role, of its processes with all that they have started.

    memory: megabytes by role and process, of those that live long.
    """

    at: float
    done: int
    spent: Mapping[str, float]
    memory: Mapping[tuple[str, int], float]


WITHOUT_PROFILER = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
"""As the guide to clusters says."""


@dataclass
class Service:
    """A program that is started again wherever it ends."""

    command: Sequence[object]
    log: Path
    process: "subprocess.Popen[bytes] | None" = None

    def keep_up(self) -> None:
        """Start it where it does not run."""
        if self.process and self.process.poll() is None:
            return
        with self.log.open("ab") as file:
            self.process = subprocess.Popen(
                list(map(str, self.command)), cwd=ROOT, env=os.environ | WITHOUT_PROFILER, stdout=file, stderr=file
            )

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    def end(self) -> None:
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Cluster:
    """A scheduler and workers, what happens to them while a class is marked, and what was seen of them."""

    def __init__(self, place: Path, workers: int, kill_workers_at: Sequence[int], kill_scheduler_at: int) -> None:
        self.place = place
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.samples: list[Sample] = []
        self.killed: Counter[str] = Counter()
        self._kill_workers_at = list(kill_workers_at)
        self._kill_scheduler_at = kill_scheduler_at
        dask, cores = BIN / "dask", sorted(os.sched_getaffinity(0))
        quiet = "--no-dashboard"
        self._scheduler = Service(
            [dask, "scheduler", "--host", "127.0.0.1", "--port", port, quiet], place / "scheduler.log"
        )
        self._workers = []
        for number in range(workers):
            on_a_core = [
                "taskset",
                "-c",
                cores[number % len(cores)],
                dask,
                "worker",
                self.address,
                "--nthreads",
                1,
                quiet,
            ]
            local = ["--local-directory", place / f"worker-{number}"]
            self._workers.append(Service([*on_a_core, *local], place / f"worker-{number}.log"))

    def rest(self) -> float:
        """Start all, and return the processor seconds that it takes a second while there is nothing to mark."""
        deadline = time.monotonic() + START
        while len(self._look().memory) < 1 + 2 * len(self._workers):
            if time.monotonic() > deadline:
                said = self._workers[0].log.read_text(encoding="utf-8")
                raise SystemExit(f"The workers have not started within {START:g} s. The first one said:\n{said}")
            time.sleep(TICK)
        time.sleep(SETTLED)
        first = self._look()
        time.sleep(REST)
        last = self._look()
        return (sum(last.spent.values()) - sum(first.spent.values())) / (last.at - first.at)

    def look_after(self, client: int, done: int) -> None:
        """Start what has ended, note how it stands, and kill what is due."""
        self.samples.append(self._look(client, done))
        if self._kill_scheduler_at and done >= self._kill_scheduler_at:
            self._kill_scheduler_at = 0
            self._kill(self._scheduler.pid, SCHEDULER)
        elif self._kill_workers_at and done >= self._kill_workers_at[0]:
            self._kill_a_worker()

    def _look(self, client: int = 0, done: int = 0) -> Sample:
        for service in (self._scheduler, *self._workers):
            service.keep_up()
        nannies = {service.pid: NANNY for service in self._workers}
        return look(done, {client: CLIENT, self._scheduler.pid: SCHEDULER} | nannies)

    def _kill_a_worker(self) -> None:
        """Kill one after the other: the process that marks, which its nanny starts again; the next time the nanny too."""
        number = self.killed[GRADER] + self.killed[NANNY]
        nanny = self._workers[number % len(self._workers)].pid
        for grader in graders_under(
            nanny, processes_now()
        ):  # if there is none, it starts just now: the next look kills it
            self._kill_workers_at.pop(0)
            role, pid = (NANNY, nanny) if number % 2 else (GRADER, grader)
            self._kill(pid, role)

    def _kill(self, pid: int, role: str) -> None:
        os.kill(pid, signal.SIGKILL)
        self.killed[role] += 1

    def end(self) -> None:
        for service in (*self._workers, self._scheduler):
            service.end()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def look(done: int, roots: Mapping[int, str]) -> Sample:
    """Note how it stands. roots: the roles of processes; what they have started is theirs."""
    processes = processes_now()
    spent, memory = dict.fromkeys(roots.values(), 0.0), {}
    for root, role in roots.items():
        if root not in processes:
            continue
        spent[role] += sum(processes[pid].seconds for pid in tree(root, processes))
        memory[role, root] = processes[root].megabytes
        for grader in graders_under(root, processes):
            memory[GRADER, grader] = processes[grader].megabytes
            if warm := warm_process_under(grader, processes):
                memory[WARM, warm] = processes[warm].megabytes
    return Sample(time.monotonic(), done, spent, memory)


def processes_now() -> Processes:
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE") / 2**20
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            head, _, rest = path.read_text(encoding="utf-8", errors="replace").rpartition(") ")
            pid, _, name = head.partition(" (")
            words = rest.split()
            seconds = sum(map(int, words[11:15])) / tick
            found[int(pid)] = Process(int(words[1]), name, int(words[19]), seconds, int(words[21]) * page)
    return found


def tree(root: int, processes: Processes) -> list[int]:
    """Return a process and all that it, and they, have started."""
    children: dict[int, list[int]] = {}
    for pid, process in processes.items():
        children.setdefault(process.parent, []).append(pid)
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return found


def graders_under(root: int, processes: Processes) -> list[int]:
    """Return the processes that mark: those that a nanny, or `attn grade` on one machine, has spawned."""
    found = []
    for pid, process in processes.items():
        with contextlib.suppress(OSError):  # it has ended
            if process.parent == root and b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def warm_process_under(grader: int, processes: Processes) -> int:
    """Return the process that forks one for each part, the oldest Python that a grader has started; 0 where there is none."""
    pythons = [pid for pid in tree(grader, processes)[1:] if processes[pid].name.startswith("python")]
    return min(pythons, key=lambda pid: processes[pid].begun, default=0)


def settled(samples: Sequence[Sample], everything: int) -> Iterator[list[Sample]]:
    """Yield the stretches with the same processes, without the time in which these get warm, nor that in which nothing is left to do."""
    for _, group in groupby(samples, key=lambda one: one.memory.keys()):
        same = list(group)
        warm = [one for one in same if one.at >= same[0].at + SETTLED and one.done < everything]
        if warm and warm[-1].done > warm[0].done:
            yield warm


@dataclass(frozen=True)
class Costs:
    """Of a submission: seconds of processor time by role, and of wall time; of how many."""

    spent: Mapping[str, float]
    wall: float
    submissions: int

    @property
    def total(self) -> float:
        return sum(self.spent.values())


def costs(samples: Sequence[Sample], everything: int) -> Costs:
    """Return what a submission costs once all is warm."""
    stretches = list(settled(samples, everything))
    if not stretches:
        raise SystemExit("Nothing was undisturbed for long enough to say what a submission costs: take more of them.")
    done = sum(some[-1].done - some[0].done for some in stretches)
    wall = sum(some[-1].at - some[0].at for some in stretches)
    roles = stretches[0][0].spent
    spent = {role: sum(some[-1].spent[role] - some[0].spent[role] for some in stretches) / done for role in roles}
    return Costs(spent, wall / done, done)


def grade(place: Path, out: Path, *options: object) -> "subprocess.Popen[bytes]":
    same = ("--exam", place / "class.exam", "--timeout", TIMEOUT, "--causes", "none")
    command = [BIN / "attn", "grade", place / "class", "--out", out, *same, *options]
    with (place / "grade.log").open("ab") as file:
        return subprocess.Popen(list(map(str, command)), cwd=ROOT, stdout=file, stderr=file)


def marks_in(out: Path) -> int:
    try:
        return sum(path.endswith(".json") for path in os.listdir(out / "marks"))
    except OSError:
        return 0


def mark_on_one_machine(place: Path, out: Path, names: Sequence[str], jobs: int) -> list[Sample]:
    """Mark these submissions with graders of this machine; return what was seen of them."""
    chosen = [word for name in names for word in ("--student", name)]
    client, samples = grade(place, out, "--jobs", jobs, *chosen), []
    while client.poll() is None:
        samples.append(look(marks_in(out), {client.pid: CLIENT}))
        time.sleep(TICK)
    if client.returncode not in MARKED:
        raise SystemExit(f"attn grade failed on one machine:\n{(place / 'grade.log').read_text(encoding='utf-8')}")
    return samples


def mark_on(cluster: Cluster, out: Path) -> int:
    """Mark the class on a cluster, as an operator who runs the command again where it says so; return how often it ran."""
    for runs in range(1, RUNS_AGAIN + 1):
        client = grade(cluster.place, out, "--dask", cluster.address)
        while client.poll() is None:
            cluster.look_after(client.pid, marks_in(out))
            time.sleep(TICK)
        if client.returncode in MARKED:
            return runs
    log = (cluster.place / "grade.log").read_text(encoding="utf-8")
    raise SystemExit(f"attn grade was run {RUNS_AGAIN} times and has not marked everybody:\n{log}")


def check(names: Sequence[str], out: Path, alone: Path, wanted: int) -> list[str]:
    """Return what was lost, done twice or marked otherwise than on one machine."""
    marked: list[str] = []
    steps: dict[str, int] = {}
    here: dict[str, Outcome] = {}
    there = {marks.submission: outcome(marks) for marks in map(read, (alone / "marks").glob("*.json"))}
    for marks in map(read, (out / "marks").glob("*.json")):
        marked.append(marks.submission)
        found = outcome(marks)
        steps[marks.submission] = len(found)
        if marks.submission in there:
            here[marks.submission] = found
    replaced = [path.name.partition(".")[0] for path in (out / "superseded").rglob("*.json")]
    return [*faults(names, marked, replaced, steps, wanted), *differences(here, there)]


def read(path: Path) -> Marks:
    return marks_from_json(path.read_bytes())


def on_its_own(cluster: Costs, workers: int, rest: float) -> float:
    """Return the seconds of a core that a submission takes where nobody else uses the machine.

    rest: seconds of processor time that the cluster takes a second, whatever it marks: on a busy machine a submission waits, and these
    add up meanwhile.
    """
    return (cluster.total - rest * cluster.wall) / (1 - rest / workers)


def show_costs(alone: Costs, cluster: Costs, workers: int, rest: float) -> None:
    named = {NANNY: "workers", SCHEDULER: "scheduler", CLIENT: "attn grade"}
    spread = ", ".join(f"{named[role]} {1000 * seconds:.1f}" for role, seconds in cluster.spent.items())
    on_own = on_its_own(cluster, workers, rest)
    print(f"\nprocessor time of a submission, once all is warm; load now {os.getloadavg()[0]:.1f}")
    for what, seconds, more in (
        ("one machine", alone.total, f"n={alone.submissions}, {1000 * alone.wall:.0f} ms of wall time"),
        ("cluster", cluster.total, f"n={cluster.submissions}, {1000 * cluster.wall:.0f} ms of wall time; {spread}"),
        ("cluster, alone", on_own, f"it takes {1000 * rest:.0f} ms a second, whatever it marks"),
    ):
        print(f"  {what:<15}{1000 * seconds:7.1f} ms   {1 / seconds:5.2f} a second of a core   {more}")
    print(f"  cluster, alone / one machine: {on_own / alone.total:.2f} (aim: {AIM:.2f})")


def show_memory(where: str, samples: Sequence[Sample]) -> None:
    """Print the memory of the process of each role that lived for most submissions, and how it grew after a fifth of them."""
    lives: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for sample in samples:
        for one, megabytes in sample.memory.items():
            lives.setdefault(one, []).append((sample.done, megabytes))
    print(
        f"\n{where + ', memory':<22}{'processes':>10}{'longest life':>14}{'first fifth':>13}{'last fifth':>12}{'a thousand more':>18}"
    )
    for role in (CLIENT, SCHEDULER, NANNY, GRADER, WARM):
        own = [seen for (name, _), seen in lives.items() if name == role and seen[-1][0] > seen[0][0]]
        if not own:
            continue
        longest = max(own, key=lambda seen: seen[-1][0] - seen[0][0])
        begun, ended = longest[0][0], longest[-1][0]
        fifth = (ended - begun) / 5
        warm = [(done, megabytes) for done, megabytes in longest if done > begun]
        early = [megabytes for done, megabytes in warm if done <= begun + fifth]
        late = [megabytes for done, megabytes in warm if done >= ended - fifth]
        settled = [(done, megabytes) for done, megabytes in warm if done > begun + fifth]
        if not early or not late or len({done for done, _ in settled}) < 2:
            print(f"{role:<22}{len(own):>10}{ended - begun:>14}")
            continue
        slope = 1000 * statistics.linear_regression(*zip(*settled, strict=True)).slope
        print(
            f"{role:<22}{len(own):>10}{ended - begun:>14}{statistics.median(early):>10.0f} MB"
            f"{statistics.median(late):>9.0f} MB{slope:>+15.1f} MB"
        )


def main() -> None:
    """Make a class, mark some of it on one machine and all of it on a cluster, and compare."""
    words = argparse.ArgumentParser()
    words.add_argument("--submissions", type=int, default=10_000)
    words.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    words.add_argument("--kill-every", type=int, default=1_000, help="marks after which a worker is killed")
    chosen = words.parse_args()
    workspace = Workspace(ROOT)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_exam(build_exam(workspace.course, seed=SEED), place / "class.exam")
        exam = read_exam(place / "class.exam")
        names = write_class(place / "class", chosen.submissions, workspace, exam)
        print(f"{describe_machine()}, load {os.getloadavg()[0]:.1f}")
        print(f"{len(names)} submissions of {len(exam.syllabus.parts)} parts, {chosen.workers} workers", flush=True)
        some = names[:: max(1, len(names) // COMPARED)][:COMPARED]
        alone = mark_on_one_machine(place, place / "alone", some, chosen.workers)
        kills = list(range(chosen.kill_every, len(names), chosen.kill_every))
        cluster = Cluster(place, chosen.workers, kills, len(names) // 4)
        try:
            rest = cluster.rest()
            begun = time.monotonic()
            runs = mark_on(cluster, place / "out")
        finally:
            cluster.end()
        killed = ", ".join(f"{role} {count} times" for role, count in cluster.killed.items())
        print(f"marked in {time.monotonic() - begun:.0f} s; killed: {killed}; `attn grade --dask` was run {runs} times")
        show_costs(costs(alone, len(some)), costs(cluster.samples, len(names)), chosen.workers, rest)
        show_memory("one machine", alone)
        show_memory("cluster", cluster.samples)
        wrong = check(names, place / "out", place / "alone", len(exam.syllabus.steps))
        if runs > 1 + cluster.killed[SCHEDULER]:
            wrong.append(
                f"the command had to be run {runs} times, and the scheduler was killed {cluster.killed[SCHEDULER]} times"
            )
        print(
            f"\n{len(names)} submissions, one mark each; {len(some)} are the same on one machine" if not wrong else ""
        )
        for sentence in wrong:
            print(sentence)
        if wrong:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
