"""Edits: what a definition may become by one slip undone, the likeliest first."""

import ast

import pytest

from autograder.diagnosis.operators.edits import Edit, edits

HEADER = "def step(queries, keys, mask, d_k: int):\n"


def _edits(body: str, near: tuple[int, ...] = ()) -> list[Edit]:
    return list(edits(HEADER + "".join(f"    {line}\n" for line in body.splitlines()), near))


def _body(edit: Edit) -> str:
    """Return what a function does after an edit, however it is laid out."""
    [function] = ast.parse(edit.text).body
    assert isinstance(function, ast.FunctionDef)
    return "\n".join(
        line for statement in function.body for line in ast.unparse(statement).splitlines() if line.strip() != "pass"
    )


UNDONE = {
    "another dimension": ("return torch.softmax(keys, dim=0)", "return torch.softmax(keys, dim=-1)"),
    "a dimension by place": ("return keys.softmax(1)", "return keys.softmax(-1)"),
    "a dimension that is not said": ("return keys.sum()", "return keys.sum(dim=-1)"),
    "a dimension that is not said beside a number": (
        "return keys.repeat_interleave(d_k)",
        "return keys.repeat_interleave(d_k, dim=1)",
    ),
    "a dimension after a number by place": ("return keys.chunk(2, 0)", "return keys.chunk(2, -1)"),
    "a dimension that is lost": ("return keys - keys.amax(dim=1)", "return keys - keys.amax(dim=1, keepdim=True)"),
    "a dimension that is kept": ("return keys.sum(dim=1, keepdim=True)", "return keys.sum(dim=1)"),
    "a transpose that is missing": ("return queries @ keys", "return queries @ keys.transpose(-2, -1)"),
    "a transpose that is needless": ("return queries @ keys.T", "return queries @ keys"),
    "a transpose of two other dimensions": ("return keys.transpose(0, 1)", "return keys.transpose(1, 2)"),
    "a view for a transpose": ("return keys.view(2, 3, d_k, 4)", "return keys.view(2, d_k, 3, 4).transpose(1, 2)"),
    "scaling that is missing": (
        "return torch.softmax(keys, dim=-1)",
        "return torch.softmax(keys / d_k ** 0.5, dim=-1)",
    ),
    "scaling that is needless": ("return keys / d_k ** 0.5", "return keys"),
    "scaling by the size itself": ("return keys / d_k", "return keys / d_k ** 0.5"),
    "an operator": ("return queries * keys", "return queries @ keys"),
    "a name": ("return queries @ queries.T", "return queries @ keys.T"),
    "a comparison": ("return queries < keys", "return queries > keys"),
    "a mask turned round": ("return keys.masked_fill(mask, 0)", "return keys.masked_fill(~mask, 0)"),
    "the other triangle": ("return keys.tril()", "return keys.triu(diagonal=1)"),
    "what is filled in": ("return keys.masked_fill(mask, 0)", "return keys.masked_fill(mask, float('-inf'))"),
    "a dimension of one number": ("return keys.sum() + torch.zeros(1)", "return keys.sum() + torch.zeros(())"),
    "a number": ("return keys + 2", "return keys + 1"),
    "a slice": ("return keys[:, 1:]", "return keys[:, 2:]"),
    "a turn too few": ("for at in range(d_k):\n    keys = keys[at]", "for at in range(d_k + 1):\n    keys = keys[at]"),
    "the order of arguments": ("return torch.where(mask, keys, 0)", "return torch.where(mask, 0, keys)"),
    "a result that is lost": (
        "keys.masked_fill(mask, 0)\nreturn keys",
        "keys = keys.masked_fill(mask, 0)\nreturn keys",
    ),
    "a return in a loop": (
        "for key in keys:\n    d_k += 1\n    return d_k",
        "for key in keys:\n    d_k += 1\nreturn d_k",
    ),
    "an assignment for a sum": (
        "for key in keys:\n    mask = key\nreturn mask",
        "for key in keys:\n    mask += key\nreturn mask",
    ),
    "a gradient that is cut off": ("return keys.detach() * 2", "return keys * 2"),
    "a statement too many": ("keys = keys * 2\nreturn keys", "return keys"),
    "a dimension that one more is of": ("return keys.squeeze(0)", "return keys.squeeze()"),
    "a pair of values and places": ("return keys - keys.max(dim=-1)", "return keys - keys.max(dim=-1).values"),
}


@pytest.mark.parametrize(("wrong", "right"), UNDONE.values(), ids=UNDONE)
def test_a_slip_is_undone(wrong: str, right: str) -> None:
    assert right in [_body(edit) for edit in _edits(wrong)]


def test_a_function_inside_a_function_has_edits_too() -> None:
    body = "def shown(key):\n    return key.sum(dim=0)\nreturn shown(keys)"

    assert body.replace("dim=0", "dim=-1") in [_body(edit) for edit in _edits(body)]


def test_what_is_no_python_has_no_edits() -> None:
    assert list(edits("def step(:\n")) == []


def test_an_edit_says_where_it_is_what_is_wrong_and_what_to_write() -> None:
    edit = next(one for one in _edits("ü = 'ü'; return torch.softmax(keys, dim=0)") if one.operator == "dimension")

    assert edit.span == (2, 2, 22, 48)
    assert edit.what == "`softmax` works along the wrong dimension"
    assert edit.how == "with `torch.softmax(keys, dim=-1)` in place of `torch.softmax(keys, dim=0)`"


def test_of_a_long_line_the_part_that_differs_is_shown_whole() -> None:
    long = "torch.where(mask.bool(), queries.softmax(dim=0), keys * mask.transpose(-2, -1).bool())"

    assert "with `keys + mask.transpose(-2, -1).bool()` in place of `keys * mask.transpose(-2, -1).bool()`" in [
        edit.how for edit in _edits(f"return torch.stack([{long}, {long}])")
    ]


def test_lines_that_are_near_come_first() -> None:
    edited = [one.span[0] for one in _edits("x = keys.sum(dim=0)\ny = mask.sum(dim=0)", near=(3,))]

    assert edited == sorted(edited, reverse=True)
