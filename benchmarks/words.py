"""How many points rest on words: on what is the same in every exam, so that it can be said without being true. Run: python benchmarks/words.py."""

from pathlib import Path

from autograder.authoring.words import words_of
from autograder.exam.make_exam import set_exam
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print what rests on words, by step and criterion, the most first."""
    exam = set_exam(Workspace(ROOT).course, seed=1, with_mistakes=False)
    found = sorted(words_of(exam), key=lambda words: -words.points)
    for words in found:
        print(f"{words.points:5.2f}  {words.step}, {words.criterion}: {'; '.join(words.outputs)}")
    total = sum(step.points for step in exam.syllabus.steps)
    print(f"{sum(words.points for words in found):.1f} of {total:g} points rest on words (aim: 5)")


if __name__ == "__main__":
    main()
