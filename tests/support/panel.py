"""A stand-in for an editor's test panel: a pytest plugin that reads of the items and reports what Visual Studio Code's reads.

As the public source of its Python extension has it (microsoft/vscode-python, `python_files/vscode_pytest`): between a file and a
test it shows classes alone; a test is at its location's line, a class at the line of its code; a test is known, and run again,
by its absolute path and the rest of its node id. Used as `pytest -p panel`; writes what it has seen as JSON to $PANEL.
"""

import inspect
import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

tests: list[dict[str, object]] = []
told: dict[str, dict[str, str]] = {}


def pytest_collection_finish(session: pytest.Session) -> None:
    for item in session.items:
        classes, node = [], item.parent
        while isinstance(node, pytest.Class):
            classes.insert(0, [node.name, _line_of(node)])
            node = node.parent
        assert node is not None
        names = item.nodeid.split("::")[1:]
        tests.append(
            {
                "id": "::".join([str(item.path), *names]),
                "file": node.path.name,
                "classes": classes,
                "name": item.name,
                "line": None if item.location[1] is None else item.location[1] + 1,
            }
        )


def _line_of(node: pytest.Class) -> int | None:
    try:
        return inspect.getsourcelines(node.obj)[1]
    except (AttributeError, OSError, TypeError):
        return None


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_report_teststatus(report: pytest.TestReport) -> Generator[None, object, object]:
    if report.when == "call":
        told[report.nodeid] = {"outcome": report.outcome, "message": report.longreprtext if report.failed else ""}
    return (yield)


def pytest_sessionfinish() -> None:
    Path(os.environ["PANEL"]).write_text(json.dumps({"tests": tests, "told": told}), encoding="utf-8")
