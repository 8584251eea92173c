"""`attn release`: make releases for students, notebooks for nbgrader, and autograders for other platforms."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path

import click

from autograder.atomic_write import atomic_write, write_output
from autograder.cli.class_exam import CLASS_EXAM, OWNERS, open_class_exam
from autograder.cli.context import Refusal, Stop, leave, print_lines, solutions_of, write_folder
from autograder.cli.options import FOLDER, PATH, exam_option, in_course, out_option, part_option
from autograder.exam.syllabus import by_part
from autograder.render.screen import make_console
from autograder.student.targets import find_steps, syllabus_of
from autograder.workspace import Workspace

REPLACED = "replaced"
"""The folder for replaced notebooks. It is not in source/: nbgrader gives students all files there."""

site_option = click.option(
    "--site",
    default="",
    metavar="URL",
    help="Where the lectures are published; the notebooks link to them, and `attn show --lecture` opens them.",
)


@click.command("release --for nbgrader")
@out_option(type=FOLDER, help="The course directory.")
@exam_option(help="The exam that the hidden tests use; by default, one from a random seed.")
@site_option
@click.option("--force", is_flag=True, help="Replace notebooks that were changed by hand.")
@in_course
def notebooks(workspace: Workspace, out: Path, exam_path: Path | None, site: str, force: bool) -> None:
    """Make a course directory for nbgrader: one assignment per part, with hidden tests on their own exam.

    A second run replaces what nobody has changed; what was changed by hand is kept, unless forced.
    """
    solutions_of(workspace)
    from autograder.authoring.course_directory import CONFIG_FILE, files_of, site_of
    from autograder.classroom.results import keep_out_of_git

    out.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(out)
    with make_console(stderr=True).status("making the notebooks and their exam …"):
        exam, content = out / CLASS_EXAM, open_class_exam(workspace, exam_path, out)[1]
        if exam.exists() and exam.read_bytes() != content:
            raise Stop(f"{exam} is another exam: move it away first if hidden tests are to use this one from now on.")
        atomic_write(exam, content, OWNERS)
        links = site or site_of(out) or workspace.course.site
        changed = _write(out, files_of(workspace, syllabus_of(workspace), links), force)
    done = f"replaced; as it was: {out / REPLACED}" if force else "kept; --force replaces it"
    print_lines(f"{out}: {CONFIG_FILE}, {CLASS_EXAM}, source/")
    for path in changed:
        print_lines(f"{path}, changed by hand, is {done}")
    leave(1 if changed and not force else 0)


def _write(folder: Path, files: Mapping[str, str], force: bool) -> list[Path]:
    """Write notebooks, and settings if there are none. Return the notebooks that were changed by hand.

    Changed notebooks stay. With `force`, they are moved to the folder REPLACED, and written again.
    """
    from autograder.authoring.course_directory import changed_by_hand

    changed = []
    for name, text in files.items():
        path = folder / name
        if path.suffix == ".py" and path.exists():  # the instructor's settings stay
            continue
        if path.exists() and changed_by_hand(path.read_text(encoding="utf-8")):
            changed.append(path)
            if not force:
                continue
            (folder / REPLACED).mkdir(exist_ok=True)
            path.replace(folder / REPLACED / path.name)
        write_output(path, text.encode())
    return changed


@click.command()
@out_option(type=PATH, help="The release: a new folder, or a zip such as `week1.zip`.")
@part_option(help="Release this part alone; may be given several times.")
@site_option
@click.option(
    "--with-site",
    "built",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The folder of a site built without solutions: `attn show --lecture` opens its pages offline.",
)
@click.option("--for", type=click.Choice(["students"]), expose_value=False, help="Whom it is for: see below.")
@click.option("--wheel", is_flag=True, help="Make a wheel in the folder --out: students install it with pip.")
@in_course
def release(
    workspace: Workspace, out: Path, parts: tuple[str, ...], site: str, built: Path | None, wheel: bool
) -> None:
    """Make the course as students get it: stubs, notebooks, the practice exam and the grader; no solutions, no other exam.

    For weekly hand-outs name all parts so far: `attn update` takes a release into the folder of an earlier one.
    """
    solutions_of(workspace)
    from autograder.authoring.release import files_of, zipped
    from autograder.authoring.sync import check

    with make_console(stderr=True).status("making the release …"):
        if drifted := [product.path for product in check(workspace) if product.problem]:
            raise Refusal(f"{drifted[0]} differs from what the source makes: `attn build` first, then release.")
        syllabus = syllabus_of(workspace)
        wanted = by_part(find_steps(syllabus, parts))
        released = replace(syllabus, parts=tuple(part for part in syllabus.parts if part.name in wanted))
        files = files_of(workspace, released, site, built)
    if wheel:
        from autograder.authoring.wheel import build_wheel

        course = workspace.course
        made = build_wheel(files, course.release.wheel or course.id, out)
        return print_lines(f"{made}: try it in a fresh environment, pip install {made}")
    if out.suffix.lower() == ".zip":
        write_output(out, zipped({f"{out.stem}/{path}": content for path, content in files.items()}))
    else:
        write_folder(out, files)
    print_lines(f"{out}: {len(files)} files. Try it: its README says how.")


@click.command("release --for gradescope")
@exam_option(help="The exam to mark with.", required=True)
@part_option(help="The assignment asks for this part; may be given several times.")
@out_option(type=PATH, help="gradescope: a zip. classroom50: a folder.")
@in_course
def gradescope(workspace: Workspace, exam_path: Path, parts: tuple[str, ...], out: Path) -> None:
    """Make the autograder of an assignment on another platform. It holds the exam's key: keep it from students."""
    from autograder.authoring.autograders import for_classroom50, for_gradescope

    exam, content = open_class_exam(workspace, exam_path, out)
    names = list(by_part(find_steps(exam.syllabus, parts)))
    if click.get_current_context().info_name == classroom50.name:
        write_folder(out, for_classroom50(workspace, names, content))
    else:
        write_output(out, for_gradescope(workspace, names, content))
    print_lines(f"{out}: marks {', '.join(names)}")


classroom50 = copy(gradescope)
classroom50.name = "release --for classroom50"
