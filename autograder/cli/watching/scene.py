"""What the screen shows, from top to bottom: what has just passed, the step at hand, its hints, and a bar at the bottom."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from autograder.cli.drawing import INDENT, Detail, count_points, draw_failure, draw_heading
from autograder.cli.editing import Location, place_named
from autograder.cli.screen import Signs
from autograder.cli.showing import draw_step_card
from autograder.cli.watching.place import Fared, changed_in
from autograder.exam.syllabus import Syllabus, SyllabusStep
from autograder.marking.marks import NOT_ATTEMPTED, PASSED, VERDICTS, Marks, PartMarks, StepMarks
from autograder.workspace import Workspace

DEAF = "This folder does not tell of saves (a network drive, a link?), so its files are looked at ten times a second."
KEYS = "h hint   s show   l list   r reset   d debug   q quit"
BAR = 40
MOST_PRINTED = 4
"""Lines of a student's own output: more of them would push the verdict out of a low window."""

TRIED = frozenset(VERDICTS) - {PASSED, NOT_ATTEMPTED, "missing"}
"""The verdicts of what a student has written and has to mend."""


@dataclass(frozen=True)
class Scene:
    """The state of the screen.

    step: the one at hand. passed: all steps that pass. told: what there is to say beside the verdict, such as a part that is
    complete. marks: the last ones, with the seconds that they took. card: whether the step's card is shown in place of its
    verdict. below: what a key asked for. deaf: whether files are looked at without being told of saves. keys: whether keys are
    read.
    """

    step: SyllabusStep
    passed: frozenset[str]
    told: tuple[Text, ...] = ()
    marks: Marks | None = None
    seconds: float = 0.0
    hints: int = 0
    card: bool = False
    below: tuple[RenderableType, ...] = ()
    deaf: bool = False
    keys: bool = True


@dataclass(frozen=True)
class Stage:
    """What all scenes of one watch share. steps: those that are watched."""

    workspace: Workspace
    syllabus: Syllabus
    steps: Sequence[SyllabusStep]
    signs: Signs = field(compare=False)

    def draw(self, scene: Scene, where: Location, detail: Detail) -> Iterator[RenderableType]:
        """Yield the whole screen."""
        yield from scene.told
        if scene.told:
            yield Text("")
        if scene.card:
            yield from draw_step_card(self.workspace, self.syllabus.part(scene.step.part), scene.step)
        else:
            yield from self._draw_step(scene, detail)
        if scene.hints == len(scene.step.hints):
            yield draw_all_hints(scene.step)
        for number in range(scene.hints):
            yield draw_hint(scene.step, number)
        if scene.below:
            yield Text("")
            yield from scene.below
        yield Text("")
        if scene.deaf:
            yield Text(DEAF, style="yellow")
        yield _link(_place_of(scene, where), self.workspace)
        yield self.draw_progress(scene)
        yield self._draw_keys(scene)

    def _draw_step(self, scene: Scene, detail: Detail) -> Iterator[RenderableType]:
        step, part = scene.step, self.syllabus.part(scene.step.part)
        yield Text.assemble((part.name, "bold"), f"  {part.title}, step {step.number} of {len(part.steps)}")
        yield Text("")
        marked = _part_of(scene.marks, part.name)
        if marked and marked.error:
            yield _indented(Text(marked.error, style="red"), 2)
            return
        marks = _step_of(marked, step.name) or StepMarks(
            step.name, "passed" if step.path in scene.passed else NOT_ATTEMPTED, 0.0, step.points
        )
        yield draw_heading(marks, self.signs)
        if marks.verdict == NOT_ATTEMPTED:
            yield _indented(Group(Text(step.summary), Text(step.signature, style="cyan")))
        elif not marks.passed:
            yield from draw_failure(marks, self.signs, MOST_PRINTED, detail)

    def draw_progress(self, scene: Scene) -> Text:
        """Return how many of the steps that are watched have passed, as a bar and in numbers."""
        done, total = sum(step.path in scene.passed for step in self.steps), len(self.steps)
        if self.signs.plain:
            return Text(f"{done} of {total} steps have passed.")
        filled = BAR * done // total
        return Text.assemble(
            (self.signs.bar * filled, "green"), (self.signs.rest * (BAR - filled), "dim"), f"  {done} of {total} steps"
        )

    def _draw_keys(self, scene: Scene) -> Text:
        marked = f"marked in {1000 * scene.seconds:.0f} ms" if scene.marks else ""
        return Text("   ".join(filter(None, (KEYS if scene.keys else "Ctrl-C ends", marked))), style="dim")

    def tell_change(
        self,
        here: SyllabusStep,
        before: Collection[str],
        now: Collection[str],
        marks: Marks,
        known: Mapping[str, Fared],
    ) -> Iterator[Text]:
        """Yield what a save has changed beside the step at hand: what passes now or no longer, what else was tried and is wrong.

        known: how steps fared before.
        """
        unchanged = known.keys() - changed_in(marks, known)
        for step in self.steps:
            if step.path in now and step.path not in before:
                yield Text.assemble((f"{self.signs.passed} ", "green"), f"{step.name}  {count_points(step.points)}")
            elif step.path in before and step.path not in now:
                yield Text(f"{step.name} had passed and does not pass any more. What comes after it may rest on it.")
        for part in marks.parts:
            if part.error and part.part != here.part:
                yield Text(part.error, style="red")
            for one in part.steps if not part.error else ():
                path = f"{part.part}.{one.step}"
                if path != here.path and path not in unchanged and one.verdict in TRIED:
                    yield Text(f"{one.step} is tried, too: {one.words}. The list, l, goes there.", style="dim")
            paths = {step.path for step in self.syllabus.part(part.part).steps}
            if paths <= set(now) and not paths <= set(before):
                yield self._celebrate(part)
        if all(step.path in now for step in self.steps) and not all(step.path in before for step in self.steps):
            yield Text("Every step that is watched has passed. q ends the watch.", style="green")

    def _celebrate(self, part: PartMarks) -> Text:
        title = self.syllabus.part(part.part).title
        said = f"{part.part} is complete: {count_points(part.score)}. {title}: you have written all of it."
        return Text(said, style="bold green")


def draw_all_hints(step: SyllabusStep) -> Padding:
    """Return what stands above the hints of a step, or below them line after line, once all are shown."""
    return _indented(Text(f"All hints. The lecture: {step.lecture}", style="dim"))


def draw_hint(step: SyllabusStep, number: int) -> Padding:
    """Return a hint of a step."""
    return _indented(Text.assemble((f"hint {number + 1}: ", "yellow"), step.hints[number]))


def _indented(drawn: RenderableType, columns: int = INDENT) -> Padding:
    return Padding(drawn, (0, 0, 0, columns), expand=False)


def _place_of(scene: Scene, todo: Location) -> Location:
    """Return where to look: the line of the student's that raised or cannot be read, else the step's TODO."""
    part = _part_of(scene.marks, scene.step.part)
    marks = _step_of(part, scene.step.name)
    said = (part.error if part else None) or (marks.traceback if marks else None)
    return place_named(said or "", todo)


def _part_of(marks: Marks | None, part: str) -> PartMarks | None:
    return next((one for one in marks.parts if one.part == part), None) if marks else None


def _step_of(part: PartMarks | None, step: str) -> StepMarks | None:
    return next((one for one in part.steps if one.step == step), None) if part else None


def _link(where: Location, workspace: Workspace) -> Text:
    """Return a place to click on.

    VS Code makes links of paths with lines by itself, and loses the line of any other link.
    """
    if os.environ.get("TERM_PROGRAM") == "vscode":
        return Text(where.shown(workspace.root), style="cyan")
    return Text(where.shown(workspace.root), style=f"cyan link {where.path.resolve().as_uri()}")
