"""Mark a class: read each submission, skip those that have marks, mark the others, keep the marks."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait

from autograder.classroom.attempts import HandedIn, read_entry
from autograder.classroom.class_folder import ClassFolder
from autograder.classroom.executors import Workers
from autograder.classroom.grader import Unmarked, grade
from autograder.classroom.results import Results, name_of
from autograder.exam.model import Exam
from autograder.grading.results import marks_from_json
from autograder.submission.model import Submission

BROKE_IT = "the grader died, twice, while it marked this submission"

OnMarks = Callable[[int], None]


Task = tuple[str, Submission]
"""The name of the file of marks, and a submission to mark."""


class Batch:
    """Marks a class. Writes the marks of each submission at once, so that an aborted run keeps them.

    parts: the names of the parts to mark. force: mark again what has marks. on_marks: called after
    each submission with the number of students who have marks. handed_in: rows of `handed_in.csv`.
    """

    def __init__(
        self,
        folder: ClassFolder,
        results: Results,
        exam: Exam,
        parts: tuple[str, ...],
        force: bool = False,
        on_marks: OnMarks | None = None,
        handed_in: Iterable[HandedIn] = (),
    ) -> None:
        self.done: list[str] = []
        """The students who have marks, from this run or an earlier one."""
        self.kept = 0
        self.unmarked: dict[str, str] = {}
        """The failure of the grader for each student whom this run could not mark."""
        self._folder = folder
        self._results = results
        self._exam = exam
        self._parts = parts
        self._force = force
        self._on_marks = on_marks
        self._handed_in = defaultdict[str, list[HandedIn]](list)
        for row in handed_in:
            self._handed_in[row.student].append(row)

    def run(self, workers: Workers) -> None:
        """Mark all submissions without marks. Raises CannotRun, and OSError if marks cannot be written."""
        tasks = self._tasks()
        while (first := next(tasks, None)) is not None:
            suspects = self._hand_out(itertools.chain([first], tasks), workers)
            for suspect in suspects:  # one of them killed a grader: run each alone to see which
                if self._hand_out(iter([suspect]), workers):
                    self.unmarked[suspect[1].name] = BROKE_IT

    def _tasks(self) -> Iterator[Task]:
        """Read the submissions one by one and yield those that have no marks yet."""
        only_part = self._parts[0] if len(self._parts) == 1 else ""
        for entry in self._folder.entries:
            parts, rows = self._exam.syllabus.parts, self._handed_in[entry.student]
            submission = read_entry(entry.path, entry.student, parts, only_part, rows)
            name = name_of(submission, self._exam, self._parts)
            kept = None if self._force else self._results.find(name)
            if kept is None:
                yield name, submission
            else:
                self.kept += 1
                self._add(entry.student)

    def _hand_out(self, tasks: Iterator[Task], workers: Workers) -> list[Task]:
        """Mark tasks until none is left or a grader dies. Return the tasks that may have killed it."""
        pending: dict[Future[bytes], Task] = {}
        suspects: list[Task] = []
        with workers.executor() as executor:
            for task in tasks:
                try:
                    pending[executor.submit(grade, workers.given, task[1])] = task
                except workers.broken:
                    suspects.append(task)
                while len(pending) >= workers.width:
                    suspects += self._collect(pending, workers)
                if suspects:
                    break
            while pending:
                suspects += self._collect(pending, workers)
        return suspects

    def _collect(self, pending: dict[Future[bytes], Task], workers: Workers) -> list[Task]:
        """Wait for a task. Write the marks of finished tasks, and return the tasks whose grader died."""
        finished, _ = wait(pending, return_when=FIRST_COMPLETED)
        lost = []
        for future in finished:
            task = pending.pop(future)
            try:
                content = future.result()
            except workers.broken:
                lost.append(task)
            except Unmarked as reason:
                self.unmarked[task[1].name] = str(reason)
            else:
                self._keep(task, content)
        return lost

    def _keep(self, task: Task, content: bytes) -> None:
        marks_from_json(content)  # raises NotMarks if the grader sent anything else
        self._results.write(task[0], content)
        self._add(task[1].name)  # at once, so that the count is right if the run is stopped now

    def _add(self, student: str) -> None:
        self.done.append(student)
        if self._on_marks:
            self._on_marks(len(self.done))
