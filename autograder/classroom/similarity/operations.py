"""One name for each operation of tensors, of the several that it is written by."""

import ast
import re

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.MatMult: "matmul",
    ast.Pow: "pow",
    ast.USub: "neg",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
TURNED_ROUND = {ast.Gt: "lt", ast.GtE: "le"}
"""Comparisons that are others with their sides exchanged."""

ALIASES = {
    **dict.fromkeys(("T", "mT", "t", "swapaxes", "swapdims"), "transpose"),
    **dict.fromkeys(("mm", "bmm", "mv", "dot", "inner", "vdot"), "matmul"),
    **dict.fromkeys(("multiply", "mul_"), "mul"),
    **dict.fromkeys(("divide", "true_divide", "div_"), "div"),
    **dict.fromkeys(("subtract", "sub_"), "sub"),
    "add_": "add",
    "view": "reshape",
    "view_as": "reshape",
    "reshape_as": "reshape",
    "negative": "neg",
    "power": "pow",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "concat": "cat",
    "concatenate": "cat",
    "masked_fill_": "masked_fill",
    "Softmax": "softmax",
}
"""Names of the same operation."""

COMMUTATIVE = {"add", "mul", "eq", "ne", "and", "or"}
IN_VAIN = {"print", "contiguous", "clone"}
"""Operations whose result is what they are given, or nothing."""

EINSUM = re.compile(r"[\sA-Za-z.,]+->[\sA-Za-z.]*")


def operator_name(node: ast.AST) -> str:
    """Return the name of an operator."""
    return OPERATORS.get(type(node), type(node).__name__)


def lettered(text: str) -> str:
    """Return a text as it is compared; the letters of a sum over dimensions by their order."""
    if not EINSUM.fullmatch(text):
        return repr(text)
    letters = dict.fromkeys(re.findall("[A-Za-z]", text))
    numbers = {letter: str(number) + " " for number, letter in enumerate(letters)}
    return "".join(numbers.get(letter, letter) for letter in text if letter != " ")
