"""The vocabulary of slips: every kind, how likely it is, what finds it, and what a teacher says of it."""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from autograder.diagnosis.operators import arithmetic, calls, dimensions, masks, names, statements
from autograder.diagnosis.operators.scope import Scope
from autograder.diagnosis.operators.statements import Rewritten, Statement


@dataclass(frozen=True)
class ExpressionSlip:
    """A kind of slip in an expression. find: what each of the nodes may become.

    on: the types of the nodes; `ast.expr` means those that may be tensors. targets: whether what is assigned to may have it too.
    is_too_much: whether something is left out to undo it.
    """

    id: str
    on: tuple[type[ast.AST], ...]
    find: Callable[[Any, Scope], Iterable[ast.AST]]
    targets: bool = False
    is_too_much: bool = False


@dataclass(frozen=True)
class StatementSlip:
    """A kind of slip of a whole statement. is_too_much: whether something is left out to undo it."""

    id: str
    find: Callable[[Statement, Scope], Iterable[Rewritten]]
    is_too_much: bool = False


def _in(
    id: str,
    find: Callable[[Any, Scope], Iterable[ast.AST]],
    *on: type[ast.AST],
    targets: bool = False,
    is_too_much: bool = False,
) -> ExpressionSlip:
    return ExpressionSlip(id, on, find, targets, is_too_much)


NEAR_ENDS = (-1, 0, 1, -2)
LIKELY = (
    _in("gradient_stop", calls.needless_gradient_stop, ast.Call, ast.Attribute, is_too_much=True),
    StatementSlip("missing_super", statements.missing_super),
    _in("misspelt", names.misspelt_name, ast.Name),
    _in("pair_of_results", dimensions.pair_of_results, ast.Call),
    _in("not_made", calls.not_made, ast.Attribute),
    _in("dimension", dimensions.other_dimension(dimensions.REDUCTIONS, *NEAR_ENDS), ast.Call),
    _in("missing_dimension", dimensions.missing_dimension, ast.Call),
    _in("dimension_left", dimensions.squeezed_once, ast.Call),
    _in("size_one", masks.needless_size, ast.Call, is_too_much=True),
    _in("joined_dimension", dimensions.other_dimension(dimensions.JOINS, *NEAR_ENDS, 2), ast.Call),
    _in("size_dimension", dimensions.other_size(*NEAR_ENDS, 2), ast.Subscript, ast.Call),
    _in("kept_dimension", dimensions.kept_dimension, ast.Call),
    _in("transposed_dimensions", dimensions.other_pair, ast.Call),
    _in("permuted_dimensions", dimensions.other_order, ast.Call),
    _in("whole_transpose", dimensions.whole_transpose, ast.Attribute, ast.Call),
    _in("missing_transpose", dimensions.transposed_operand((-2, -1)), ast.expr),
    _in("needless_transpose", dimensions.untransposed, ast.Attribute, ast.Call, is_too_much=True),
    _in("view_for_transpose", dimensions.transposed_view, ast.Call),
    _in("view_for_transpose", dimensions.flattened, ast.Call),
    _in("cut_up", dimensions.needless_transpose_of_view, ast.Call),
    _in("product_order", dimensions.product_order, ast.BinOp),
    _in("missing_scaling", arithmetic.missing_scaling, ast.expr),
    _in("needless_scaling", arithmetic.needless_scaling, ast.BinOp, is_too_much=True),
    _in("missing_root", arithmetic.missing_root, ast.Name, ast.Attribute, ast.Subscript, ast.Call),
    _in("needless_root", arithmetic.needless_root, ast.BinOp, ast.Call, is_too_much=True),
    _in("other_power", arithmetic.other_power, ast.BinOp),
    _in("other_measure", arithmetic.other_measure, ast.Name, ast.Attribute, ast.Subscript, ast.Call),
    _in("needless_operand", arithmetic.needless_operand, ast.BinOp, is_too_much=True),
    _in("operator", arithmetic.other_operator, ast.BinOp),
    _in("needless_mask", calls.needless_mask, ast.Call, is_too_much=True),
    StatementSlip("branch", statements.other_branch),
    _in("comparison", arithmetic.other_comparison, ast.Compare),
    _in("triangle", masks.other_triangle, ast.Call),
    _in("diagonal", masks.other_diagonal, ast.Call),
    _in("mask_turned_round", masks.turned_round, ast.UnaryOp, ast.expr),
    _in("filling", masks.other_filling, ast.Call),
    StatementSlip("lost_result", statements.lost_result),
    _in("argument_order", calls.argument_order, ast.Call),
    _in("attribute", names.sibling_attribute, ast.Attribute, targets=True),
    StatementSlip("out_of_loop", statements.out_of_loop),
    _in("known_argument", calls.known_argument, ast.Call),
    _in("in_place", calls.in_place, ast.Call),
    _in("einsum", calls.einsum, ast.Constant),
    _in("layer_list", calls.list_of_layers, ast.List, ast.ListComp),
    _in("next_number", arithmetic.next_number, ast.Constant),
)
"""What students often do, and what can be nothing else."""
USUAL = (
    _in("name", names.sibling_name, ast.Name),
    _in("name", names.stranger_name, ast.Name),
    _in("own_for_name", names.own_for_name, ast.Name),
    _in("element_order", names.exchanged_elements, ast.Tuple, ast.List, targets=True),
    _in("size_order", dimensions.view_order, ast.Call),
    _in("index", names.other_index, ast.Subscript),
    _in("whole", names.whole, ast.Subscript, is_too_much=True),
    _in("range", names.default, ast.Call),
    StatementSlip("alias", statements.alias),
    _in("operand_order", arithmetic.operand_order, ast.BinOp),
    _in("sign", arithmetic.other_sign, ast.UnaryOp, ast.expr),
    _in("needless_call", calls.needless_call, ast.Call, is_too_much=True),
    _in("needless_argument", calls.needless_argument, ast.Call, is_too_much=True),
    _in("lost_dimension", dimensions.lost_dimension, ast.Call),
    _in("parameter", calls.plain_parameter, ast.Call),
    _in("new_dimension", dimensions.other_dimension(dimensions.PLACES, *NEAR_ENDS, 2), ast.Call),
    _in("dtype", calls.other_dtype, ast.Attribute, ast.Call),
    StatementSlip("assignment", statements.other_assignment),
    StatementSlip("into_loop", statements.into_loop),
    StatementSlip("context", statements.needless_context, is_too_much=True),
    StatementSlip("missing_return", statements.missing_return),
    StatementSlip("dropped", statements.dropped, is_too_much=True),
    StatementSlip("statement_order", statements.exchanged),
    StatementSlip("changed_input", statements.changed_input),
)
"""What happens, within what is written."""
RANKS: tuple[tuple[ExpressionSlip | StatementSlip, ...], ...] = (LIKELY, USUAL)
"""All slips, the likeliest first."""

REMOVALS = frozenset(slip.id for rank in RANKS for slip in rank if slip.is_too_much)
"""Slips of which what is too much is left out."""

SAYS = {
    "gradient_stop": "the gradient is cut off at `{was}`",
    "missing_super": "`__init__` of the class that this one is made from is not called",
    "misspelt": "`{was}` is no variable of yours",
    "pair_of_results": "`{of}` returns two things here, the values and their places",
    "not_made": "`{was}` is not a layer yet",
    "alias": "`{was}` makes a second name, not a copy: what is written into one stands in both",
    "changed_input": "`{was}` writes into what the function is given",
    "size_one": "`{was}` has a dimension of size 1",
    "cut_up": "before `{of}` the numbers are cut up in the wrong order",
    "dimension": "`{of}` runs over the wrong dimension",
    "missing_dimension": "`{of}` is not told along which dimension to work",
    "joined_dimension": "`{of}` works along the wrong dimension",
    "size_dimension": "`{was}` is the size of the wrong dimension",
    "kept_dimension": "`{of}` loses the dimension that it runs over, so what follows is paired with the wrong numbers",
    "transposed_dimensions": "`{of}` exchanges the wrong two dimensions",
    "permuted_dimensions": "`{of}` brings the dimensions into the wrong order",
    "whole_transpose": "`{was}` turns round the wrong dimensions when there are more than two",
    "missing_transpose": "`{of}` goes into the matrix product the wrong way round",
    "needless_transpose": "`{was}` turns round what is right as it is",
    "view_for_transpose": "`{of}` keeps the numbers in their order: it cuts them up otherwise, and moves no dimension",
    "product_order": "the matrix product has its two sides in the wrong order",
    "missing_scaling": "`{of}` is not scaled",
    "needless_scaling": "`{was}` is scaled where it should not be, or once too often",
    "missing_root": "it is scaled by `{was}` itself",
    "other_power": "`{was}` is the wrong power",
    "other_measure": "`{was}` is not what it has to be scaled by",
    "operator": "the operator in `{was}` is the wrong one",
    "comparison": "the comparison `{was}` holds in the wrong cases",
    "triangle": "`{of}` keeps the wrong side of the diagonal",
    "diagonal": "`{of}` begins at the wrong diagonal",
    "mask_turned_round": "`{was}` is turned round: it is True where it should be False",
    "filling": "`{was}` puts in the wrong number",
    "lost_result": "the result of `{was}` is kept by nothing",
    "argument_order": "`{of}` gets its arguments in the wrong order",
    "attribute": "`{was}` is the wrong attribute here",
    "out_of_loop": "`{was}` is done in every turn of the loop",
    "known_argument": "`{of}` lacks an argument, or has the wrong one",
    "in_place": "`{of}` changes what it is given",
    "einsum": "the letters of `einsum` do not say what is meant",
    "layer_list": "a plain list hides its layers from the module",
    "next_number": "the number `{was}` is not right here",
    "needless_mask": "`{of}` hides what should be seen",
    "name": "`{was}` is the wrong variable here",
    "own_for_name": "`{was}` is not what is meant here",
    "element_order": "`{was}` has its elements in the wrong order",
    "size_order": "`{of}` gets its sizes in the wrong order",
    "index": "`{was}` takes the wrong part",
    "whole": "`{was}` takes a part only",
    "range": "`{was}` begins or ends at the wrong place",
    "operand_order": "the two sides of `{was}` are in the wrong order",
    "needless_operand": "`{was}` has one operation too many",
    "sign": "`{was}` has the wrong sign",
    "needless_call": "`{of}` should not be applied here",
    "needless_argument": "`{of}` has an argument too many",
    "lost_dimension": "`{of}` keeps the dimension that it runs over",
    "parameter": "`{was}` is of the wrong kind: what is trained is a parameter, what is not is none",
    "new_dimension": "`{of}` works on the wrong dimension",
    "dtype": "`{was}` is of the wrong kind of numbers",
    "assignment": "`{was}` has the wrong one of `=`, `+=`, `-=` and `*=`",
    "into_loop": "`{was}` is done once, outside the loop",
    "branch": "what follows `{was}` is needed in other cases",
    "context": "`{was}` does not belong round this",
    "missing_return": "the function returns nothing at its end",
    "dropped": "`{was}` should not be there",
    "statement_order": "`{was}` comes at the wrong place",
    "needless_root": "`{was}` takes a root where none is needed",
    "dimension_left": "`{of}` has a dimension of size 1 too many",
}
"""What is wrong, for each kind. was: the expression; of: the operation or name that it is a slip of."""
