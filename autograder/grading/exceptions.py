"""What exceptions mean that students meet often: what Python and torch say, in words that say what to do."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.answer import MOST_DIMENSIONS
from autograder.grading.checks import Sheet
from autograder.grading.results import Diagnosis, Spot
from autograder.submission.parsed import Definitions

PLACE = re.compile(r"^(?P<file>\S.*), line (?P<line>\d+), in (?P<name>.*)(?:\n    (?P<code>.*))?", re.MULTILINE)
"""A line of the student's own in a traceback."""

Groups = Mapping[str, str]


@dataclass(frozen=True)
class Meaning:
    """What a message means. message, line: what is found in it, and in the line of code that raised it; its groups stand in braces.

    says: the sentence, or what makes one of the groups; no sentence, no meaning.
    """

    id: str
    message: str
    says: str | Callable[[Groups], str]
    line: str = ""

    def of(self, message: str, line: str) -> str:
        """Return what it says of a message that the code of a line raised; nothing if it says nothing of it."""
        found, here = re.search(self.message, message), re.search(self.line, line)
        if not found or not here:
            return ""
        groups = {name: text or "" for name, text in (found.groupdict() | here.groupdict()).items()}
        return self.says(groups) if callable(self.says) else self.says.format_map(groups)


def explain(shown: Sheet, definitions: Definitions) -> Diagnosis | None:
    """Say what the exception of a case means, with the line of the step that led to it; None for one of which nothing is known here."""
    answer = shown.answer
    message = answer.failure.message if answer.failure else answer.gradient_error
    places = list(PLACE.finditer(answer.failure.traceback)) if answer.failure else []
    line = places[-1]["code"] or "" if places else ""
    for meaning in MEANINGS:
        if says := meaning.of(message, line):
            place, callee = _led_to(shown, places, definitions)
            called = f"Your `{callee}`, called here, raised. " if callee else ""
            return Diagnosis("exception", meaning.id, called + says, spot=_spot(place, definitions) if place else None)
    return None


def _led_to(
    shown: Sheet, places: Sequence[re.Match[str]], definitions: Definitions
) -> tuple[re.Match[str] | None, str]:
    """Return the last place that is in no other step, and the other step that it calls, if it raised in one.

    What another step is given is looked at first: it may be right itself.
    """
    others = {step.name for step in shown.syllabus.steps} - {shown.paper.step}
    callee = ""
    for place in reversed(places):
        definition = definitions.name_at(place["file"], int(place["line"]))
        if definition not in others:
            return place, callee
        callee = definition
    return (places[-1], "") if places else (None, "")


def _spot(place: re.Match[str], definitions: Definitions) -> Spot:
    number = int(place["line"])
    text = definitions.line(place["file"], number) or place["code"] or ""
    return Spot(place["file"], number, len(text) - len(text.lstrip()), len(text.rstrip()), text)


IMPORTS = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "Tensor": "from torch import Tensor",
    "math": "import math",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "sqrt": "from math import sqrt",
}
"""What students use without having imported it, and the line that does."""

LAYER = "a layer. Call it, as in `layer(x)`: it multiplies by its weight itself"

PARTNERS = {
    "NoneType": "None: a function without a `return` gives None, and so does a method that changes something in place",
    "list": "a Python list. `torch.stack` makes one tensor of a list of tensors of one shape",
    "tuple": "a tuple, several values at once: take one of them, as in `pair[0]`, or give each a name",
    "str": "a text in quotes",
    "Size": "a whole shape. One size of it is a number: `x.shape[-1]`",
    "method": "a method that is not called: its brackets are missing",
    "builtin_function_or_method": "a method that is not called, so that its brackets are missing, or a function of Python's own, such as `input`",
    "function": "a function that is not called: its brackets are missing",
    "type": "a class. Make an object of it first, as in `layer = nn.Linear(2, 3)`",
    "ndarray": "a NumPy array. Stay in torch, whose functions have the same names",
    "int": "a Python number. Compute with that by Python's own `+ - * / **`",
    "float": "a Python number. Compute with that by Python's own `+ - * / **`",
    **dict.fromkeys(("Linear", "Dropout", "LayerNorm", "Embedding", "Sequential"), LAYER),
    **dict.fromkeys(
        ("GELU", "ReLU", "SiLU", "Tanh", "Sigmoid", "Softmax"),
        "a layer that is made and not called yet, as in `nn.ReLU()(x)`: the brackets after its name only make it",
    ),
    "ModuleList": "a list of layers: call each of them, in a loop",
}
"""What stands where a tensor should, by the name of its type."""

ALIASES = {"getset_descriptor": "method"}


def _partner(name: str) -> str:
    """Say what stands where a tensor should; nothing of types that are not known here."""
    short = name.rpartition(".")[2]
    if "return_types" in name:
        return "two things, the values and where they stand: take `.values`, or use `amax` or `amin`, which return the values"
    return PARTNERS.get(ALIASES.get(short, short), "")


def _import_missing(found: Groups) -> str:
    line = IMPORTS.get(found["name"], "")
    return f"`{found['name']}` is not imported. Write `{line}` at the top of the file." if line else ""


def _no_tensor(found: Groups) -> str:
    """Say what stands where a function takes a tensor."""
    function, kind = found["function"], found["kind"]
    if kind in ("int", "float") and function in ("sqrt", "exp", "log", "sin", "cos", "tanh"):
        other = ", or `** 0.5`" if function == "sqrt" else ""
        return f"`torch.{function}` takes a tensor, and this is a Python number: use `math.{function}` (`import math`){other}."
    what = _partner(kind)
    return f"`{function}` takes a tensor, and gets no tensor but {what}." if what else ""


def _not_operands(found: Groups) -> str:
    """Say what stands on one side of an operator."""
    sides = [side for side in (found["left"], found["right"]) if side not in ("Tensor", "int", "float")]
    what = _partner(sides[0]) if sides else ""
    return f"One side of `{found['operator']}` is no tensor but {what}." if what else ""


def _no_attribute(found: Groups) -> str:
    kind, name = found["kind"], found["name"]
    if kind == "Linear" and name not in ("weights", "wieght"):
        return f"A layer has no `{name}`: call it, as in `layer(x)`. Its numbers are `layer.weight`."
    if kind == "Tensor":
        return ""
    what = _partner(kind)
    return f"What has no `.{name}` is {what}." if what and kind not in ("int", "float") else ""


def _unpacked(found: Groups) -> str:
    """Say how many sizes a shape has, and how many names wait for them. Python tells only of too few how many there are."""
    wanted, got = int(found["wanted"]), found["got"]
    names = f"{wanted} names wait for them"
    if got:
        last = "`x.shape[-1]` is the last size in any case"
        return f"This tensor has {got} dimensions, and {names}. Count from the end: {last}."
    return f"This tensor has more than {wanted} dimensions, and {names}. Count from the end (`x.shape[-1]`), or take the others together: `*others, t, d = x.shape`."


def _products(found: Groups) -> str:
    """Say which of two matrices would have to be transposed for their product."""
    a, b, c, d = (int(found[name]) for name in "abcd")
    if re.search(r"\w\(.*\)", found["code"]) and not re.search(r"@|mm\(|mul\(|dot\(|linear\(|einsum", found["code"]):
        return f"What is called here takes rows of {c} numbers, and gets rows of {b}."
    wrong = f"{a}×{b} times {c}×{d} does not go: the columns of the first ({b}) must be as many as the rows of the second ({c})."
    fitting = []
    if b == d:
        fitting.append(f"the second transposed ({a}×{b} times {d}×{c}, which gives {a}×{c})")
    if a == c:
        fitting.append(f"the first transposed ({b}×{a} times {c}×{d}, which gives {b}×{d})")
    if d == a and (c, d) != (a, b):
        fitting.append(f"the two in the other order ({c}×{d} times {a}×{b}, which gives {c}×{b})")
    if not fitting:
        return wrong
    return f"{wrong} It goes with {' or '.join(fitting)}."


def _sizes_in_a_batch(found: Groups) -> str:
    columns, rows = found["wanted"].split(", ")[-1], found["got"].split(", ")[-1]
    if columns == rows:
        return f"A product of matrices in batches of different sizes: {found['wanted'].split(', ')[0]} and {found['got'].split(', ')[0]}."
    return f"In a product of matrices the columns of the first ({columns}) must be as many as the rows of the second ({rows})."


def _other_sizes(found: Groups) -> str:
    a, b, where = found["a"], found["b"], found["where"]
    masks = (
        " If the mask is what is too large, cut it: `mask[:t, :t]`."
        if re.search(r"self\.\w*mask\b(?!\s*\[)", found["code"])
        else " A sum or a maximum of each row needs `keepdim=True` to fit."
        if re.search(r"\b(sum|mean|max|amax|var|std)\b", found["code"])
        else ""
    )
    return f"Two tensors meet number by number, and in dimension {where} one has {a} entries, the other {b}. They must be equal, or one of them 1.{masks}"


def _no_index(found: Groups) -> str:
    size, index = int(found["size"]), int(found["index"])
    span = f"{-size} to {size - 1}" if size else "none"
    return f"Index {index} in a dimension of {size}: there the indices are {span}, as counting begins at 0."


def _no_dimension(found: Groups) -> str:
    low, high, got = int(found["low"]), int(found["high"]), int(found["got"])
    number = high + 1
    if number > MOST_DIMENSIONS or low != -number:  # no tensor has as many: it is not torch that says so
        return ""
    have = "1 dimension" if number == 1 else f"{number} dimensions"
    return f"This tensor has {have}, so there is no dimension {got}: they are {', '.join(map(str, range(number)))}, or {', '.join(map(str, range(low, 0)))} from the end."


def _subscripts(found: Groups) -> str:
    return (
        f"In the equation of `einsum`, input {int(found['operand']) + 1} has {found['letters']} letters, and this tensor has {found['dims']} "
        "dimensions: one letter each. `...` stands for any dimensions in front, as in `...qd,...kd->...qk`."
    )


def _letter(found: Groups) -> str:
    return (
        f"In the equation of `einsum`, the letter {found['letter']} stands for a dimension of {found['seen']} and for one of {found['size']}. One letter, one "
        "size: either the letters are in another order than the dimensions, or a tensor has another shape than it should."
    )


def _missing(found: Groups) -> str:
    function, names = found["function"], found["names"].replace("'", "`").replace('"', "`")
    return f"`{function}` is called without {names}. Look at its first line: an argument without `=` must be given."


def _too_many(found: Groups) -> str:
    takes, given = int(found["takes"]), int(found["given"])
    function = found["function"]
    if takes == given - 1 and function.endswith((".forward", ".__init__")) and "super()" in found["code"]:
        return "`super().__init__()` takes no arguments."
    if takes == given - 1 and takes and not found["code"]:
        return f"`{function}` takes {takes} and got {given}: is `self` missing as its first argument?"
    return ""


def _unexpected(found: Groups) -> str:
    return f"`{found['function']}` has no argument called `{found['name']}`."


def _empty_or_cut(found: Groups) -> str:
    sizes = found["sizes"].replace(" ", "")
    wanted = 1
    for size in sizes.split(","):
        wanted *= int(size)
    if "-1" in sizes:
        return f"({found['sizes']}) cannot hold these {found['count']} numbers, whatever -1 stands for."
    return f"({found['sizes']}) are {wanted} numbers, and this tensor has {found['count']}. `view` and `reshape` keep all of them."


CODE = r"(?P<code>.*)"

MEANINGS: tuple[Meaning, ...] = (
    Meaning("not_imported", r"^NameError: name '(?P<name>\w+)' is not defined", _import_missing),
    Meaning(
        "not_installed",
        r"^ModuleNotFoundError: No module named '(?P<name>\w+)'",
        "`{name}` is not installed here. The step needs only torch.",
    ),
    Meaning(
        "super_init",
        r"cannot assign (?:module|parameters?|buffers?) before Module\.__init__\(\) call",
        "`super().__init__()` must be the first line of `__init__`, before any layer or parameter is set.",
    ),
    Meaning(
        "super_called",
        r"descriptor '__init__' of 'super' object needs an argument",
        "`super` is called, too: `super().__init__()`.",
    ),
    Meaning(
        "no_forward",
        r'missing the required "forward" function',
        "The class has no method `forward`. Is its name spelt so, and is it indented, so that it lies in the class?",
    ),
    Meaning(
        "no_parameter",
        r"cannot assign '[\w.]+' as parameter '(?P<name>\w+)'",
        "`{name}` is a parameter and takes no other tensor: make one, `nn.Parameter(...)`, or write numbers into the one that is there, "
        "`{name}.copy_(...)` inside `with torch.no_grad():`.",
    ),
    Meaning(
        "init_returns",
        r"__init__\(\) should return None",
        "`__init__` returns nothing: it only sets `self.name = ...`. Take its `return` out.",
    ),
    Meaning(
        "numpy_of_gradients",
        r"Can't call numpy\(\) on Tensor that requires grad",
        "NumPy cannot work on a tensor that gradients flow through. Take the function of the same name in torch, as `torch.exp` for `np.exp`.",
    ),
    Meaning(
        "no_tensor", r"TypeError: (?P<function>\w+)\(\): argument .* must be Tensor, not (?P<kind>[\w.]+)", _no_tensor
    ),
    Meaning(
        "list_of_numbers",
        r"expected Tensor as element \d+ in argument 0, but got (?P<kind>int|float|bool)",
        "`torch.stack` and `torch.cat` join tensors, and these are Python numbers. Keep each a tensor (no `float()`, no `.item()`).",
    ),
    Meaning(
        "operand",
        r"unsupported operand type\(s\) for (?P<operator>\S+): '(?P<left>[\w.]+)' and '(?P<right>[\w.]+)'",
        _not_operands,
    ),
    Meaning(
        "several_tensors",
        r"must be tuple of Tensors, not Tensor",
        "`torch.cat` and `torch.stack` take the tensors in one list: `torch.cat([a, b], dim=-1)`.",
    ),
    Meaning(
        "unpacked",
        r"not enough values to unpack \(expected (?P<wanted>\d+), got (?P<got>\d+)\)|too many values to unpack \(expected (?P<most>\d+)\)",
        lambda found: _unpacked({**found, "wanted": found["wanted"] or found["most"]}),
        r"\.(shape|size\(\))\s*$",
    ),
    Meaning(
        "condition",
        r"Boolean value of Tensor with more than one value is ambiguous",
        "`if`, `and`, `or` and `not` ask for one yes or no, and this tensor holds many. Number by number it is `torch.where(condition, a, b)`, and "
        "`&`, `|`, `~` between conditions in brackets.",
    ),
    Meaning(
        "bmm",
        r"batch[12] must be a 3D tensor",
        "`torch.bmm` takes three dimensions, a batch in front. `@` multiplies matrices with any dimensions in front, or none.",
    ),
    Meaning(
        "mm",
        r"(?:self|mat2) must be a matrix",
        "`torch.mm` takes two matrices alone. `@` multiplies matrices with any dimensions in front.",
    ),
    Meaning(
        "dot",
        r"1D tensors expected, but got",
        "`torch.dot` takes two vectors. `@` multiplies matrices, and a matrix and a vector.",
    ),
    Meaning(
        "product",
        r"mat1 and mat2 shapes cannot be multiplied \((?P<a>\d+)x(?P<b>\d+) and (?P<c>\d+)x(?P<d>\d+)\)",
        _products,
        CODE,
    ),
    Meaning(
        "product_with_vector",
        r"size mismatch, got input \((?P<a>\d+)\), mat \((?P=a)x(?P<b>\d+)\), vec \((?P<c>\d+)\)",
        lambda found: (
            f"A matrix of {found['a']}×{found['b']} times a vector of {found['c']}: the matrix must have as many columns as the vector has numbers."
            + (f" Transposed (`.T`) it has {found['a']}." if found["a"] == found["c"] else "")
        ),
    ),
    Meaning(
        "product_in_batch",
        r"Expected size for first two dimensions of batch2 tensor to be: \[(?P<wanted>[\d, ]+)\] but got: \[(?P<got>[\d, ]+)\]",
        _sizes_in_a_batch,
    ),
    Meaning(
        "sizes",
        r"The size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at non-singleton dimension (?P<where>\d+)",
        _other_sizes,
        CODE,
    ),
    Meaning(
        "expanded",
        r"The expanded size of the tensor \((?P<a>\d+)\) must match the existing size \((?P<b>\d+)\) at non-singleton dimension (?P<where>\d+)",
        lambda found: (
            f"Dimension {found['where']} has {found['b']} entries, and {found['a']} are to be filled. They must be as many, or 1, which is repeated."
        ),
    ),
    Meaning(
        "einsum_letters",
        r"the number of subscripts in the equation \((?P<letters>\d+)\) (?:does not match|is more than) the number of dimensions \((?P<dims>\d+)\) "
        r"for operand (?P<operand>\d+)",
        _subscripts,
    ),
    Meaning(
        "einsum_sizes",
        r"einsum\(\): subscript (?P<letter>\w) has size (?P<size>\d+) for operand \d+ which does not broadcast with previously seen size (?P<seen>\d+)",
        _letter,
    ),
    Meaning(
        "index_of_floats",
        r"tensors used as indices must be long|(?:indices|index) .*scalar types: Long, Int; but got torch\.(?:cuda\.)?(?:Float|Double)",
        "An index is a whole number, and this tensor holds floats. `argmax` says where the largest stands, `max` and `amax` how large it is.",
    ),
    Meaning("index", r"index (?P<index>-?\d+) is out of bounds for dimension \d+ with size (?P<size>\d+)", _no_index),
    Meaning(
        "dimension",
        r"Dimension out of range \(expected to be in range of \[(?P<low>-\d+), (?P<high>\d+)\], but got (?P<got>-?\d+)\)",
        _no_dimension,
    ),
    Meaning(
        "indices",
        r"too many indices for tensor of dimension (?P<dims>\d+)",
        "More indices than dimensions: this tensor has {dims}.",
    ),
    Meaning(
        "single_number",
        r"invalid index of a 0-dim tensor|iteration over a 0-d tensor",
        "This tensor is a single number already, without dimensions: nothing can be taken out of it.",
    ),
    Meaning(
        "joined_numbers",
        r"zero-dimensional tensor .* cannot be concatenated",
        "`torch.cat` joins along a dimension, and these tensors are single numbers: `torch.stack` makes a vector of them.",
    ),
    Meaning(
        "joined_dimensions",
        r"Tensors must have same number of dimensions: got (?P<a>\d+) and (?P<b>\d+)",
        "`torch.cat` joins tensors of as many dimensions, and these have {a} and {b}. `x[:, None]` or `x.unsqueeze(-1)` adds one of size 1.",
    ),
    Meaning(
        "stacked",
        r"stack expects each tensor to be equal size, but got \[(?P<a>[\d, ]*)\] at entry 0 and \[(?P<b>[\d, ]*)\] at entry (?P<other>\d+)",
        "`torch.stack` takes tensors of one shape, and these have ({a}) and ({b}). What differs in one size is joined along it, by `torch.cat`, or kept apart.",
    ),
    Meaning(
        "stacked_nothing",
        r"expects a non-empty (?:TensorList|list of Tensors)",
        "The list that is to be joined is empty. Print its length before: the loop that fills it has not run, or has filled another.",
    ),
    Meaning(
        "joined",
        r"Sizes of tensors must match except in dimension (?P<where>\d+)\. Expected size (?P<a>\d+) but got size (?P<b>\d+)",
        "`torch.cat` joins along dimension {where} here; all other sizes must be equal, and there is {a} and {b}. Is `dim` the dimension that should grow?",
    ),
    Meaning(
        "shape", r"shape '\[(?P<sizes>-?\d+(?:, -?\d+)*)\]' is invalid for input of size (?P<count>\d+)", _empty_or_cut
    ),
    Meaning(
        "float_size",
        r"'float' object cannot be interpreted as an integer|type must be tuple of ints,but got float|slice indices must be integers",
        "A size or an index must be a whole number, and `/` always gives a float: divide with `//`.",
    ),
    Meaning(
        "range",
        r"only integer tensors of a single element can be converted to an index|'torch.Size' object cannot be interpreted as an integer",
        "`range` takes a number: how many there are is `len(x)`, or `x.shape[0]`.",
        r"\brange\(",
    ),
    Meaning(
        "one_number",
        r"only one element tensors can be converted|cannot be converted to Scalar",
        "`math` and `float` take a single number, and this tensor has several. torch's functions take them all at once: `torch.exp(x)`.",
        r"\b(math|float|int)\b",
    ),
    Meaning(
        "item",
        r"only one element tensors can be converted|cannot be converted to Scalar",
        "`.item()` takes the number out of a tensor that has only one; this one has several.",
        r"\.item\(",
    ),
    Meaning(
        "rebuilt",
        r"only one element tensors can be converted",
        "`torch.tensor` makes a tensor of numbers, and these are tensors already: `torch.stack` puts them together.",
        r"torch\.tensor\(",
    ),
    Meaning(
        "masked_fill",
        r"only supports boolean masks|expected condition to be a boolean tensor",
        "This mask holds numbers, not booleans: `mask.bool()`, or `mask == 1`.",
    ),
    Meaning(
        "inverted",
        r"(?:Subtraction|Negation), the `-` operator, (?:with|on) a bool tensor",
        "`-` does not work on booleans. What is True becomes False with `~mask`.",
    ),
    Meaning(
        "inverted_numbers",
        r"~ \(operator\.invert\) is only implemented on integer and Boolean-type tensors",
        "`~` inverts booleans, and this mask holds numbers: `~mask.bool()`, or `mask == 0`.",
    ),
    Meaning(
        "dtypes",
        r"expected m1 and m2 to have the same dtype, but got: (?P<one>.+) != (?P<other>.+)|expected scalar type (?P<a>\w+) but found (?P<b>\w+)",
        lambda found: (
            f"Two dtypes meet, {found['one'] or found['a']} and {found['other'] or found['b']}. What you make yourself follows the inputs with "
            "`dtype=x.dtype`; a mask or whole numbers become `.to(x.dtype)`."
        ),
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
        r"a leaf Variable that requires grad",
        "You write into a parameter while gradients are recorded. Copying is not part of the computation: do it inside "
        "`with torch.no_grad():`.",
    ),
    Meaning(
        "inplace",
        r"modified by an inplace operation",
        "You write into a tensor (`+=`, `x[...] = ...`, a method that ends in `_`) that backward still needs. Make a new tensor.",
    ),
    Meaning(
        "called",
        r"'(?P<kind>int|float|Tensor)' object is not callable",
        lambda found: (
            "Brackets follow a tensor, as if it were a function. A layer is called; tensors are multiplied, by `@` or `*`. Or a variable of that name "
            "hides a function."
            if found["kind"] == "Tensor"
            else "Brackets follow a number, as if it were a function. An argument or a variable of that name hides the function, or a `*` is missing."
        ),
    ),
    Meaning(
        "tuple_called",
        r"'tuple' object is not callable",
        "This is a tuple, several things at once, and is called. A comma at the end of the line that made it does that: `self.W = layer,`.",
    ),
    Meaning(
        "no_layer",
        r"is not a Module subclass",
        "`nn.Sequential` and `nn.ModuleList` hold layers, and this is a function. Take the layer of that name, an object: `nn.ReLU()`, `nn.GELU()`.",
    ),
    Meaning(
        "einsum_equation",
        r"einsum\(\): invalid subscript given at index \d+",
        "The equation of `einsum` has one letter for each dimension, no brackets and no words: it multiplies and adds up. To join or to cut dimensions is for `reshape`.",
    ),
    Meaning(
        "dimensions_in_a_list",
        r"transpose\(\): argument 'dim0' .* must be int, not (?:list|tuple)|transpose\(\) takes 2 positional arguments but [3-9] were given",
        "`transpose` swaps two dimensions: `x.transpose(1, 2)`. All of them in another order are for `permute`: `x.permute(0, 2, 1)`.",
    ),
    Meaning(
        "contracted",
        r"contracted dimensions need to match, but first has size (?P<a>\d+) in dim (?P<d>-?\d+) and second has size (?P<b>\d+) in dim (?P<e>-?\d+)",
        "`tensordot` multiplies the last {a} numbers of the first with the first {b} of the second: they must be as many. Its `dims` names others.",
    ),
    Meaning(
        "written_into",
        r"output with shape \[(?P<a>[\d, ]*)\] doesn't match the broadcast shape \[(?P<b>[\d, ]*)\]",
        "What is written into a tensor of shape ({a}) would make it ({b}): an operation in place cannot change a shape. One of the two has the wrong size.",
    ),
    Meaning(
        "split",
        r"too many values to unpack|not enough values to unpack",
        "`split` takes the size of each piece, not how many there are; the pieces here are not as many as the names. A list gives each its own: `x.split([2, 2, 3], dim=-1)`.",
        r"\.split\(",
    ),
    Meaning(
        "not_called",
        r"'torch\.Size' object is not callable",
        "A shape is not called: `x.shape[0]` with square brackets, or `x.size(0)`.",
    ),
    Meaning(
        "unset",
        r"cannot access local variable '(?P<name>\w+)'|local variable '(?P<before>\w+)' referenced before assignment",
        lambda found: (
            f"`{found['name'] or found['before']}` has no value yet where it is used. Set it before: ahead of the loop, or in both branches of an `if`."
        ),
    ),
    Meaning(
        "argument_missing",
        r"TypeError: (?P<function>[\w.]+)\(\) missing \d+ required positional arguments?: (?P<names>.+)",
        _missing,
    ),
    Meaning(
        "arguments",
        r"TypeError: (?P<function>[\w.]+)\(\) takes (?P<takes>\d+) positional arguments? but (?P<given>\d+) (?:was|were) given",
        _too_many,
        CODE,
    ),
    Meaning(
        "keyword",
        r"TypeError: (?P<function>[\w.]+)\(\) (?:received an invalid combination of arguments - got \(.*?\b(?P<misspelt>dims|dimension|keep_dim|axes)=|"
        r"got an unexpected keyword argument '(?P<name>\w+)')",
        lambda found: _unexpected({**found, "name": found["name"] or found["misspelt"]}),
    ),
    Meaning(
        "infinity_in_quotes",
        r"masked_fill_?\(\) received an invalid combination of arguments - got \(Tensor, str\)",
        "The second argument of `masked_fill` is a number, without quotes: `float('-inf')`, or `-torch.inf`.",
    ),
    Meaning("attribute", r"AttributeError: '(?P<kind>[\w.]+)' object has no attribute '(?P<name>\w+)'", _no_attribute),
    Meaning(
        "nothing_inside",
        r"'NoneType' object is not (?:subscriptable|callable|iterable)",
        "This is None: a function without a `return` gives None, and so does a method that changes something in place.",
    ),
    Meaning(
        "endless",
        r"RecursionError: maximum recursion depth exceeded",
        "A function calls itself without end: it needs another name than the function that it should call.",
    ),
)
"""What is looked for, in this order."""
