"""`attn similar`: submissions that are alike. Its imports come after the command line is parsed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.context import Stop, in_course, syllabus_of
from autograder.workspace import Workspace

if TYPE_CHECKING:
    from rich.table import Table

    from autograder.classroom.similarity.compare import Pair, Similarity, Unread
    from autograder.classroom.similarity.page import HandedIn
    from autograder.classroom.similarity.work import Known
    from autograder.exam.syllabus import Syllabus
    from autograder.submission.model import Source

SOLUTIONS = "solutions/"
IN_SOLUTIONS = f"in {SOLUTIONS}"
MOST_TOLD = 20
"""Pairs that are shown, of those beyond chance and of the closest others each."""
MOST_STEPS = 3
MOST_WORDING = 2
LONGEST = 40


@click.command()
@click.argument("classes", metavar="CLASS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A page of the pairs, with their code side by side.",
)
@click.option(
    "--earlier",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="An earlier class to compare with; may be given several times.",
)
@in_course
def similar(workspace: Workspace, classes: tuple[Path, ...], out: Path | None, earlier: tuple[Path, ...]) -> None:
    """Submissions that are alike: to each other, to the course's solutions, to earlier classes.

    CLASS is a folder with one entry per student, as for `attn grade`. Nobody's code is run. Pairs are told that compute alike, whatever the
    names, the layout, the comments and the order of independent statements; and pairs that share comments, names and lines that are rare
    in the class. What everybody was given does not count.
    """
    from autograder.classroom.similarity.compare import compare
    from autograder.classroom.similarity.work import compared, given_code, known_ways, reading_many
    from autograder.render.screen import say_error
    from autograder.submission.model import Submission
    from autograder.submission.reading import read_hand_in

    if out and out.suffix.lower() not in (".html", ".htm"):
        raise Stop(f"{out} would be a page: give a name that ends in .html.")
    syllabus = syllabus_of(workspace)
    given = given_code(syllabus, _pages(workspace))
    own, before = _entries(classes, syllabus, named=len(classes) > 1), _entries(earlier, syllabus, named=True)

    def handed_in(name: str) -> Submission:
        if name == SOLUTIONS:
            return Submission(name, _solutions(workspace, syllabus))
        return replace(read_hand_in({**before, **own}[name], name, syllabus.parts), name=name)

    with reading_many():
        people = [compared(handed_in(name), syllabus, given) for name in own]
        others = [compared(handed_in(name), syllabus, given) for name in (SOLUTIONS, *before)]
    if unread := [one.name for one in people if not one.steps]:
        names = ", ".join(unread[:MOST_TOLD])
        say_error(f"{len(unread)} of {len(people)} have nothing that can be compared: {names}.")
    known = known_ways(_known(workspace, syllabus), syllabus, given)
    similarity = compare(people, [one for one in others if one.steps], syllabus, known)
    _show(similarity, handed_in)
    if out:
        _write(similarity, handed_in, syllabus, out)


def _entries(folders: tuple[Path, ...], syllabus: Syllabus, named: bool) -> dict[str, Path]:
    """Return what each student handed in. named: whether names begin with that of the folder."""
    from autograder.classroom.class_folder import read_class_folder

    parts = [part.name for part in syllabus.parts]
    entries: dict[str, Path] = {}
    for folder in folders:
        if (folder / "marks").is_dir():
            raise Stop(f"{folder} holds marks, not what was handed in: give the class folder that was marked.")
        for entry in read_class_folder(folder, parts).entries:
            name = f"{folder.name}/{entry.student}" if named else entry.student
            if name in entries:
                raise Stop(
                    f"two of the folders are called {folder.name}: rename one, so that students can be told apart."
                )
            entries[name] = entry.path
    return entries


def _solutions(workspace: Workspace, syllabus: Syllabus) -> dict[str, Source]:
    """Return the course's own solutions; none where they are not shipped."""
    from autograder.submission.model import Source

    paths = {part.name: workspace.course.solution(part.name) for part in syllabus.parts}
    return {
        name: Source.module(f"solutions/{path.name}", path.read_text(encoding="utf-8"))
        for name, path in paths.items()
        if path.is_file()
    }


def _known(workspace: Workspace, syllabus: Syllabus) -> Iterator[Known]:
    """Yield the right ways that the course knows: the solutions, and the alternatives to them."""
    from autograder.authoring import alternatives
    from autograder.classroom.similarity.work import Known

    for name, source in _solutions(workspace, syllabus).items():
        for step in syllabus.part(name).steps:
            yield Known(step.path, IN_SOLUTIONS, source.text)
    for part in syllabus.parts:
        steps = {step.name for step in part.steps}
        for one in alternatives.read(part.name, workspace.root / "course" / part.name / "alternatives.py"):
            if one.step in steps:
                yield Known(f"{one.part}.{one.step}", f"the alternative “{one.label}”", one.text)


def _pages(workspace: Workspace) -> list[str]:
    """Return the text of the pages that students have."""
    paths = {path for pattern in workspace.course.release.pages for path in workspace.root.glob(pattern)}
    return [path.read_text(encoding="utf-8") for path in sorted(paths)]


def _show(similarity: Similarity, handed_in: HandedIn) -> None:
    """Print who is as in the solutions, which other pairs are beyond chance, which are closest but for these, and where likeness means nothing."""
    from autograder.render.screen import make_console

    console = make_console()
    found = [pair for pair in similarity.pairs if pair.beyond_chance]
    as_solutions = {pair.one for pair in found if pair.other == SOLUTIONS}
    others = [pair for pair in similarity.pairs if pair.other != SOLUTIONS]
    beyond = [pair for pair in others if pair.beyond_chance and not {pair.one, pair.other} <= as_solutions]
    of_all = f"Of {similarity.compared} submissions"
    if beyond:
        more = f", {MOST_TOLD} of them below" if len(beyond) > MOST_TOLD else ""
        console.print(f"{of_all} {_pairs(beyond)} more alike than chance makes them{more}.")
        console.print(_table(beyond[:MOST_TOLD], handed_in))
    else:
        console.print(f"{of_all} no two are more alike than chance makes them.")
    if closest := [pair for pair in others if not pair.beyond_chance][:MOST_TOLD]:
        console.print("The closest of the others, as chance may make them, too:")
        console.print(_table(closest, handed_in))
    if similarity.unread:
        console.print("Work that was not compared, or not all of it. Look at it yourself:")
        console.print(_unread(similarity.unread))
    lines = []
    if as_solutions:
        lines.append(f"As {IN_SOLUTIONS}, more than chance makes them: {', '.join(sorted(as_solutions))}.")
    if nothing := [step.step.rpartition(".")[2] for step in similarity.steps if not step.can_tell]:
        lines.append(
            f"Likeness means nothing in {len(nothing)} of {len(similarity.steps)} steps: {', '.join(nothing)}."
        )
    least = f"From {similarity.threshold:.0f} doublings on a pair is beyond chance."
    for line in (*lines, f"{least} Likeness is no proof: it says whom to talk to."):
        console.print(line, markup=False)


def _pairs(pairs: Sequence[Pair]) -> str:
    return f"{len(pairs)} pairs are" if len(pairs) != 1 else "1 pair is"


def _unread(rows: Sequence[Unread]) -> Table:
    """Return a table of what was not compared, and why."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("submission", "not compared", "why"):
        table.add_column(heading, overflow="fold")
    for row in rows[:MOST_TOLD]:
        table.add_row(*map(Text, (row.name, _some(row.steps), row.reason)))
    if len(rows) > MOST_TOLD:
        table.add_row(f"and {len(rows) - MOST_TOLD} more, all on the page of --out")
    return table


def _some(steps: Sequence[str]) -> str:
    more = f" and {len(steps) - MOST_STEPS} more" if len(steps) > MOST_STEPS else ""
    return ", ".join(steps[:MOST_STEPS]) + more


def _table(pairs: Sequence[Pair], handed_in: HandedIn) -> Table:
    """Return a table of pairs: how rare what they compute and how they word it is, in doublings, and what both have."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=bool(pairs))
    for heading in ("pair", "", "computed", "worded", "alike in"):  # a column a name: a comma may be in one
        table.add_column(heading, justify="right" if heading.endswith("ed") else "left")
    for pair in pairs:
        numbers = f"{pair.computed:.0f}", f"{pair.worded:.0f}"
        table.add_row(*map(Text, (pair.one, pair.other, *numbers, _alike_in(pair, handed_in))))
    return table


def _alike_in(pair: Pair, handed_in: HandedIn) -> str:
    """Name the steps and the wording that tell most of a pair."""
    from autograder.classroom.similarity.wording import in_words

    steps = f"{len(pair.steps)} step{'s' if len(pair.steps) != 1 else ''}"
    named = [f"{one.step.rpartition('.')[2]}{f' (as {one.known})' if one.known else ''}" for one in pair.steps]
    told = [": ".join(filter(None, (steps, ", ".join(named[:MOST_STEPS]))))]
    wording = in_words(pair.wording, (source.text for source in handed_in(pair.one).modules.values()))
    told += [textwrap.shorten(one, LONGEST, placeholder="…") for one in wording[:MOST_WORDING]]
    return "; ".join(told)


def _write(similarity: Similarity, handed_in: HandedIn, syllabus: Syllabus, out: Path) -> None:
    try:
        from autograder.classroom.similarity.page import page_of
    except ModuleNotFoundError as error:
        raise Stop(f"this needs {error.name}: python -m pip install -e '.[instructor]' installs it.") from error
    from autograder.atomic_write import write_where_told

    try:
        write_where_told(out, page_of(similarity, handed_in, syllabus).encode())
    except OSError as error:
        raise Stop(f"{error.filename or out} could not be written: {error.strerror}.") from error


VERBS = (similar,)
