"""The feedback on a step, as plain text."""

from autograder.classroom.class_marks import Json

NOT_HANDED_IN = "This part was not handed in."


def headline(step: Json) -> str:
    """Return the verdict and the first check that failed, in one line."""
    failed = next((check for check in step["checks"] if not check["passed"]), None)
    verdict: str = step["verdict"].replace("_", " ")
    if not failed or not failed["message"]:
        return verdict
    return f"{verdict}: case {failed['case']}: {_one_line(failed['message'])}"


def feedback(step: Json) -> str:
    """Return all that helps: the headline, the traceback, the likely mistake, the hint. Empty for a step that passed."""
    if step["verdict"] == "passed":
        return ""
    diagnosis = step["diagnosis"]
    pieces = [
        headline(step),
        step["traceback"],
        diagnosis and diagnosis["says"],
        step["hint"] and f"Hint: {step['hint']}",
    ]
    return "\n\n".join(piece for piece in pieces if piece)


def _one_line(text: str) -> str:
    return " ".join(text.split())
