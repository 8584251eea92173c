"""Explanations of exceptions that students often meet, with advice."""

import re
from itertools import takewhile
from typing import NamedTuple

from autograder.grading.checks import Sheet
from autograder.grading.results import Diagnosis

PLACE = re.compile(r"^(?P<file>\S.*), line (?P<line>\d+), in (?P<name>.*)(?:\n    (?P<code>.*))?", re.MULTILINE)
"""A traceback frame of the student's code, with the source line if there is one."""

NOT_DEFINED = re.compile(r"NameError: name '(?P<name>\w+)' is not defined")
"""Python's message for an undefined name."""

IMPORTS = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "Tensor": "from torch import Tensor",
    "math": "import math",
    "sqrt": "from math import sqrt",
}

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


DTYPES = {
    **dict.fromkeys(("float", "Float"), "float32"),
    **dict.fromkeys(("double", "Double"), "float64"),
    **dict.fromkeys(("c10::Half", "Half"), "float16"),
}
"""The dtypes that torch's messages call by names of C++."""


class Meaning(NamedTuple):
    """An explanation for exceptions. message, line: patterns for the message and the source line.

    says: a format string. The fields are the groups of `message`, and `words`: the text in KINDS
    for the type in the group `kind`.
    """

    id: str
    message: str
    says: str
    line: str = ""

    def of(self, message: str, line: str) -> str:
        """Return the explanation of an exception; "" if its message or line does not match."""
        found = re.search(self.message, message)
        if not found or not re.search(self.line, line):
            return ""
        groups = {name: DTYPES.get(text, text) or "" for name, text in found.groupdict().items()}
        words = KINDS.get(groups["kind"].rpartition(".")[2], "") if "kind" in groups else "-"
        return self.says.format_map({**groups, "words": words}) if words else ""


def explain(shown: Sheet) -> Diagnosis | None:
    """Explain the exception in a case or in its backward pass, by the first match in MEANINGS."""
    answer = shown.answer
    message = answer.failure.message if answer.failure else answer.gradient_error
    if unknown := NOT_DEFINED.match(message):
        return _undefined(shown, unknown["name"], has_advice=unknown.end() < len(message))
    places = list(PLACE.finditer(answer.failure.traceback)) if answer.failure else []
    line = places[-1]["code"] or "" if places else ""
    explained = ((meaning.id, meaning.of(message, line)) for meaning in MEANINGS)
    return next((Diagnosis("exception", id, says) for id, says in explained if says), None)


def _undefined(shown: Sheet, name: str, has_advice: bool) -> Diagnosis | None:
    """Explain an undefined name. has_advice: whether Python's message suggests another name."""
    if name in IMPORTS:
        says = f"`{name}` is not imported. Write `{IMPORTS[name]}` at the top of the file."
        return Diagnosis("exception", "not_imported", says)
    earlier = takewhile(lambda part: part.name != shown.step.part, shown.syllabus.parts)
    homes = [part.name for part in earlier if name in {one.name for one in part.steps}]
    if homes:
        says = f"Your `{name}` is in another file: import it, `from {homes[-1]} import {name}`, or write here what it does."
        return Diagnosis("relation", "defined_elsewhere", says)
    says = f"There is no `{name}` here: no argument, no variable and no import has this name."
    return None if has_advice else Diagnosis("exception", "undefined", says)


MEET = "Two tensors meet number by number, and in dimension {where} one has {a} entries, the other {b}. They must be equal, or one of them 1."
SIZES = r"size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at non-singleton dimension (?P<where>\d+)"
PRODUCT = r"mat1 and mat2 shapes cannot be multiplied \((?P<a>\d+)x(?P<b>\d+) and (?P<c>\d+)x(?P<d>\d+)\)"

MEANINGS: tuple[Meaning, ...] = (
    Meaning(
        "numpy_names",
        r"invalid combination of arguments - got .*\b(axis|keepdims)=|unexpected keyword argument '(axis|keepdims)'",
        "A NumPy function meets a tensor. In torch, `axis` is `dim` and `keepdims` is `keepdim`, as in `scores.sum(dim=-1, keepdim=True)`; `max` is `amax`.",
    ),
    Meaning(
        "no_dimension",
        r"(?P<function>\w+)\(\) missing (?:1 )?required positional arguments?: [\"']dim",
        "`{function}` needs the dimension to run over. The last one is `dim=-1`.",
    ),
    Meaning(
        "no_gpu",
        r"not compiled with CUDA|No CUDA GPUs|Found no NVIDIA",
        "The grader has no GPU. Leave the device out, or take that of an input: `torch.zeros(3, device=scores.device)`.",
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
        "python_maximum",
        r"Boolean value of Tensor with more than one value is ambiguous",
        "`max` and `min` here are Python's own, which compare numbers one by one. torch's are `scores.amax(dim=-1, keepdim=True)` and `amin`.",
        r"(?<![.\w])(max|min)\(",
    ),
    Meaning(
        "condition",
        r"Boolean value of Tensor with more than one value is ambiguous",
        "`if`, `and`, `or` and `not` ask for one yes or no, and this tensor holds many. Number by number it is `torch.where(condition, a, b)`, and "
        "`&`, `|`, `~` between conditions in brackets.",
    ),
    Meaning(
        "product",
        PRODUCT,
        "{a}×{b} times {c}×{d} does not go: the columns of the first ({b}) must be as many as the rows of the second ({c}).",
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
        "float_size",
        r"'float' object cannot be interpreted as an integer|type must be tuple of ints,but got float|slice indices must be integers",
        "A size or an index must be a whole number, and `/` always gives a float: divide with `//`.",
    ),
    Meaning(
        "stacked",
        r"only one element tensors can be converted|cannot be converted to Scalar",
        "`torch.tensor` makes a tensor of numbers. `torch.stack` makes one of tensors.",
        r"torch\.(as_)?tensor\(",
    ),
    Meaning(
        "one_number",
        r"only one element tensors can be converted|cannot be converted to Scalar",
        "`math`, `float` and `.item()` take a single number, and this tensor has several. torch's functions take them all at once: `torch.exp(x)`. "
        "`torch.stack` makes one tensor of several.",
    ),
    Meaning(
        "dtypes",
        r"expected m1 and m2 to have the same dtype, but got: (?P<one>.+) != (?P<other>.+)|expected scalar type (?P<a>\w+) but found (?P<b>\w+)",
        "Two dtypes meet, {one}{a} and {other}{b}. Leave `dtype` out of new tensors, or convert one of the two, as in `mask.to(scores.dtype)`.",
    ),
    Meaning(
        "whole_numbers",
        r"Input dtype must be either a floating point or complex dtype|\"\w+\" not implemented for '(?:Long|Int|Bool)'",
        "These are whole numbers or booleans, and this operation takes floats: convert them, as in `mask.to(scores.dtype)`.",
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
    Meaning("not_begun", r"before Module.__init__\(\) call", "Begin `__init__` with `super().__init__()`."),
    Meaning("recursion", r"maximum recursion depth", "Your function calls itself without an end."),
    Meaning(
        "no_such_function",
        r"module '(?P<where>torch[\w.]*)' has no attribute '(?P<name>\w+)'",
        "`{where}` has no `{name}`. Functions of tensors are in `torch` and `torch.nn.functional`.",
    ),
    Meaning(
        "attribute",
        r"AttributeError: '(?P<kind>(?!int'|float')[\w.]+)' object has no attribute '(?P<name>\w+)'",
        "`.{name}` is asked of {words}.",
    ),
)
