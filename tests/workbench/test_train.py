"""`attn train`: the grader looks first, then the student's own model learns, keeps what it has learned, and is looked into."""

import re
from collections.abc import Callable, Iterator

import pytest
import torch
from command import Run, attn_in
from screen_text import one_line

from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

MODEL = "part6_training"
REFERENCE = ("train", "--reference")
LONG = (*REFERENCE, "--steps", "100000")


@pytest.fixture(scope="module", autouse=True)
def own_random_numbers() -> Iterator[None]:
    """A training seeds those of its process."""
    with torch.random.fork_rng(devices=[]):
        yield


@pytest.fixture(scope="module")
def trained(new_course: Callable[..., Workspace]) -> tuple[Workspace, str]:
    """A course whose own code has trained for two steps, and what the command printed."""
    workspace = new_course(solved=True)
    return workspace, succeeds(workspace, "train", "--steps", "2")


def succeeds(workspace: Workspace, *arguments: str) -> str:
    done = attn_in(workspace, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def guide(course: Workspace) -> list[str]:
    """What the guide shows of a training. … stands for what it leaves out."""
    page = (course.root / "docs" / "train_a_model.md").read_text(encoding="utf-8")
    return [line for line in page.partition("$ attn train\n")[2].partition("```")[0].splitlines() if line != "…"]


def without_digits(lines: list[str]) -> list[str]:
    return [re.sub(r"\d", "0", line).rstrip() for line in lines]


def kept_in(workspace: Workspace) -> list[str]:
    return sorted(path.name for path in (workspace.memory / "training").glob("*"))


@pytest.mark.world
def test_what_was_learned_is_where_the_command_says(trained: tuple[Workspace, str]) -> None:
    workspace, printed = trained

    assert kept_in(workspace) == [
        "induction-seed1.packed.safetensors",
        "induction-seed1.pt",
    ]
    for name in kept_in(workspace):
        assert f".attn/training/{name}" in printed


@pytest.mark.world
def test_a_whole_training_prints_what_the_guide_shows(new_course: Callable[..., Workspace], guide: list[str]) -> None:
    """On another machine digits differ, and which head is the best."""
    done = attn_in(new_course(solved=True), "train", COLUMNS="80")

    printed = iter(without_digits(done.stdout.splitlines()))
    assert [line for line in without_digits(guide) if line not in printed] == []  # `in` goes on behind the line before


def test_a_later_run_goes_on_where_the_first_ended(trained: tuple[Workspace, str]) -> None:
    assert "Going on after 2 steps." in succeeds(trained[0], "train", "--resume", "--steps", "3")


def test_beginning_anew_keeps_the_earlier_run(copy: Workspace) -> None:
    kept = copy.memory / "training" / "induction-seed1-reference.pt"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"earlier")

    printed = succeeds(copy, *REFERENCE, "--steps", "1")

    assert "the earlier run is now .attn/training/induction-seed1-reference.earlier.pt" in one_line(printed)
    assert kept.with_suffix(".earlier.pt").read_bytes() == b"earlier"


def test_wrong_code_is_told_by_the_grader_before_any_training(new_course: Callable[..., Workspace]) -> None:
    wrong = "\n\ndef next_token_loss(logits, tokens):\n    return logits.mean()\n"
    workspace = new_course(solved=True, part6_training=wrong)

    done = attn_in(workspace, "train")

    assert done.returncode == 1
    assert "✗ next_token_loss  wrong values" in done.stdout
    assert "`attn train` needs part6_training.next_token_loss, which does not pass yet" in done.stderr
    assert "`attn check part6_training.next_token_loss` says more" in done.stderr
    assert kept_in(workspace) == []


def test_code_that_raises_only_here_is_told_by_its_own_lines(new_course: Callable[..., Workspace]) -> None:
    raising = """
_right = train_step

def train_step(model, optimizer, tokens):
    if len(tokens) > 40:
        raise ValueError("so many")
    return _right(model, optimizer, tokens)
"""
    done = attn_in(new_course(solved=True, part6_training=raising), "train")

    assert done.returncode == 2
    assert "ValueError: so many\nexercises/part6_training.py, line" in done.stderr
    assert 'raise ValueError("so many")' in done.stderr


def test_a_loss_that_is_no_number_is_told_and_nothing_is_kept(new_course: Callable[..., Workspace]) -> None:
    diverging = """
_right = train_step

def train_step(model, optimizer, tokens):
    loss = _right(model, optimizer, tokens)
    return loss if len(tokens) < 40 else float("nan")
"""
    workspace = new_course(solved=True, part6_training=diverging)

    done = attn_in(workspace, "train")

    assert done.returncode == 2
    assert "the loss is nan at step 1: the training cannot continue" in one_line(done.stderr)
    assert kept_in(workspace) == []


@pytest.fixture
def brief_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model writes a few characters before and after."""
    monkeypatch.setattr("workbench.characters.WRITTEN", 5)


@pytest.mark.usefixtures("brief_samples")
def test_any_text_file_can_be_learned(copy: Workspace) -> None:
    (copy.root / "own.txt").write_text("Größe: 🙂\n" * 200, encoding="utf-8")

    assert "Now it writes\nGröße: 🙂\nGröße" in succeeds(copy, *REFERENCE, "--text", "own.txt", "--steps", "1")


def test_a_text_that_cannot_be_learned_is_refused_at_once(copy: Workspace) -> None:
    done = attn_in(copy, *REFERENCE, "--text", "own.txt")

    assert done.returncode == 2
    assert "own.txt could not be read or written: No such file or directory" in done.stderr


# Ctrl-C


@pytest.fixture(scope="module")
def stopped(new_course: Callable[..., Workspace]) -> tuple[Workspace, Run]:
    """A course in which Ctrl-C has come to a long training in its third step, and what the command printed."""
    workspace = with_ctrl_c(new_course())
    return workspace, attn_in(workspace, *LONG)


def with_ctrl_c(workspace: Workspace) -> Workspace:
    """Let the reference press Ctrl-C in its third step."""
    pressing = """
import signal

_right, _taken = train_step, []

def train_step(model, optimizer, tokens):
    _taken.append(None)
    if len(_taken) == 3:
        signal.raise_signal(signal.SIGINT)
    return _right(model, optimizer, tokens)
"""
    reference = workspace.solutions / f"{MODEL}.py"
    reference.write_text(reference.read_text(encoding="utf-8") + pressing, encoding="utf-8")
    return workspace


def test_ctrl_c_ends_the_training_after_its_step(stopped: tuple[Workspace, Run]) -> None:
    _, done = stopped

    assert done.returncode == 130
    assert "Stopped after 3 of 100,000 steps: `--resume` continues." in done.stdout
    assert "Traceback" not in done.stderr


def test_ctrl_c_keeps_what_was_learned(stopped: tuple[Workspace, Run]) -> None:
    assert "Going on after 3 steps." in succeeds(stopped[0], *REFERENCE, "--resume", "--steps", "4")
