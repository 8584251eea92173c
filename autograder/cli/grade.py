"""`attn grade`: mark a class."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from rich.progress import Progress

from autograder.atomic_write import atomic_write
from autograder.classroom import executors
from autograder.classroom.adjustments import FILE, note_judged
from autograder.classroom.attempts import read_handed_in
from autograder.classroom.batch import Batch
from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.class_marks import NoMarks, handed_in, read_class
from autograder.classroom.exports.csv_table import to_csv
from autograder.classroom.grader import Conditions
from autograder.classroom.people import ROSTER, People, entry_finder, people_in, refuse_two_of_one
from autograder.classroom.results import Results
from autograder.cli.class_exam import open_class_exam
from autograder.cli.context import Refusal, Stop, leave, listed, print_lines
from autograder.cli.export import adjustments_option, grades_of, open_class
from autograder.cli.options import FOLDER, PATH, exam_option, in_course, limit_options, out_option, part_option
from autograder.cli.summary import show_lines, show_marked, show_moves, show_summary
from autograder.exam.syllabus import Syllabus, by_part
from autograder.render.screen import make_console, say_error
from autograder.runner.processes import CannotRun
from autograder.sandbox import FULL, LEVELS, NONE
from autograder.sandbox.levels import missing_of, shown_by
from autograder.student.targets import find_steps, syllabus_of
from autograder.workspace import Workspace

NOT_ALL_MARKED = 1
NEEDS_A_LOOK = 3
INTERRUPTED = 130


@click.command()
@click.argument("submissions", type=PATH)
@out_option(type=FOLDER, help="The folder of results.")
@exam_option(help="Mark with this exam. Without it one is set from a random seed and kept in the folder of results.")
@part_option(help="Mark only this part; may be given several times.")
@click.option(
    "--student",
    "students",
    multiple=True,
    metavar="NAME",
    help="Mark only this student; may be given several times. Everybody else's marks stay as they are.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Graders that work at the same time.  [default: one per core]",
)
@click.option("--dask", "address", metavar="ADDRESS", help="Mark on the Dask cluster of this scheduler.")
@click.option(
    "--gradebook",
    metavar="FILE or URL",
    help="Write the marks into nbgrader's gradebook: an SQLite file, or a database such as postgresql+psycopg://HOST/NAME.",
)
@click.option("--compare", "older", type=FOLDER, metavar="OLD", help="Show whose marks changed since, and why.")
@adjustments_option
@click.option("--force", is_flag=True, help="Mark again what is marked already.")
@click.option(
    "--sandbox",
    type=click.Choice(LEVELS),
    default=FULL,
    show_default=True,
    help="How students' code is confined; `attn doctor` says what this machine supports.",
)
@limit_options(causes="quick")
@in_course
def grade(
    workspace: Workspace,
    submissions: Path,
    out: Path,
    exam_path: Path | None,
    parts: tuple[str, ...],
    students: tuple[str, ...],
    jobs: int | None,
    address: str | None,
    gradebook: str | None,
    older: Path | None,
    adjusted_in: Path | None,
    force: bool,
    sandbox: str,
    timeout: float,
    seconds: float,
) -> None:
    """Mark a class: a folder with a folder, a zip or a file for each student, or nbgrader's submitted/.

    What has marks already is not marked again, so a stopped run resumes where it was. Exit code 0 when all have marks, 1 when
    this machine or the grader kept some from being marked, 3 when somebody must act on some or check them, 2 on a usage error.
    """
    folder = read_class_folder(submissions, {part.name for part in syllabus_of(workspace).parts})
    if out.resolve().is_relative_to(submissions.resolve()):
        raise Stop(f"{out} is in {submissions}, where it would count as a student: choose a folder beside it.")
    if not address:
        _require_sandbox(sandbox)
        _refuse_what_submissions_read(workspace, submissions, out, exam_path, sandbox)
    people = people_in(submissions)
    refuse_two_of_one(people, [entry.student for entry in folder.entries], "the entries")
    entry_of = entry_finder(people, [entry.student for entry in folder.entries])
    wanted = {name: entry_of(name) for name in students}
    if missing := [name for name, found in wanted.items() if not found]:
        raise Stop(f"the class folder has no entry of {missing[0]}.")
    chosen = tuple(entry for entry in folder.entries if not students or entry.student in wanted.values())
    marked = replace(folder, entries=chosen)
    if gradebook:
        from autograder.classroom.gradebook import transaction  # needs nbgrader, which not everybody has

        with transaction(gradebook):  # a bad gradebook is refused now, not after an hour
            pass
    results = Results(out)
    if people.all:
        atomic_write(out / ROSTER, (submissions / ROSTER).read_bytes())
    exam, content = open_class_exam(workspace, exam_path, out)
    before = open_class(older, exam.syllabus) if older else None
    if note_judged(out, exam.syllabus, adjusted_in, older):
        print_lines(f"{out / FILE}: your decisions, taken over from {older}")
    asked = tuple(by_part(find_steps(exam.syllabus, parts)))
    conditions = Conditions(workspace.root, content, asked, sandbox, timeout, seconds)
    start = partial(executors.dask_graders, address) if address else partial(executors.local_graders, jobs)
    stopped: BaseException | None = None
    console = make_console(stderr=True)
    bar = Progress(console=console, disable=not console.is_terminal)
    task = bar.add_task("marking", total=len(marked.entries))
    rows = read_handed_in(submissions)
    batch = Batch(marked, results, exam, asked, force, lambda done: bar.update(task, completed=done), rows)
    try:
        with bar:
            batch.run(conditions, start)
    except (CannotRun, OSError, KeyboardInterrupt) as error:
        stopped = error
    grades = None
    with suppress(NoMarks):
        grades = grades_of(workspace, out, read_class(out, exam.syllabus), adjusted_in)
        atomic_write(results.summary, to_csv(grades))
    if stopped:
        interrupted = isinstance(stopped, KeyboardInterrupt)
        count = f"{len(batch.done)} of {len(marked.entries)} have marks"
        say_error(f"{'Stopped:' if interrupted else stopped} {count}. The same command resumes from here.")
        leave(INTERRUPTED if interrupted else NOT_ALL_MARKED)
    show_marked(batch, folder, people)
    needs_a_look = show_summary(grades, batch.done, results.summary) if grades else False
    if gradebook:
        _keep(gradebook, submissions, batch, people, exam.syllabus)
    if before and older:
        show_moves(before, older, open_class(out, exam.syllabus), out)
    show_lines("Not marked. To try again, run the same command", batch.unmarked.items(), stderr=True)
    leave(NOT_ALL_MARKED if batch.unmarked else NEEDS_A_LOOK if needs_a_look else 0)


def _keep(gradebook: str, submissions: Path, batch: Batch, people: People, syllabus: Syllabus) -> None:
    """Write the marks of a batch into the gradebook. In a course directory, also write marked notebooks.

    Print what was written, who was late and by how much, and which notebooks were left out.
    """
    from autograder.classroom.gradebook import CONFIG, CannotKeep, copied, read_policy, shown, write
    from autograder.classroom.nbgrader_notebooks import write_autograded

    place = submissions.resolve()
    course = place.parent if place.name == "submitted" and (place.parent / CONFIG).is_file() else None
    results, files = batch.results, batch.done.values()
    counted = handed_in(results.read(files))
    parts = [part for part in syllabus.parts if part.name in counted]
    with make_console(stderr=True).status("writing the gradebook …"):
        try:
            policy = read_policy(course) if course else None
            copied(gradebook, results.superseded)
            written = write(gradebook, results.read(files), parts, policy, people)
        except CannotKeep as error:
            kept = f"The marks are in {results.marks}. To write them into the gradebook, run the same command again."
            raise Refusal(f"{error}\n{kept}") from error
        left_out = write_autograded(course, batch.folder.entries, results.read(files), syllabus) if course else {}
    lines = [f"\ngradebook: {shown(gradebook)}, {written.submissions} submissions of parts"]
    if written.waiting:
        lines.append(
            f"scores by hand are missing, or were given for other work: {listed(written.waiting)}. See formgrader"
        )
    why = "not handed in as a readable notebook, or not in release/"
    lines += [f"{part} was not written into autograded/ for {listed(names)}: {why}" for part, names in left_out.items()]
    print_lines(*lines)
    show_lines("Late", written.late)


def _require_sandbox(level: str) -> None:
    """Raise Refusal if this machine lacks layers of the sandbox. The message says how to get them."""
    if missing := missing_of(level):
        below = LEVELS[LEVELS.index(level) + 1 :]
        lower = next(one for one in below if one == NONE or not missing_of(one))
        at_risk = ". Submissions can then read and delete your files" if lower == NONE else ""
        lines = [f"the sandbox `{level}` is not complete on this machine, so nothing was run:"]
        lines += [f"  {layer.name}: {layer.missing}. To get it: {layer.advice}" for layer in missing]
        raise Refusal("\n".join([*lines, f"With less protection: --sandbox {lower}{at_risk}."]))


def _refuse_what_submissions_read(
    workspace: Workspace, submissions: Path, out: Path, exam: Path | None, sandbox: str
) -> None:
    """Raise Refusal if the sandbox lets submissions read a secret, such as an exam in /usr."""
    kept = {"the solutions": workspace.solutions, "the class": submissions, "the results": out, "the exam": exam or out}
    for name, path in kept.items() if sandbox != NONE else ():
        if shown := shown_by(workspace.root, path):
            raise Refusal(
                f"submissions could read {name} in {path}, so nothing was run: the sandbox lets them read {shown}. Move "
                "the folder out of it, or make Python's environment elsewhere."
            )
