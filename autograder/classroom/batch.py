"""Mark a class: read each submission, mark it unless it has marks already, and write its marks."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from autograder.classroom.attempts import HandedIn, read_entry
from autograder.classroom.class_folder import ClassFolder
from autograder.classroom.executors import Graders, Start
from autograder.classroom.grader import Conditions, Unmarked, grade
from autograder.classroom.results import Results, name_of
from autograder.exam.model import Exam
from autograder.grading.results import marks_from_json
from autograder.submission.model import Submission

BROKE_IT = "the grader died, twice, while it marked this submission"

Task = tuple[str, Submission]
"""The name of the file for marks, and the submission to mark."""


@dataclass
class Batch:
    """Marks a class. Writes the marks of each submission at once, so that an aborted run keeps them.

    parts: the names of the parts to mark. force: also mark submissions that have marks. on_marks:
    called after each submission with the number of students who have marks. handed_in: lines of
    `handed_in.csv`. done: the students who have marks, each with the name of the file. kept: how many
    of them have marks from an earlier run. unmarked: the failures of the grader, by student.
    """

    folder: ClassFolder
    results: Results
    exam: Exam
    parts: tuple[str, ...]
    force: bool = False
    on_marks: Callable[[int], None] = lambda done: None
    handed_in: Sequence[HandedIn] = ()
    done: dict[str, str] = field(default_factory=dict, init=False)
    kept: int = field(default=0, init=False)
    unmarked: dict[str, str] = field(default_factory=dict, init=False)

    def run(self, conditions: Conditions, start: Start) -> None:
        """Mark submissions without marks. Raises CannotRun, and OSError if marks cannot be written."""
        tasks = self._tasks()
        while (first := next(tasks, None)) is not None:
            suspects = self._hand_out(itertools.chain([first], tasks), conditions, start)
            for suspect in suspects:  # one of them killed a grader: run each alone to see which
                if self._hand_out(iter([suspect]), conditions, start):
                    self.unmarked[suspect[1].name] = BROKE_IT

    def _tasks(self) -> Iterator[Task]:
        only_part = self.parts[0] if len(self.parts) == 1 else ""
        for entry in self.folder.entries:
            rows = [row for row in self.handed_in if row.student == entry.student]
            submission = read_entry(entry.path, entry.student, self.exam.syllabus.parts, only_part, rows)
            name = name_of(submission, self.exam, self.parts)
            if self.force or self.results.find(name) is None:
                yield name, submission
            else:
                self.kept += 1
                self._add(entry.student, name)

    def _hand_out(self, tasks: Iterator[Task], conditions: Conditions, start: Start) -> list[Task]:
        """Mark tasks until all are done or a grader dies. Return tasks that may have killed it."""
        pending: dict[Future[bytes], Task] = {}
        suspects: list[Task] = []
        with start(conditions) as graders:
            for task in tasks:
                try:
                    pending[graders.executor.submit(grade, conditions, task[1])] = task
                except graders.broken:
                    suspects.append(task)
                while len(pending) >= graders.width():
                    suspects += self._collect(pending, graders)
                if suspects:
                    break
            while pending:
                suspects += self._collect(pending, graders)
        return suspects

    def _collect(self, pending: dict[Future[bytes], Task], graders: Graders) -> list[Task]:
        """Wait for a task. Write the marks of finished tasks; return tasks whose grader died."""
        lost = []
        for future in wait(pending, return_when=FIRST_COMPLETED).done:
            name, submission = task = pending.pop(future)
            try:
                content = future.result()
            except graders.broken:
                lost.append(task)
            except Unmarked as reason:
                self.unmarked[submission.name] = str(reason)
            else:
                marks_from_json(content)  # raises NotMarks if the grader sent anything else
                self.results.write(name, content)
                self._add(submission.name, name)  # at once, so that the count is right if the run is stopped now
        return lost

    def _add(self, student: str, name: str) -> None:
        self.done[student] = name
        self.on_marks(len(self.done))
