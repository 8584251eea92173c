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
    """One run over a class. Marks are kept at once, however the run ends.

    parts: the names of the parts to mark. force: mark again submissions that have marks. on_marks:
    called after each submission with the number of marked ones. handed_in: rows of handed_in.csv.
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
        """The students who have marks, of this run or kept."""
        self.kept = 0
        self.unmarked: dict[str, str] = {}
        """The students without marks of this run, and the failure of the grader."""
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
            for suspect in suspects:  # one of them killed a grader; run one by one, each shows whether it was the one
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
        """Mark until all is done or a grader has died; return the submissions that it may have died of."""
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
        """Keep the marks that are there; return the submissions whose grader died."""
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
        marks_from_json(content)  # so that a grader that sends something else is noticed
        self._results.write(task[0], content)
        self._add(task[1].name)  # at once: who stops the run now is told how many have marks

    def _add(self, student: str) -> None:
        self.done.append(student)
        if self._on_marks:
            self._on_marks(len(self.done))
