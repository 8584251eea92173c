"""The student's modules are loaded as in a sitting, and what they raise is told by their own lines."""

from pathlib import Path

import pytest

from workbench.own_code import CodeFailed, loaded

FIRST, SECOND = "part4_multihead", "part6_training"


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def test_a_part_that_imports_another_gets_the_one_that_is_returned(tmp_path: Path) -> None:
    folder = write(tmp_path, part4_multihead="class Heads: ...", part6_training="from part4_multihead import Heads")

    with loaded(folder, [SECOND, FIRST]) as modules:
        assert modules[SECOND].Heads is modules[FIRST].Heads


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(:\n", f"SyntaxError in {{folder}}/{SECOND}.py, line 1"),
        ("one = 1\nsix = one / 0\n", f"ZeroDivisionError: division by zero\n{{folder}}/{SECOND}.py, line 2"),
        ("import sys\nsix = sys.exit(3)\n", f"{{folder}}/{SECOND}.py, line 2"),
        ("six = 6\0\n", "null bytes"),
    ],
)
def test_what_loading_raises_is_told_by_the_students_own_lines(tmp_path: Path, text: str, told: str) -> None:
    write(tmp_path, part6_training=text)

    with pytest.raises(CodeFailed) as caught, loaded(tmp_path, [SECOND]):
        pass

    assert told.format(folder=tmp_path.name) in str(caught.value)


def test_what_the_code_raises_later_is_told_by_the_students_own_lines(tmp_path: Path) -> None:
    write(tmp_path, part6_training="def half(x):\n    return x / 0\n")

    told = pytest.raises(CodeFailed, match=r"part6_training.py, line 2, in half\n    return x / 0$")
    with told, loaded(tmp_path, [SECOND]) as modules:
        modules[SECOND].half(6)


@pytest.mark.parametrize("ending", ["0", '"bye"', ""])
def test_code_that_ends_the_program_later_is_told_and_ends_nothing(tmp_path: Path, ending: str) -> None:
    write(tmp_path, part6_training=f"def half(x):\n    raise SystemExit({ending})\n")

    told = pytest.raises(CodeFailed, match=r"SystemExit(.|\n)*part6_training.py, line 2")
    with told, loaded(tmp_path, [SECOND]) as modules:
        modules[SECOND].half(6)
