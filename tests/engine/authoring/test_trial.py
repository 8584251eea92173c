"""A known mistake as a module of its own, which holds what the mistake needs and nothing else."""

from autograder.authoring.trial import text_with
from autograder.exam.model import Exam
from autograder.workspace import COURSE

PART = "part6_training"


def test_the_mistake_stands_under_the_name_of_its_step(practice: Exam) -> None:
    for path, known_wrong in practice.key.known_wrong.items():
        part, _, step = path.partition(".")
        for one in known_wrong:
            module: dict[str, object] = {"__name__": part}
            exec(compile(text_with(COURSE.course, part, one), part, "exec"), module)
            assert module[step] is module[one.id]


def test_what_the_mistake_uses_is_there_and_no_other_mistake(practice: Exam) -> None:
    first, second, *_ = practice.key.known_wrong[f"{PART}.LayerNorm"]
    text = text_with(COURSE.course, PART, first)
    assert f"class {first.id}" in text
    assert "class _" in text
    assert second.id not in text
