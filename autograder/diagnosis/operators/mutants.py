"""Mutants of a module: each has one small fault, which an operator makes.

A grader that passes a mutant of a solution accepts what is wrong, unless the mutant answers as the solution does wherever
the docstring says what to answer.
"""

import ast
import itertools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from autograder.diagnosis.operators.edits import OPERATORS, edits

MODULES = ("nn.Module", "Module", "torch.nn.Module")


@dataclass(frozen=True)
class Mutant:
    """One fault in one definition: a line as it was and as it became, and the whole module with it."""

    definition: str
    was: str
    becomes: str
    text: str


def mutants(text: str, lines: Collection[int]) -> Iterator[Mutant]:
    """Yield the mutants of a module. lines: where the code that becomes faulty begins."""
    whole = text.splitlines(keepends=True)
    for definition in ast.parse(text).body:
        if isinstance(definition, ast.FunctionDef | ast.ClassDef):
            first = min(one.lineno for one in (definition, *definition.decorator_list))
            own = "".join(whole[first - 1 : definition.end_lineno])
            for was, becomes, changed in (*_broken_promises(definition, own), *_faults(own, first, lines)):
                before, after = "".join(whole[: first - 1]), "".join(whole[definition.end_lineno :])
                yield Mutant(definition.name, was, becomes, f"{before}{changed}{after}")


def _faults(text: str, first: int, lines: Collection[int]) -> Iterator[tuple[str, str, str]]:
    """Yield the line before and after, and the definition: one fault of each operator at each place, and all that spoil a result."""
    seen = set[object]()
    for edit in edits(text, operators=OPERATORS) if lines else ():
        keys = {(edit.operator, edit.line, edit.first, edit.last), (edit.before, edit.after)}
        if edit.line + first - 1 in lines and (edit.operator == "spoiled" or not keys & seen):
            seen |= keys
            yield edit.before, edit.after, edit.text


def _broken_promises(definition: ast.FunctionDef | ast.ClassDef, text: str) -> Iterator[tuple[str, str, str]]:
    """Break what a docstring says beside the numbers: rename an attribute that it names, put a model into a mode."""
    documented = [one for one in ast.walk(definition) if isinstance(one, ast.ClassDef | ast.FunctionDef)]
    docstrings = " ".join(ast.get_docstring(one) or "" for one in documented)
    if isinstance(definition, ast.ClassDef):
        registered = re.findall(r"register_\w+\(\s*[\"'](\w+)", text)
        for name in [*sorted(set(re.findall(r"self\.(\w+)(?:, self\.\w+)* = ", text))), *registered]:
            is_word = name.isalpha() and name.islower()  # which may mean something else in a sentence
            if re.search(rf"`{name}`" if is_word else rf"\b{name}\b", docstrings):
                renamed = re.sub(rf"(\bself\.|register_\w+\(\s*[\"']){name}\b", rf"\g<1>{name}_", text)
                yield f"self.{name}", f"self.{name}_", renamed
    elif re.search(r"\bmode\b", docstrings):
        modules = [one.arg for one in definition.args.args if one.annotation and ast.unparse(one.annotation) in MODULES]
        calls = [f"{name}.{mode}()" for name in modules for mode in ("eval", "train")]
        doing = [one for one in definition.body[1:] if ast.unparse(one) not in calls][:1]
        for one, call in itertools.product(doing, calls):
            was = ast.unparse(one).splitlines()[0]
            lines = text.splitlines(keepends=True)
            lines.insert(one.lineno - definition.lineno, " " * one.col_offset + call + "\n")
            yield was, f"{call}; {was}", "".join(lines)
