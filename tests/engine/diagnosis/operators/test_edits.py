"""Edits: what a definition may become by one slip undone, the likeliest first."""

import ast

import pytest

from autograder.diagnosis.operators.edits import Edit, edits, how, what

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
    "a case that should not be": (
        "if d_k == 1:\n    return keys\nelse:\n    return queries",
        "if False:\n    return keys\nelse:\n    return queries",
    ),
    "a slice": ("return keys[:, 1:]", "return keys[:, :1]"),
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
    "an einsum": (
        "return torch.einsum('bij,bjk->bik', queries, keys)",
        "return torch.einsum('bij,bkj->bik', queries, keys)",
    ),
    "a statement too many": ("keys = keys * 2\nreturn keys", "return keys"),
    "two statements exchanged": (
        "keys = keys * 2\nkeys = keys + 1\nreturn keys",
        "keys = keys + 1\nkeys = keys * 2\nreturn keys",
    ),
    "a dimension that one more is of": ("return keys.squeeze(0)", "return keys.squeeze()"),
    "a pair of values and places": ("return keys - keys.max(dim=-1)", "return keys - keys.max(dim=-1).values"),
    "the last for the first": ("return keys[:, :d_k]", "return keys[:, -d_k:]"),
}


@pytest.mark.parametrize(("wrong", "right"), UNDONE.values(), ids=UNDONE)
def test_a_slip_is_undone(wrong: str, right: str) -> None:
    assert right in [_body(edit) for edit in _edits(wrong)]


def test_the_default_of_an_argument_is_a_number_too() -> None:
    assert "def step(base=1):\n    return base\n" in [
        edit.text for edit in edits("def step(base=2):\n    return base\n")
    ]


def test_a_function_inside_a_function_has_edits_too() -> None:
    body = "def shown(key):\n    return key.sum(dim=0)\nreturn shown(keys)"

    assert body.replace("dim=0", "dim=-1") in [_body(edit) for edit in _edits(body)]


def test_no_text_comes_twice() -> None:
    texts = [
        edit.text for edit in _edits("keys = keys.transpose(0, 1)\nreturn torch.softmax(queries @ keys / d_k, dim=0)")
    ]

    assert len(texts) == len(set(texts))


def test_every_edit_is_python() -> None:
    for edit in _edits(
        "b, t = keys.shape\nfor _ in range(t):\n    keys[:, 1:] = (queries + keys).T\nreturn keys.view(b, t)",
    ):
        ast.parse(edit.text)


def test_what_is_no_python_has_no_edits() -> None:
    assert list(edits("def step(:\n")) == []


def test_other_lines_stay_as_they_are_written() -> None:
    odd = "keys   =   keys*2   # twice"

    assert all(
        odd in edit.text for edit in _edits(f"{odd}\nreturn keys.softmax(dim=0)") if edit.operator == "dimension"
    )


def test_an_edit_says_where_it_is() -> None:
    edit = next(
        edit
        for edit in _edits("ü = 'ü'; return torch.softmax(keys, dim=0)")
        if edit.becomes == "torch.softmax(keys, dim=-1)"
    )

    assert (edit.line, edit.first, edit.last) == (2, 20, 46)


def test_what_is_wrong_is_said_without_the_edit() -> None:
    edit = next(edit for edit in _edits("return torch.softmax(keys, dim=0)") if edit.becomes.endswith("dim=-1)"))

    assert what(edit) == "`softmax` works along the wrong dimension"
    assert how(edit) == "with `torch.softmax(keys, dim=-1)` in place of `torch.softmax(keys, dim=0)`"


def test_of_a_long_line_the_part_that_differs_is_shown_whole() -> None:
    long = "torch.where(mask.bool(), queries.softmax(dim=0), keys * mask.transpose(-2, -1).bool())"
    made = {(edit.was, edit.becomes) for edit in _edits(f"return torch.stack([{long}, {long}])")}

    assert ("keys * mask.transpose(-2, -1).bool()", "keys + mask.transpose(-2, -1).bool()") in made


@pytest.mark.parametrize(
    ("makes", "uses"),
    [
        ("x = keys.sum(dim=0)", "y = x.item(3)"),
        ("self.layer = keys.sum(dim=0)", "y = self.layer(queries)"),
        ("self.register_buffer('mask', keys.sum(dim=0))", "y = queries * self.mask"),
        ("rows.append(keys.sum(dim=0))", "y = stack(rows)"),
        ("out[0] = keys.sum(dim=0)", "y = out.item(3)"),
        ("total += keys.sum(dim=0)", "y = total.item(3)"),
    ],
)
def test_edits_of_what_makes_what_is_used_near_come_before_those_of_what_does_not(makes: str, uses: str) -> None:
    body = f"other = mask.sum(dim=0)\n{makes}\n{uses}"
    edited = [one.line for one in _edits(body, near=(4,)) if one.operator == "dimension"]

    assert edited.index(3) < edited.index(2)
