"""A stub is the reference module without its solutions: signatures, docstrings and TODOs stay."""

import ast
import contextlib
import re
from pathlib import Path

import pytest

from autograder.exam.reference import (
    BEGIN,
    END,
    BrokenReference,
    ReferenceModule,
    StepSource,
    definitions,
    read,
    stub_of,
)
from autograder.workspace import COURSE, Workspace


@pytest.fixture(params=COURSE.course.parts)
def module(request: pytest.FixtureRequest, course: Workspace) -> ReferenceModule:
    return read(course.solutions / f"{request.param}.py")


def _functions(text: str) -> dict[str, ast.FunctionDef]:
    """Return all functions of a module by qualified name, methods included."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{child.name}": child for child in node.body if isinstance(child, ast.FunctionDef)}
    return found


def _regions(text: str) -> list[list[str]]:
    """Return the lines of each solution region, without indentation."""
    regions: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if line.strip() == BEGIN:
            inside = True
            regions.append([])
        elif line.strip() == END:
            inside = False
        elif inside:
            regions[-1].append(line.strip())
    return regions


def _docstrings(text: str) -> list[str]:
    tree = ast.parse(text)
    owners = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    return [text for owner in owners if (text := ast.get_docstring(owner))]


def test_signatures_stay(module: ReferenceModule) -> None:
    def signatures(text: str) -> dict[str, str]:
        return {
            name: f"{ast.unparse(function.args)} -> {ast.unparse(function.returns) if function.returns else None}"
            for name, function in _functions(text).items()
        }

    assert signatures(stub_of(module)) == signatures(module.text)


def test_docstrings_stay(module: ReferenceModule) -> None:
    assert _docstrings(stub_of(module)) == _docstrings(module.text)


def test_no_line_of_code_of_any_solution_is_left(module: ReferenceModule) -> None:
    code = {line for region in _regions(module.text) for line in region if line and not line.startswith("#")}
    assert code
    assert code & {line.strip() for line in stub_of(module).splitlines()} == set()


def test_the_comments_that_open_the_regions_stay(module: ReferenceModule) -> None:
    comments = {region[0] for region in _regions(module.text)}
    assert comments <= {line.strip() for line in stub_of(module).splitlines()}


def test_no_marker_of_a_region_is_left(module: ReferenceModule) -> None:
    assert "SOLUTION" not in stub_of(module)


def test_every_region_raises_and_names_its_step(module: ReferenceModule) -> None:
    raised = re.findall(r'raise NotImplementedError\(".*?step (\d+): (\w+)', stub_of(module))
    expected = [
        (str(number), step.name)
        for number, step in enumerate(module.steps, start=1)
        for _ in range(step.text.count(BEGIN))
    ]
    assert raised == expected


def test_every_step_of_a_stub_raises_when_it_is_called(module: ReferenceModule) -> None:
    namespace: dict[str, object] = {}
    exec(compile(stub_of(module), module.path.name, "exec"), namespace)
    for step in module.steps:
        called = namespace[step.name]
        assert callable(called)
        arguments = [1] * _required_arguments(module.text, step)
        with pytest.raises(NotImplementedError, match=rf"\b{step.name}\b"):
            called(*arguments)


def _required_arguments(text: str, step: StepSource) -> int:
    """Return how many arguments a step cannot be called without; for a class, those of its `__init__`."""
    definition = next(node for node in definitions(ast.parse(text)) if node.name == step.name)
    if isinstance(definition, ast.ClassDef):
        (definition,) = (node for node in definition.body if getattr(node, "name", "") == "__init__")
        assert isinstance(definition, ast.FunctionDef)
        return len(definition.args.args) - len(definition.args.defaults) - 1
    return len(definition.args.args) - len(definition.args.defaults)


def test_code_outside_the_regions_stays(tmp_path: Path) -> None:
    path = tmp_path / "part.py"
    path.write_text(
        "import torch\n\n\n"
        "def f(x: int) -> int:\n"
        "    y = x + 1\n"
        f"    {BEGIN}\n"
        "    # TODO 1: double it.\n"
        "    # Mind the sign.\n"
        "    z = 2 * y  # not this one\n"
        f"    {END}\n"
        "    return z\n",
        encoding="utf-8",
    )
    lines = stub_of(read(path)).splitlines()
    assert [line.strip() for line in lines if line and "raise" not in line] == [
        "import torch",
        "def f(x: int) -> int:",
        "y = x + 1",
        "# TODO 1: double it.",
        "# Mind the sign.",
        "return z",
    ]


@pytest.mark.parametrize(
    "between",
    ["    # That was all.\n", "\n"],
    ids=["comment", "empty line"],
)
def test_more_than_the_last_statement_may_stand_before_the_end_of_a_region(tmp_path: Path, between: str) -> None:
    path = tmp_path / "part.py"
    path.write_text(
        f"def f(x: int) -> int:\n    {BEGIN}\n    # TODO 1: return it.\n    return x\n{between}    {END}\n",
        encoding="utf-8",
    )
    assert "return x" not in stub_of(read(path))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            f"def f(x: int) -> int:\n    # TODO 1: return it.\n    {BEGIN}\n    return x\n    {END}\n",
            id="the TODO before the region",
        ),
        pytest.param(
            f"def _g(x):\n    {BEGIN}\n    # TODO 1: return it.\n    return x\n    {END}\n\n\n"
            f"def f(x: int) -> int:\n    {BEGIN}\n    # TODO 1: return it.\n    return x\n    {END}\n",
            id="a region in a private helper",
        ),
    ],
)
def test_a_module_of_another_form_is_refused_or_has_a_stub(tmp_path: Path, text: str) -> None:
    path = tmp_path / "part.py"
    path.write_text(text, encoding="utf-8")
    with contextlib.suppress(BrokenReference):
        assert "return x" not in stub_of(read(path))
