"""Slips of calls: another operation, one missing or needless, its arguments; layers, gradients, kinds of numbers."""

import ast
from collections.abc import Callable, Iterator

from autograder.diagnosis.operators.building import (
    Value,
    attribute,
    call,
    combined,
    constant,
    method,
    name,
    own,
    with_argument,
    with_function,
    with_keyword,
    without_keyword,
)
from autograder.diagnosis.operators.places import exchanged
from autograder.diagnosis.operators.scope import Scope, called, is_library, numbers_of, subject

ALIKE = (
    ("sum", "mean", "amax"),
    ("amax", "amin", "max", "min"),
    ("cat", "stack", "concat"),
    ("repeat", "repeat_interleave", "expand"),
    ("tril", "triu"),
    ("randn", "rand"),
    ("var", "std"),
    ("softmax", "log_softmax", "sigmoid"),
    ("argmax", "argmin"),
    ("maximum", "minimum", "max"),
    ("GELU", "ReLU", "Tanh", "SiLU", "Sigmoid"),
    ("gelu", "relu", "tanh", "silu", "sigmoid"),
    ("cos", "sin"),
    ("sqrt", "rsqrt", "isqrt"),
    ("ceil", "floor", "round"),
    ("view", "reshape"),
    ("matmul", "mul", "dot", "mm", "bmm", "outer"),
    ("eval", "train"),
    ("append", "extend"),
    ("ones_like", "zeros_like"),
    ("uniform_", "normal_"),
)
"""What is taken for each other."""

ALONG_ONE = ("softmax", "log_softmax")
"""Operations that must be told the dimension along which they run."""

DISTANT = (
    ("sum", "cumsum", "prod"),
    ("amax", "mean"),
    ("var", "mean"),
    ("softmax", "exp", "cumsum"),
    ("exp", "exp2", "expm1", "abs", "log"),
    ("log", "log2", "log10"),
    ("rand", "randn", "zeros", "ones", "empty"),
    ("arange", "ones", "range"),
    ("view", "transpose"),
    ("unsqueeze", "flatten", "squeeze"),
    ("new_zeros", "new_ones"),
    ("bool", "float", "double", "long", "int64"),
)
"""What is taken for each other less often."""


def other_operation(
    groups: tuple[tuple[str, ...], ...],
) -> Callable[[ast.Call | ast.Attribute, Scope], Iterator[ast.expr]]:
    """Return what puts an operation in the place of one that resembles it."""

    def find(node: ast.Call | ast.Attribute, scope: Scope) -> Iterator[ast.expr]:
        match node:
            case ast.Call():
                given = called(node)
                yield from (
                    _along_last(with_function(node, other))
                    for group in groups
                    if given in group
                    for other in group
                    if other != given
                )
            case ast.Attribute(value, given) if is_library(value) and not isinstance(scope.parent(node), ast.Call):
                yield from (
                    attribute(value, other) for group in groups if given in group for other in group if other != given
                )

    return find


def _along_last(node: ast.Call) -> ast.Call:
    """Return a call that is told to run along the last dimension, if it must be told one and is not."""
    must_be_told = called(node) in ALONG_ONE and not node.keywords and not numbers_of(node)
    return with_keyword(node, "dim", -1) if must_be_told else node


def needless_mask(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Something is hidden that should be seen."""
    if called(node) in ("masked_fill", "tril", "triu") and (value := subject(node)) is not None:
        yield value


def sampled(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Drawn at random by probability, where the likeliest is meant."""
    if called(node) == "multinomial" and (likely := subject(node)) is not None:
        yield method(likely, "argmax", dim=-1, keepdim=True)


def used_operation(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """An operation that the step is usually made of."""
    if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name | ast.Attribute) | is_library(
        node.func.value
    ):
        return
    yield from (with_function(node, other) for other in sorted(scope.uses - {called(node)}) if other.isidentifier())


def in_place(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """It changes what it works on."""
    given = called(node)
    operators: dict[str, type[ast.operator]] = {"add_": ast.Add, "sub_": ast.Sub, "mul_": ast.Mult, "div_": ast.Div}
    if given in operators and numbers_of(node) and (value := subject(node)) is not None:
        yield combined(value, operators[given], node.args[-1])
    if given.endswith("_") and not given.startswith("_"):
        yield with_function(node, given.rstrip("_"))


def needless_gradient_stop(node: ast.Call | ast.Attribute, scope: Scope) -> Iterator[ast.expr]:
    """The gradient ends here."""
    match node:
        case ast.Call(ast.Attribute(value, "detach" | "item" | "tolist" | "numpy" | "clone")):
            yield value
        case ast.Attribute(value, "data"):
            yield value
        case ast.Call() if called(node) in ("tensor", "as_tensor", "Tensor") and node.args:
            yield node.args[0]


def needless_call(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """What is called should not be."""
    match node.func:
        case ast.Attribute(value) if not is_library(value) and not (isinstance(value, ast.Name) and value.id == "self"):
            yield value
    yield from (argument for argument in node.args[:1] if not isinstance(argument, ast.Constant | ast.Starred))
    if isinstance(node.func, ast.Name):
        yield node.func


def argument_order(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Two neighbouring arguments exchanged; what a method works on, with its argument."""
    if called(node) in ("einsum", "register_buffer"):  # the first is a name
        return
    for index in range(len(node.args) - 1):
        yield ast.Call(node.func, exchanged(node.args, index), node.keywords)
    match node:
        case ast.Call(ast.Attribute(value, given), [argument]) if not is_library(value):
            yield ast.Call(attribute(argument, given), [value], node.keywords)


def fewer_arguments(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Called elsewhere with more arguments."""
    for other in ast.walk(scope.source.tree):
        if isinstance(other, ast.Call) and called(other) == called(node) and not is_library(node.func):
            more = other.args[len(node.args) :]
            given = {key.arg for key in node.keywords}
            named = [key for key in other.keywords if key.arg not in given]
            if more or named:
                yield ast.Call(node.func, [*node.args, *more], [*node.keywords, *named])


def distant_argument_order(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """Two arguments exchanged that are not neighbours."""
    for first in range(len(node.args)):
        for second in range(first + 2, len(node.args)):
            arguments = list(node.args)
            arguments[first], arguments[second] = arguments[second], arguments[first]
            yield ast.Call(node.func, arguments, node.keywords)


def needless_argument(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """An argument too many."""
    for key in node.keywords:
        if key.arg:
            yield without_keyword(node, key.arg)
    for index in range(len(node.args)):
        yield ast.Call(node.func, [*node.args[:index], *node.args[index + 1 :]], node.keywords)


def known_argument(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """An argument that this operation usually needs."""
    given = {key.arg for key in node.keywords}
    match called(node):
        case "var" | "std":
            for value in (0, 1):
                yield with_keyword(without_keyword(node, "unbiased"), "correction", value)
        case "Linear":
            yield with_keyword(node, "bias", False)
            yield from (with_keyword(node, "bias", name(other)) for other in scope.names if "bias" in other)
            yield without_keyword(node, "bias")
        case "ones" | "zeros" | "empty" | "full" | "ones_like" | "zeros_like":
            yield with_keyword(node, "dtype", attribute(name("torch"), "bool"))
        case "randn" | "rand" | "randint" | "randperm" | "normal_" | "uniform_" | "multinomial" | "bernoulli":
            yield from (
                with_keyword(node, "generator", name(other)) for other in scope.names if other.startswith("gen")
            )
        case "arange":
            yield from (with_keyword(node, "dtype", attribute(name(other), "dtype")) for other in scope.tensors[:4])
        case "tensor":
            yield with_keyword(node, "dtype", attribute(name("torch"), "bool"))
        case "register_buffer":
            yield with_keyword(node, "persistent", False)
        case "Dropout" | "dropout" if "training" not in given:
            yield with_keyword(node, "training", own("training"))


def missing_argument(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """An argument too few."""
    given = {key.arg for key in node.keywords}
    for identifier in scope.names:
        for index in range(len(node.args) + 1):
            yield ast.Call(node.func, [*node.args[:index], name(identifier), *node.args[index:]], node.keywords)
    for identifier in scope.names:
        if (identifier not in given and called(node)[:1].isupper()) or identifier in ("generator", "dtype", "device"):
            yield with_keyword(node, identifier, name(identifier))
    for index in range(len(node.args) + 1):
        for value in (1, -1, 0, 2):
            yield ast.Call(node.func, [*node.args[:index], ast.Constant(value), *node.args[index:]], node.keywords)


def list_of_layers(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Layers in a plain list, which a module does not see."""
    match scope.parent(node):
        case ast.Assign([ast.Attribute(ast.Name("self"))]) if isinstance(node, ast.List | ast.ListComp):
            function = attribute(name("nn"), "ModuleList")
            yield call(function) if isinstance(node, ast.List) and not node.elts else call(function, node)


def plain_parameter(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A tensor that should be a parameter of its module, or should not."""
    match node, scope.parent(node):
        case ast.Call(args=[value, *_]), _ if called(node) == "Parameter":
            yield value
            yield ast.Call(node.func, [value], [])
        case ast.Call(), ast.Assign([ast.Attribute(ast.Name("self"))]):
            if called(node) in ("rand", "randn", "ones", "zeros", "empty", "uniform_", "normal_", "tensor"):
                yield call(attribute(name("nn"), "Parameter"), node)


def other_dtype(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Numbers of another kind."""
    match node:
        case ast.Attribute(
            ast.Name("torch"),
            "bool" | "float" | "float32" | "float64" | "long" | "int64" | "int" | "double" | "half" as given,
        ):
            yield from (
                attribute(name("torch"), other) for other in ("bool", "float32", "long", "float64") if other != given
            )
            yield from (attribute(name(other), "dtype") for other in scope.tensors[:4])
        case ast.Call(ast.Attribute(value, "float" | "double" | "half" | "long" | "int" | "bool" | "to" | "type"), _):
            yield value
            yield from (method(value, "to", attribute(name(other), "dtype")) for other in scope.tensors[:4])
        case ast.Call(ast.Name("int" | "float" | "round" | "list" | "tuple" | "abs"), [value]):
            yield value


def converted(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Numbers that are not converted."""
    match scope.parent(node):
        case ast.Return() | ast.Assign() | ast.Call():
            if not isinstance(node, ast.Name) or node.id in scope.tensors:
                yield method(node, "bool")
                yield method(node, "float")
                yield method(node, "long")
                yield method(node, "item")
    match node:
        case ast.BinOp(_, ast.Div()) | ast.Name() | ast.Call():
            if not isinstance(scope.parent(node), ast.Call) or node is not getattr(scope.parent(node), "func", None):
                yield call(name("int"), node)


def missing_layer(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A layer that the module has is not called here."""
    match node:
        case ast.Name(identifier) if identifier not in scope.tensors:
            return
    if scope.function is not None and scope.function.name != "__init__":
        yield from (call(own(layer), node) for layer in scope.called_attributes)


def needless_layer(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """A layer is called that should not be."""
    match node:
        case ast.Call(ast.Attribute(ast.Name("self")), [value]):
            yield value


def multiplied_layer(node: ast.BinOp, scope: Scope) -> Iterator[ast.expr]:
    """A layer is multiplied as if it were a matrix; or its matrix is meant."""
    match node:
        case ast.BinOp(value, ast.MatMult(), ast.Attribute(ast.Name("self")) as layer):
            yield call(layer, value)
            yield combined(value, ast.MatMult, attribute(attribute(layer, "weight"), "T"))


Arguments = Callable[[ast.expr, str], ast.expr]


def arguments(*positional: Value, **keywords: Value) -> Arguments:
    """Return what calls a method of a value with these."""
    return lambda value, called: method(value, called, *positional, **keywords)


def _function(value: ast.expr, called: str) -> ast.expr:
    return call(attribute(name("torch"), called), value)


ALONG = (
    arguments(dim=-1),
    arguments(dim=-1, keepdim=True),
    arguments(),
    arguments(dim=0),
    arguments(dim=1),
    arguments(dim=-2),
)
USUAL: dict[str, tuple[Arguments, ...]] = {
    "softmax": (
        lambda value, called: call(attribute(name("torch"), called), value, dim=-1),
        lambda value, called: call(attribute(name("torch"), called), value, dim=0),
    ),
    "log_softmax": (arguments(dim=-1),),
    "sum": ALONG,
    "mean": ALONG,
    "amax": ALONG,
    "max": (arguments(),),
    "var": (arguments(), arguments(dim=-1, keepdim=True, correction=0)),
    "argmax": (arguments(dim=-1), arguments(dim=-1, keepdim=True)),
    "exp": (arguments(),),
    "log": (arguments(),),
    "sqrt": (arguments(),),
    "cos": (arguments(),),
    "sin": (arguments(),),
    "relu": (arguments(),),
    "tril": (arguments(),),
    "triu": (arguments(diagonal=1), arguments()),
    "flatten": (arguments(), arguments(-2), arguments(0, 1), arguments(2), arguments(1)),
    "contiguous": (arguments(),),
    "clone": (arguments(),),
    "detach": (arguments(),),
    "item": (arguments(),),
    "bool": (arguments(),),
    "float": (arguments(),),
    "unsqueeze": (arguments(-1), arguments(0), arguments(1)),
    "squeeze": (arguments(-1), arguments(0)),
    "permute": (arguments(1, 2, 0), arguments(0, 2, 1, 3)),
    "stack": (_function, lambda value, called: call(attribute(name("torch"), called), value, dim=-1)),
    "cat": (
        lambda value, called: call(attribute(name("torch"), called), value, dim=-1),
        lambda value, called: call(attribute(name("torch"), called), value, dim=1),
        lambda value, called: call(attribute(name("torch"), called), value, dim=2),
    ),
    "arange": (_function,),
    "ones": (lambda value, called: call(attribute(name("torch"), called), value, value),),
    "zeros_like": (_function,),
    "ones_like": (_function,),
    "Parameter": (lambda value, called: call(attribute(name("nn"), called), value),),
    "Dropout": (lambda value, called: call(attribute(name("nn"), called), value),),
    "train": (arguments(),),
    "eval": (arguments(),),
}
"""How an operation is usually called on a value."""


def missing_operation(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """An operation that the step is usually made of is missing."""
    for operation in USUAL:
        if operation in scope.uses and operation != called(node):
            yield from (make(node, operation) for make in USUAL[operation])


def made_of_size(node: ast.Name, scope: Scope) -> Iterator[ast.expr]:
    """A size, or a probability, where something made with it is meant."""
    if node.id in scope.sizes:
        for operation in ("arange", "ones", "Dropout"):
            if operation in scope.uses:
                yield from (make(node, operation) for make in USUAL[operation])


def missing_function(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """A function of one's own, or a layer that was handed over, is not called."""
    functions = [
        each.func.id
        for each in ast.walk(scope.source.tree)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Name)
        and each.func.id not in ("range", "len", "print")
    ]
    yield from (call(name(function), node) for function in dict.fromkeys(functions))


def einsum(node: ast.Constant, scope: Scope) -> Iterator[ast.expr]:
    """The letters of an einsum: of an operand, or of the result, in another order; another letter."""
    call_of = scope.parent(node)
    if not isinstance(node.value, str) or called(call_of or node) != "einsum":
        return
    parts = node.value.replace(" ", "")
    terms = [(start, end) for start, end in _terms(parts)]
    for start, end in reversed(terms):
        for first in range(start, end):
            for second in range(first + 1, end):
                if parts[first].isalpha() and parts[second].isalpha():
                    letters = list(parts)
                    letters[first], letters[second] = letters[second], letters[first]
                    yield constant("".join(letters))
    letters_used = sorted({letter for letter in parts if letter.isalpha()})
    for index, given in enumerate(parts):
        if given.isalpha():
            yield from (
                constant(parts[:index] + other + parts[index + 1 :]) for other in letters_used if other != given
            )
            yield constant(parts[:index] + parts[index + 1 :])


def _terms(equation: str) -> Iterator[tuple[int, int]]:
    start = 0
    for index, character in enumerate(equation + ","):
        if character in ",-":
            yield start, index
        if character in ",>":
            start = index + 1


def argument_values(node: ast.Call, scope: Scope) -> Iterator[ast.expr]:
    """An argument of this name is given a constant, or another name, in the place of the argument of the same name."""
    for key in node.keywords:
        if key.arg and isinstance(key.value, ast.Constant):
            yield from (with_keyword(node, key.arg, name(other)) for other in scope.names)
    for index, value in enumerate(node.args):
        if isinstance(value, ast.Constant) and isinstance(value.value, float):
            yield from (with_argument(node, index, name(other)) for other in scope.names)


def not_made(node: ast.Attribute, scope: Scope) -> Iterator[ast.expr]:
    """A class of layers, or a function, where a layer is meant."""
    above = scope.parent(node)
    if (
        is_library(node.value)
        and not (isinstance(above, ast.Call) and above.func is node)
        and not isinstance(above, ast.Attribute)
    ):
        layers = {"gelu": "GELU", "relu": "ReLU", "tanh": "Tanh", "sigmoid": "Sigmoid", "silu": "SiLU"}
        if node.attr in layers:
            yield call(attribute(name("nn"), layers[node.attr]))
        elif node.attr[:1].isupper() and node.attr not in ("Tensor", "Module", "Generator"):
            yield call(node)
