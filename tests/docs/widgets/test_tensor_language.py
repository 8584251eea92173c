"""The language of the boxes in which readers write a line: what it answers is what torch answers, or it says what is wrong."""

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page
from torch import Tensor

pytestmark = pytest.mark.slow

Call = Callable[[list[str]], list[dict[str, Any]]]

LINES = 2000

ALL = """async ([lines, given]) => {
    const { valueOf, fromPage } = await import("/widgets/tensor_language/evaluate.mjs");
    const names = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fromPage(value)]));
    const plain = value =>
        Array.isArray(value) ? value.map(plain)
        : value?.data ? { kind: value.kind, shape: value.shape, numbers: [...value.numbers()] }
        : value?.values ? [plain(value.values), plain(value.indices)]
        : value?.kind ? { kind: value.kind, number: value.number } : value ?? null;
    return lines.map(line => {
        try {
            return { value: plain(valueOf(line, names)) };
        } catch ({ name, message, from, to, stack }) {
            return { problem: message, from, to, broken: from === undefined ? stack : "" };
        }
    });
}"""

CANNOT = "Compare two at a time"

KINDS = {torch.bool: "bool", torch.int64: "int", torch.float64: "float"}


def given() -> dict[str, Any]:
    """Names of many shapes; some are no matrices, some are whole, some hold what overflows."""
    draw = torch.Generator().manual_seed(0)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw, dtype=torch.float64)

    return {
        "Q": normal(6, 2),
        "K": normal(6, 2),
        "V": normal(6, 4),
        "W": normal(4, 4),
        "row": normal(4),
        "batch": normal(2, 3, 4),
        "heads": normal(2, 3, 2, 2),
        "one": normal(1, 1),
        "large": 10_000 * normal(3, 3),
        "hidden": torch.ones(6, 6, dtype=torch.bool).triu(1),
        "seen": normal(4, 4) > 0,
        "whole": torch.randint(-3, 4, (3, 4), generator=draw),
        "count": torch.arange(6),
        "d": 2,
        "n": 4,
        "p": 0.25,
    }


NUMBERS = ["d", "n", "p", "0", "1", "-1", "2", "3", "-2", "0.5", "1e3", "1.", ".5", 'float("-inf")', "True", "-d"]
SMALL = ["0", "1", "2", "-1", "-2", "-3", "3", "d"]
OPERATORS = ["+", "-", "*", "/", "@", "@", "@", "**", "<", "<=", ">", ">=", "==", "!=", "&", "|"]
UNARY = ["exp", "log", "sqrt", "square", "rsqrt"]
WITHOUT = """{a}.T  {a}.mT  {a}.t()  {a}.contiguous()  {a}.clone()  {a}.double()  {a}.bool()  {a}.shape  {a}.ndim  len({a})
{a}.numel()  {a}.size()  ~{a}  -{a}  {a}[None]  {a}[..., None]  {a}[:, None]  {a}.squeeze()  {a}.reshape(-1)  {a}.flatten()
{a}.sum()  {a}.mean()  {a}.max()  {a}.amax()  {a}.std()  {a}.view(-1)  torch.ones_like({a})  torch.zeros_like({a})"""
REDUCING = ["sum", "mean", "amax", "var", "logsumexp", "std"]
ALONG = """{a}.{r}(dim={i})  {a}.{r}(dim={i}, keepdim=True)  torch.{r}({a}, dim={i})  {a}.{r}({i})  {a}.sum(({i}, {j}))
torch.softmax({a}, dim={i})  {a}.softmax({i})  F.softmax({a}, dim={i})  {a}.log_softmax(dim={i})  {a}.mean([{i}, {j}])
F.cross_entropy({a}, (count > 2).long())  functional.cross_entropy({a}, (count > 2).long().view(2, 3), reduction='none')
F.cross_entropy({a}.transpose({i}, {j}), (count > 2).long().view(2, 3))  F.cross_entropy({a}, (count > 2).long(), reduction='sum')
{a}.unsqueeze({i})  {a}.squeeze({i})  {a}.max(dim={i})  {a}.roll(1, dims={i})
{a}.max({i}).values  {a}.max({i}, keepdim=True)[0]  {a}.size({i})  {a}.shape[{i}]  {a}[{i}]  {a}[{i}:]  {a}[:{i}]
{a}[:, {i}]  {a}[..., {i}:]  {a}[{i}:, None]  {a}[::{i}]  {a}[{i}, ...]  {a}[0, {i}]  {a}[{i}, {j}]  {a}[{i}:{j}]
{a}.tril({i})  {a}.triu(diagonal={i})  torch.tril({a}, {i})  {a}.flatten({i})  {a}.flatten({i}, {j})
{a}.transpose({i}, {j})  torch.transpose({a}, {i}, {j})  {a}.view({i}, {j})  {a}.reshape({i}, {j})  {a}.view(2, {i}, {j})
{a}.reshape(({i}, -1))  {a}.permute({i}, {j})  {a}.permute(0, 2, 1)  {a}.permute(2, {i}, {j})  {a}.expand(2, -1, -1)
{a}.expand(3, 2, -1)  {a}.unflatten({i}, (2, -1))  {a}.unflatten({i}, (2, 2))  {a}.view(*{a}.shape[:-1], 2, -1)
{a}.split(2, {i})  {a}.chunk(2, dim={i})  {a}.view(2, 3, 2, 2)  {a}.transpose(1, 2).flatten(2)  {a}[{i}:3:2]
torch.stack([{a}, {a}], dim={i})  torch.cat([{a}, {b}], dim={i})  torch.cat(({a}, {a}), {i})"""
TWO = """{a} {o} {b}  {a} {o} {n}  {n} {o} {a}  {a}.matmul({b})  torch.matmul({a}, {b})  {a}.masked_fill({m}, {n})
torch.where({m}, {a}, {b})  torch.where({m}, {a}, {n})  {a}.clamp(min={n})  {a} {o} {b} {o2} {n}  {n} {o} {a} {o2} {b}
-{a} {o} {n}  {a} {o} -{n}  {a} {o} ({b} {o2} {n})  {n} {o} {n2}  {a} ** {n}  {a} / {a}.shape[-1] ** 0.5
{a} @ {b}.transpose(-2, -1)  {a} @ {a}.T  {a}.mm({b})  {a}.dot({b})  {n} {o} {n2} {o2} {n}  -{n} ** {n2}  {n} < {n2}
{i} // 2  {a} > {n}  {a} == {b}  {a} @ {b} * {n}  torch.einsum('qd,kd->qk', {a}.exp(), {b}.exp()).contiguous()
torch.einsum('...qd,...kd->...qk', {a}.exp(), {b}.exp()).contiguous()  torch.full((2, {i}), {n})  torch.arange({n}, {n2})
torch.einsum('bij->bji', {a}.exp()).contiguous()  torch.einsum('ij->', {a}.exp())  torch.arange({i})  torch.eye({i})
torch.ones({i}, {j})  torch.tensor([[{n}, {n2}], [{n}, 1]])"""
MASKS = ["hidden", "seen", "{a} > 0", "{a} == {b}", "torch.ones({a}.shape[-1], {a}.shape[-1]).triu(1).bool()", "~seen"]
STATEMENTS = [
    "x = {a}\nx @ x.T",
    "q, k = {a}\nq",
    "b, t, e = {a}.shape\nt * e",
    "x = y = {a}\nreturn x + y",
    "x = ({a}\n  + {b})\nx",
    "d = {n}\n{a} * d  # the new one",
    "x = {a}; x.T",
]
BROKEN = "{a} {o}  ({a}  {a})  {a} {b}  {a}..T  {o} {a}  {a}[  {a}.T T  2{a}  {a} = = {b}  x =   {a}[]"
TEMPLATES = (
    WITHOUT.replace("\n", "  ").split("  ")
    + 3 * ALONG.replace("\n", "  ").split("  ")
    + 4 * TWO.replace("\n", "  ").split("  ")
    + STATEMENTS
    + BROKEN.split("  ")
    + [f"{{a}}.{name}()" for name in UNARY]
    + [f"torch.{name}({{a}})" for name in UNARY]
)
LEFT_OUT = (CANNOT, "`**` is for floats here", "`//` is for floats here", "This number is too large", "is not for")
"""What the language says of what torch can do and it cannot, such as 0 < d < 3 or powers of whole tensors."""
MORE = ("view size is not compatible", "Integers to negative")
"""What torch says of what the language does: it views what torch lays out in the order of its inputs."""


def random_lines(names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield lines, each with what torch makes of it: a value, or the exception that it raises.

    Lines that give a tensor are parts of later ones, so that they grow.
    """
    chance = random.Random(0)
    tensors = [name for name, value in names.items() if isinstance(value, Tensor)]
    seen = set[str]()
    while len(seen) < LINES:
        line = drawn(chance, tensors)
        if line in seen or len(line) > 120:
            continue
        seen.add(line)
        answer = by_torch(line, names)
        yield line, answer
        if isinstance(answer, Tensor) and is_tame(answer) and "\n" not in line and ";" not in line:
            tensors.append(line if line.isidentifier() else f"({line})")
            tensors = tensors[:16] + tensors[16:][-400:]


def is_tame(value: Tensor) -> bool:
    """Whether later lines may use a value: it is small, and neither empty nor so large that rounding decides what a sine is."""
    numbers = value.double()
    return 0 < value.numel() <= 200 and bool((numbers.abs() < 1e6).logical_or(~numbers.isfinite()).all())


def drawn(chance: random.Random, tensors: list[str]) -> str:
    parts = {
        "a": chance.choice(chance.choice([tensors, tensors[:16]])),
        "b": chance.choice(chance.choice([tensors, tensors[:16]])),
        "r": chance.choice(REDUCING),
        "o": chance.choice(OPERATORS),
        "o2": chance.choice(OPERATORS),
        "n": chance.choice(NUMBERS),
        "n2": chance.choice(NUMBERS),
        "i": chance.choice(SMALL),
        "j": chance.choice(SMALL),
    }
    mask = chance.choice(MASKS).format(**parts)
    return chance.choice(TEMPLATES).format(m=mask, **parts)


def by_torch(line: str, names: dict[str, Any]) -> Any:
    """Return what Python makes of lines: the value of the last, or what it raises."""
    *before, last = line.replace(";", "\n").replace("\n  ", " ").split("\n")
    value = last.strip().removeprefix("return ").partition("#")[0]
    space = {"torch": torch, "F": torch.nn.functional, "functional": torch.nn.functional, **names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if " = " in value or value.endswith(" = "):
                exec(value, space)
                return space[value.partition(" =")[0]]
            exec("\n".join(before), space)
            return eval(value.strip(), space)
        except Exception as error:
            return error


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return {"kind": KINDS[value.dtype], "shape": list(value.shape), "numbers": value.double().flatten().tolist()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return {"kind": type(value).__name__, "number": float(value)} if isinstance(value, bool | int | float) else value


def agrees(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(agrees, one, other))
    if not isinstance(one, dict) or not isinstance(other, dict):
        return bool(one == other)
    if one.get("kind") != other.get("kind") or one.get("shape") != other.get("shape"):
        return False
    return torch.allclose(numbers_of(one), numbers_of(other), rtol=1e-8, atol=1e-10, equal_nan=True)


def numbers_of(one: dict[str, Any]) -> Tensor:
    return torch.tensor(one["numbers"] if "numbers" in one else [one["number"]], dtype=torch.float64)


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{address}/widgets/")
    yield page
    page.close()


@pytest.fixture(scope="module")
def answers(page: Page) -> Call:
    """What the language makes of lines, all in one call of the page."""
    names = {name: sent(value) for name, value in given().items()}
    return lambda lines: page.evaluate(ALL, [lines, names])


def sent(value: Any) -> Any:
    """A tensor or a number as pages give it."""
    return plain(value) if isinstance(value, Tensor) else value


@pytest.fixture(scope="module")
def told(answers: Call) -> list[tuple[str, Any, dict[str, Any]]]:
    """Random lines, what torch answers and what the language answers."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        lines = list(random_lines(given()))
    finally:
        torch.set_default_dtype(default)
    return [
        (line, right, mine) for (line, right), mine in zip(lines, answers([line for line, _ in lines]), strict=True)
    ]


def test_a_line_has_the_value_that_torch_gives_it(told: list[tuple[str, Any, dict[str, Any]]]) -> None:
    right = [
        one
        for one in told
        if not isinstance(one[1], Exception) and not any(words in one[2].get("problem", "") for words in LEFT_OUT)
    ]
    assert len(right) > LINES * 0.25
    others = [(line, plain(value), mine) for line, value, mine in right]

    assert [(line, right, mine) for line, right, mine in others if not agrees(right, mine.get("value"))] == []


def test_a_line_that_torch_refuses_is_refused_with_its_place(told: list[tuple[str, Any, dict[str, Any]]]) -> None:
    refused = [one for one in told if isinstance(one[1], Exception) and not any(words in str(one[1]) for words in MORE)]

    assert LINES * 0.2 < len(refused) < LINES * 0.8
    assert [(line, repr(right), mine) for line, right, mine in refused if "problem" not in mine or mine["broken"]] == []
    assert [(line, mine) for line, _, mine in refused if not 0 <= mine["from"] < mine["to"] <= len(line)] == []


@pytest.mark.parametrize(
    ("line", "marked", "says"),
    [
        ("Q @ K", "Q @ K", "the columns of the first (2) must be as many as the rows of the second (6)"),
        ("weights = softmax(Q)\nwieghts @ V", "wieghts", "Did you mean `weights`?"),
        ("Q / d ^ 0.5", "Q / d ^ 0.5", "`^` is not a power in Python"),
        ("Q @ (K.T", "(", "never closed"),
        ("heads.transpose(1, 2).view(2, 3, 4)", "view(2, 3, 4)", "`view` only places brackets"),
        ("Q + K[:3]", "Q + K[:3]", "must be equal, or one of them 1"),
        ("Q /= 2", "/=", "writes into the tensor"),
        ("F.scaled_dot_product_attention(Q, K, V)", "scaled_dot_product_attention", "Write it out"),
        ("torch.ones(10**9)", "ones(10**9)", "too large for this box"),
        ("0 < d < 3", "<", CANNOT),
    ],
)
def test_a_problem_is_said_and_marked_where_it_is(answers: Call, line: str, marked: str, says: str) -> None:
    (answer,) = answers([line])

    assert line[answer["from"] : answer["to"]] == marked
    assert says in answer["problem"]
