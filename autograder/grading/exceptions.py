"""Explanations of exceptions that students often meet, with advice."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from autograder.grading.checks import Sheet
from autograder.grading.results import Diagnosis, Spot
from autograder.submission.parsed import Definitions

PLACE = re.compile(r"^(?P<file>\S.*), line (?P<line>\d+), in (?P<name>.*)(?:\n    (?P<code>.*))?", re.MULTILINE)
"""Matches a traceback frame of the student's code, with its source line if there is one."""

IMPORTS = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "Tensor": "from torch import Tensor",
    "math": "import math",
    "np": "import numpy as np",
    "sqrt": "from math import sqrt",
}
"""The import statements for names that students often use without an import."""

METHOD = "a method that is not called, so that its brackets are missing, or a function of Python's own"
LAYER = "a layer. Call it, as in `layer(x)`: it multiplies by its weight itself"

KINDS = {
    "NoneType": "None: a function without a `return` gives None, and so does a method that changes something in place",
    "list": "a Python list. `torch.stack` makes one tensor of a list of tensors of one shape",
    "tuple": "a tuple, several values at once: take one of them, as in `pair[0]`, or give each a name",
    "str": "a text in quotes",
    "Size": "a whole shape. One size of it is a number: `x.shape[-1]`",
    **dict.fromkeys(("method", "getset_descriptor", "builtin_function_or_method"), METHOD),
    "function": "a function that is not called: its brackets are missing",
    "type": "a class. Make an object of it first, as in `layer = nn.Linear(2, 3)`",
    "ndarray": "a NumPy array. Stay in torch, whose functions have the same names",
    **dict.fromkeys(("int", "float"), "a Python number. Compute with that by Python's own `+ - * / **`, or by `math`"),
    **dict.fromkeys(("max", "min"), "the values and where they are: take `.values`, or use `amax` or `amin`"),
    "ModuleList": "a list of layers: call each of them, in a loop",
    **dict.fromkeys(("Linear", "Dropout", "LayerNorm", "Embedding", "Sequential"), LAYER),
    **dict.fromkeys(
        ("GELU", "ReLU", "SiLU", "Tanh", "Sigmoid", "Softmax"),
        "a layer that is made and not called yet, as in `nn.ReLU()(x)`: the brackets after its name only make it",
    ),
}
"""Explanations of objects that are used in place of a tensor, by the name of their type."""


class Meaning(NamedTuple):
    """The explanation of an exception whose message and source line match two regular expressions.

    says: a format string. Its fields are groups of the expressions, `fits` (a text by `_fitting`)
    and `words` (the text for the group `module` in IMPORTS, or for the group `kind` in KINDS).
    """

    id: str
    message: str
    says: str
    line: str = ""

    def of(self, message: str, line: str) -> str:
        """Return the explanation of an exception at a source line; "" if this one does not fit."""
        found, here = re.search(self.message, message), re.search(self.line, line)
        if not found or not here:
            return ""
        groups = {name: text or "" for name, text in (found.groupdict() | here.groupdict()).items()}
        for group, table in (("module", IMPORTS), ("kind", KINDS)):
            if group in groups:
                groups["words"] = table.get(groups[group].rpartition(".")[2], "")
        return self.says.format_map({**groups, "fits": _fitting(groups)}) if groups.get("words", "-") else ""


def _fitting(groups: Mapping[str, str]) -> str:
    """Return a sentence on how to multiply two matrices, a×b and c×d, or an empty text."""
    if not {*"abcd"} <= groups.keys():
        return ""
    a, b, c, d = (groups[name] for name in "abcd")
    ways = {
        f"the second transposed ({a}×{b} times {d}×{c})": b == d,
        f"the first transposed ({b}×{a} times {c}×{d})": a == c,
        f"the two in the other order ({c}×{d} times {a}×{b})": d == a and (c, d) != (a, b),
    }
    fitting = " or ".join(way for way, fits in ways.items() if fits)
    return f" It goes with {fitting}." if fitting else ""


def explain(shown: Sheet, definitions: Definitions) -> Diagnosis | None:
    """Explain the exception of a case or of its backward pass by the first fitting of MEANINGS."""
    answer = shown.answer
    message = answer.failure.message if answer.failure else answer.gradient_error
    places = list(PLACE.finditer(answer.failure.traceback)) if answer.failure else []
    line = places[-1]["code"] or "" if places else ""
    for meaning in MEANINGS:
        if says := meaning.of(message, line):
            spot, callee = _led_to(shown, places, definitions) if places else (None, "")
            called = f"Your `{callee}`, called here, raised. " if callee else ""
            return Diagnosis("exception", meaning.id, called + says, spot=spot)
    return None


def _led_to(shown: Sheet, places: Sequence[re.Match[str]], definitions: Definitions) -> tuple[Spot, str]:
    """Return the line that led to an exception, and the called step that raised, or an empty text.

    The line is not in the called step, which may be right and have wrong arguments.
    """
    others = {step.name for step in shown.syllabus.steps} - {shown.paper.step}
    names = [definitions.name_at(place["file"], int(place["line"])) for place in places]
    own = max((at for at, name in enumerate(names) if name not in others), default=len(names) - 1)
    file, number = places[own]["file"], int(places[own]["line"])
    text = definitions.line(file, number) or places[own]["code"] or ""
    return Spot(file, number, len(text) - len(text.lstrip()), len(text.rstrip()), text), "".join(
        names[own + 1 : own + 2]
    )


MEET = "Two tensors meet number by number, and in dimension {where} one has {a} entries, the other {b}. They must be equal, or one of them 1."
SIZES = r"size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at non-singleton dimension (?P<where>\d+)"
PRODUCT = r"mat1 and mat2 shapes cannot be multiplied \((?P<a>\d+)x(?P<b>\d+) and (?P<c>\d+)x(?P<d>\d+)\)"

MEANINGS: tuple[Meaning, ...] = (
    Meaning(
        "not_imported",
        r"^NameError: name '(?P<module>\w+)' is not defined",
        "`{module}` is not imported. Write `{words}` at the top of the file.",
    ),
    Meaning(
        "super_init",
        r"cannot assign (?:module|parameters?|buffers?) before Module\.__init__\(\) call",
        "`super().__init__()` must be the first line of `__init__`, before any layer or parameter is set.",
    ),
    Meaning(
        "no_tensor",
        r"TypeError: (?P<function>\w+)\(\): argument .* must be Tensor, not (?P<kind>[\w.]+)",
        "`{function}` takes a tensor, and gets no tensor but {words}.",
    ),
    Meaning(
        "operand",
        r"operand type\(s\) for (?P<operator>\S+): (?:'(?:Tensor|int|float)' and )?'(?P<kind>(?!Tensor|int'|float')[\w.]+)'",
        "One side of `{operator}` is no tensor but {words}.",
    ),
    Meaning(
        "unpacked",
        r"values to unpack \(expected (?P<wanted>\d+)",
        "The shape has another number of sizes than the {wanted} names. Count from the end, `x.shape[-1]`, or write `*others, t, d = x.shape`.",
        r"\.(shape|size\(\))\s*$",
    ),
    Meaning(
        "split",
        r"values to unpack",
        "`split` takes the size of each piece, not how many there are. A list gives each its own: `x.split([2, 2, 3], dim=-1)`.",
        r"\.split\(",
    ),
    Meaning(
        "condition",
        r"Boolean value of Tensor with more than one value is ambiguous",
        "`if`, `and`, `or` and `not` ask for one yes or no, and this tensor holds many. Number by number it is `torch.where(condition, a, b)`, and "
        "`&`, `|`, `~` between conditions in brackets.",
    ),
    Meaning(
        "matrices_alone",
        r"batch[12] must be a 3D tensor|(?:self|mat2) must be a matrix|1D tensors expected, but got",
        "`torch.dot` takes two vectors, `torch.mm` two matrices, `torch.bmm` three dimensions. `@` multiplies matrices with any dimensions in front.",
    ),
    Meaning(
        "product",
        PRODUCT,
        "{a}×{b} times {c}×{d} does not go: the columns of the first ({b}) must be as many as the rows of the second ({c}).{fits}",
    ),
    Meaning("sizes", SIZES, MEET + " If the mask is too large, cut it: `mask[:t, :t]`.", r"self\.\w*mask\b(?!\s*\[)"),
    Meaning(
        "sizes",
        SIZES,
        MEET + " A sum or a maximum of each row needs `keepdim=True` to fit.",
        r"\b(sum|mean|max|amax|var|std)\b",
    ),
    Meaning("sizes", SIZES, MEET),
    Meaning(
        "expanded",
        r"The expanded size of the tensor \((?P<a>\d+)\) must match the existing size \((?P<b>\d+)\) at non-singleton dimension (?P<where>\d+)",
        "Dimension {where} has {b} entries, and {a} are to be filled. They must be as many, or 1, which is repeated.",
    ),
    Meaning(
        "einsum_letters",
        r"subscripts in the equation \((?P<letters>\d+)\) (?:does not match|is more than) the number of dimensions \((?P<dims>\d+)\) for operand (?P<operand>\d+)",
        "In the equation of `einsum`, input {operand}, counted from 0, has {letters} letters, and this tensor has {dims} dimensions: one letter "
        "each. `...` stands for any dimensions in front, as in `...qd,...kd->...qk`.",
    ),
    Meaning(
        "einsum_sizes",
        r"einsum\(\): subscript (?P<letter>\w) has size (?P<size>\d+) for operand \d+ which does not broadcast with previously seen size (?P<seen>\d+)",
        "In the equation of `einsum`, the letter {letter} stands for a dimension of {seen} and for one of {size}. One letter, one "
        "size: either the letters are in another order than the dimensions, or a tensor has another shape than it should.",
    ),
    Meaning(
        "index",
        r"index (?P<index>-?\d+) is out of bounds for dimension \d+ with size (?P<size>\d+)",
        "Index {index} in a dimension of {size}: counting begins at 0, and the last index is one less than the size.",
    ),
    Meaning(
        "dimension",
        r"Dimension out of range \(expected to be in range of \[(?P<low>-\d+), (?P<high>\d+)\], but got (?P<got>-?\d+)\)",
        "This tensor has no dimension {got}: its dimensions are counted from 0 to {high}, or from {low} to -1 from the end.",
    ),
    Meaning(
        "joined_dimensions",
        r"Tensors must have same number of dimensions: got (?P<a>\d+) and (?P<b>\d+)",
        "`torch.cat` joins tensors of as many dimensions, and these have {a} and {b}. `x[:, None]` or `x.unsqueeze(-1)` adds one of size 1.",
    ),
    Meaning(
        "joined",
        r"Sizes of tensors must match except in dimension (?P<where>\d+)\. Expected size (?P<a>\d+) but got size (?P<b>\d+)",
        "`torch.cat` joins along dimension {where} here; all other sizes must be equal, and there is {a} and {b}. Is `dim` the dimension that should grow?",
    ),
    Meaning(
        "shape",
        r"shape '\[(?P<sizes>-?\d+(?:, -?\d+)*)\]' is invalid for input of size (?P<count>\d+)",
        "`view` and `reshape` keep all {count} numbers, and ({sizes}) cannot hold as many.",
    ),
    Meaning(
        "float_size",
        r"'float' object cannot be interpreted as an integer|type must be tuple of ints,but got float|slice indices must be integers",
        "A size or an index must be a whole number, and `/` always gives a float: divide with `//`.",
    ),
    Meaning(
        "one_number",
        r"only one element tensors can be converted|cannot be converted to Scalar",
        "`math`, `float` and `.item()` take a single number, and this tensor has several. torch's functions take them all at once: `torch.exp(x)`. "
        "`torch.stack` makes one tensor of several.",
    ),
    Meaning(
        "masked_fill",
        r"only supports boolean masks|expected condition to be a boolean tensor",
        "This mask holds numbers, not booleans: `mask.bool()`, or `mask == 1`.",
    ),
    Meaning(
        "inverted",
        r"(?:Subtraction|Negation), the `-` operator, (?:with|on) a bool tensor|~ \(operator\.invert\) is only implemented",
        "`-` does not work on booleans, and `~` on them alone. What is True becomes False with `~mask.bool()`.",
    ),
    Meaning(
        "dtypes",
        r"expected m1 and m2 to have the same dtype, but got: (?P<one>.+) != (?P<other>.+)|expected scalar type (?P<a>\w+) but found (?P<b>\w+)",
        "Two dtypes meet, {one}{a} and {other}{b}. Make tensors with `dtype=x.dtype`; a mask or whole numbers become `.to(x.dtype)`.",
    ),
    Meaning(
        "whole_numbers",
        r"Input dtype must be either a floating point or complex dtype|\"\w+\" not implemented for '(?:Long|Int|Bool)'",
        "These are whole numbers or booleans, and this operation takes floats: `.to(x.dtype)`, where `x` is an input with floats.",
    ),
    Meaning(
        "view",
        r"view size is not compatible",
        "`view` needs the numbers in memory in the order of the dimensions, and after a `transpose` they are not: use `reshape`.",
    ),
    Meaning(
        "leaf",
        r"a leaf Variable that requires grad|cannot assign '[\w.]+' as parameter",
        "Into a parameter numbers are copied outside of the computation: `self.W.copy_(...)` inside `with torch.no_grad():`.",
    ),
    Meaning(
        "inplace",
        r"modified by an inplace operation",
        "You write into a tensor (`+=`, `x[...] = ...`, a method that ends in `_`) that backward still needs. Make a new tensor.",
    ),
    Meaning(
        "called",
        r"'(?:Tensor|int|float|tuple|torch\.Size)' object is not callable",
        "Brackets follow a value, as if it were a function: a `*` or an `@` is missing, square brackets are meant, or a variable hides the function.",
    ),
    Meaning(
        "dimensions_in_a_list",
        r"transpose\(\): argument 'dim0' .* must be int, not (?:list|tuple)|transpose\(\) takes 2 positional arguments but [3-9] were given",
        "`transpose` swaps two dimensions: `x.transpose(1, 2)`. All of them in another order are for `permute`: `x.permute(0, 2, 1)`.",
    ),
    Meaning(
        "attribute",
        r"AttributeError: '(?P<kind>(?!int'|float')[\w.]+)' object has no attribute '(?P<name>\w+)'",
        "`.{name}` is asked of {words}.",
    ),
)
"""The explanations, in the order in which they are tried."""
