"""Part 6, until the weights mean something: its cases, probes, points and hints."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.course.draw import Draw
from autograder.course.model import SINGLE, Case, Criterion, Part, Step
from autograder.course.modules import attribute, construct, parameters, write
from autograder.course.operations import without_compiler
from autograder.course.probing import Observation, Unmet
from autograder.course.tolerances import Tolerance
from course.attention.example_inputs import JOURNEY_TOKENS, journey
from course.attention.modules import (
    TO_TRAIN,
    alike,
    gradient_step,
    held,
    numbers_of_shape,
    numbers_to_train,
    observe_drops,
    same,
    write_by_shape,
)
from course.attention.tolerances import EXACT

NORM_NAMES = ("scale", "shift")

SGD, Adam = without_compiler(torch.optim.SGD), without_compiler(torch.optim.Adam)

LOOSE = Tolerance(rtol=2e-2, atol=1e-2)
"""For values that a side condition changes a little, such as another form of GELU."""

LONG = Tolerance(rtol=2e-2, atol=4e-2)
"""For tokens of sixty numbers and more, whose variance may be divided by one less."""

AS_DRAWN = "numbers as drawn"
IN_TRAINING = "in training"
AFTER_LEARNING = "after a step of learning"
SMALLEST = "smallest input"
"""Every size is 1: what squeezes or counts on more fails."""

LEARNT = "what a step of learning changes"
REVERSED = "output for the tokens in reverse order"
SHORTER = "logits of the first tokens alone"
FIRST_MAPS = "maps of the first tokens alone"
GRADIENTS_ON = "gradients are on afterwards"

TINY = 0.003
"""So small that 1e-5 under the root shows: the output of a norm still depends on the size of its input."""

NOTHING = 0.01
"""What is nearer to zero than this after a norm is rounding."""


# Probes: a norm, a feed forward, a block


def run_norm(cls: type[nn.Module], x: Tensor, scale: Tensor, shift: Tensor) -> Observation:
    """Make the module, look at its parameters, put others in their place, and observe its output.

    Parameters of other names have their order to be known by.
    """
    norm = construct(cls, {"emb_dim": x.shape[-1]}).to(x.dtype)
    trained = parameters(norm)
    named = all(hasattr(norm, name) for name in NORM_NAMES)
    found = [name for name in NORM_NAMES if name in trained] if named else list(trained)
    outputs: dict[str, Any] = {"parameters": ", ".join(found) or "none"}
    outputs |= {f"{name} at first": _copy(getattr(norm, name, None)) for name in NORM_NAMES}
    for name, numbers in zip(NORM_NAMES if named else found, (scale, shift), strict=False):
        write(norm, name, numbers.detach())
    outputs |= _outputs(norm, x)
    return Observation(outputs, {name: trained[name] for name in NORM_NAMES if name in trained})


def run_feed_forward(cls: type[nn.Module], x: Tensor, drawn: bool, learned: bool) -> Observation:
    """Make the module; observe its output in eval mode, or how it learns. drawn: whether its numbers stay as they were drawn."""
    module = construct(cls, {"emb_dim": x.shape[-1]}).to(x.dtype).train(learned)
    if not drawn:
        write_by_shape(module)
    return Observation(_learning(module, lambda: module(x)) if learned else _outputs(module, x))


def run_block(
    cls: type[nn.Module], x: Tensor, dropout: float, drawn: bool, learned: bool, training: bool
) -> Observation:
    """Make a block around a replacement for attention; observe it in eval mode, or how it learns, or its dropout.

    drawn: whether its numbers stay as they were drawn.
    """
    emb_dim = x.shape[-1]
    attention = StandIn(emb_dim, emb_dim, x.shape[1], dropout, 1)
    given = {"attention": attention, "emb_dim": emb_dim, "dropout": dropout}
    block = construct(cls, given).to(x.dtype)
    if training:
        return _observe_both_paths(block, attention, torch.full_like(x, 3.0), dropout)
    block.eval()
    if not drawn:
        write_by_shape(block)
    return Observation(_learning(block, lambda: block(x)) if learned else _outputs(block, x))


class StandIn(nn.Module):
    """Replaces attention: draws numbers when it is made, and mixes each token with those before it.

    It takes the arguments of MultiHeadAttention and records them. Its weights are all equal: a mean.
    made_with: d_in, d_out, context_length and num_heads. p: the dropout.
    """

    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int) -> None:
        super().__init__()
        self.made_with, self.p = f"{d_in}, {d_out}, {context_length}, {num_heads}", str(dropout)
        self.mix = nn.Linear(d_in, d_out)
        self.seen = torch.zeros(0)

    def forward(self, x: Tensor) -> Tensor:
        """Return the mean of all tokens so far, mixed. x: b t d_in."""
        self.seen = x.detach()
        counts = torch.arange(1, x.shape[1] + 1, dtype=x.dtype)[:, None]
        mean: Tensor = self.mix(x).cumsum(dim=1) / counts
        return mean

    def give(self, number: float) -> None:
        """Return this number everywhere, for any input."""
        with torch.no_grad():
            self.mix.weight.zero_()
            self.mix.bias.fill_(number)


def _kept(module: nn.Module, name: str) -> Any:
    """Return an attribute that the docstring names, or what says that there is none."""
    try:
        return attribute(module, name)
    except Unmet as missing:
        return missing


def _copy(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def _outputs(module: nn.Module, x: Tensor) -> dict[str, Any]:
    """Return a module's output for tokens as it is, and for others, in a second call, in eval mode."""
    others = x.flip(max(0, x.dim() - 2))  # before a module may write into x
    return {"output": module(x), REVERSED: module.eval()(others)}


def _learning(module: nn.Module, run: Callable[[], Any], rate: float = 0.02) -> dict[str, Any]:
    """Let a module take a step; observe how many numbers it trains, and how its output changes, relative to the rate."""
    before = run()
    gradient_step(module, run, rate)
    after = run()
    change = (after - before) / rate if alike(before, after) else after
    return {TO_TRAIN: numbers_to_train(module), LEARNT: change}


def _observe_both_paths(block: nn.Module, attention: StandIn, x: Tensor, p: float) -> Observation:
    """Look at what is dropped of what attention and feed forward add; both are made to add one number everywhere."""
    block.train()
    silence(block)
    attention.give(2.0)
    outputs = _drops(block, x, "what attention adds", 2.0, p)
    with torch.no_grad():
        for parameter in block.parameters():
            if parameter.shape == x.shape[-1:]:
                parameter.fill_(1.0)  # the last bias of the feed forward, and the norms, which no longer matter
    attention.give(0.0)
    return Observation(outputs | _drops(block, x, "what the feed forward adds", 1.0, p))


def _drops(block: nn.Module, x: Tensor, what: str, added: float, p: float) -> dict[str, bool]:
    """Observe what a block drops of the number that it adds to x everywhere."""
    outputs = block(x), block(x)
    dropped, again = (output - x if isinstance(output, Tensor) else output for output in outputs)
    return observe_drops(what, torch.full_like(x, added), dropped, again, p)


def silence(module: nn.Module) -> None:
    """Make all numbers of a module zero, and the scales of its norms one: it then adds nothing."""
    with torch.no_grad():
        for parameter in held(module):
            if not bool((parameter == 1).all()):
                parameter.zero_()


# Probes: the model

CONTEXT_LENGTH = "context_length"
GIVEN = "what the attention of each block is given"
PASSED_ON = "dropout of the attention of each block"


def run_gpt(
    cls: type[nn.Module],
    tokens: Tensor,
    direction: Tensor,
    context_length: int,
    emb_dim: int,
    num_heads: int,
    num_layers: int,
    dropout: float,
    drawn: bool,
    learned: bool,
    training: bool,
    quiet: bool = False,
    inside: bool = False,
) -> Observation:
    """Make the model, with replacements for attention; observe it in eval mode, or how it learns, or its dropout.

    direction: one number for each token of the vocabulary, towards which training pulls. quiet: whether its blocks add nothing, and the last
    norm changes nothing. inside: whether what attention is given is looked at, and not the logits.
    drawn: whether its numbers stay as they were drawn. A bias that the head should not have is zero all the same.
    """
    made: list[StandIn] = []
    required = {
        "vocab_size": len(direction),
        "context_length": context_length,
        "emb_dim": emb_dim,
        "num_heads": num_heads,
        "num_layers": num_layers,
        "dropout": dropout,
        "attention_class": functools.partial(_make_stand_in, made),
    }
    gpt = construct(cls, required).to(direction.dtype)
    if not made:
        raise Unmet(f"your {cls.__name__} never calls `attention_class`: each block needs an attention of its own")
    if training:
        dropped = _observe_embeddings(gpt, made, tokens, len(direction), context_length, dropout)
        return Observation({PASSED_ON: "; ".join(attention.p for attention in made)} | dropped)
    gpt.eval()
    if quiet:
        _write_what_is_normal(gpt, tokens[0], (len(direction), emb_dim), (context_length, emb_dim))
    elif not drawn:
        _write_by_shape_and_number(gpt, made)
    _fill(gpt, (len(direction),), 0.0)
    if learned:
        return Observation(_learning(gpt, lambda: gpt(tokens) * direction))
    if inside:
        gpt(tokens)
        return Observation({GIVEN: _given_to(made)})
    outputs = {
        CONTEXT_LENGTH: _kept(gpt, CONTEXT_LENGTH),
        "attention_class is called with": "; ".join(attention.made_with for attention in made),
        "logits": gpt(tokens),
        SHORTER: gpt(tokens[:, :2].contiguous()),
    }
    return Observation(outputs)


def _write_by_shape_and_number(gpt: nn.Module, made: list[StandIn]) -> None:
    """Put numbers into all parameters that depend on their shapes and, in attention, on the number of the layer."""
    write_by_shape(gpt)
    with torch.no_grad():
        for number, attention in enumerate(made, start=1):
            attention.mix.weight.mul_(number)


def _write_what_is_normal(gpt: nn.Module, tokens: Tensor, words: tuple[int, int], places: tuple[int, int]) -> None:
    """Let blocks add nothing, and give tokens and their positions numbers whose sums are normal already. words, places: the shapes of both tables."""
    silence(gpt)
    of_words, of_places = numbers_of_shape(words).clone(), numbers_of_shape(places)
    here = of_places[: len(tokens)]
    of_words[tokens] = functional.layer_norm(of_words[tokens] + here, words[1:], eps=0.0) - here
    with torch.no_grad():
        for parameter in held(gpt):
            for numbers in (of_words, of_places):
                if parameter.shape == numbers.shape:
                    parameter.copy_(numbers)


def _given_to(made: list[StandIn]) -> Any:
    """Return what the attention of each block was given, if all were called for the same tokens."""
    seen = [attention.seen for attention in made]
    alike = len({one.shape for one in seen}) == 1 and seen[0].dim() == 3
    return torch.stack(seen) if alike else Unmet("the attention of each block should be called for all tokens")


def _make_stand_in(made: list[StandIn], *arguments: Any, **named: Any) -> StandIn:
    made.append(StandIn(*arguments, **named))
    return made[-1]


def _observe_embeddings(
    gpt: nn.Module, made: list[StandIn], tokens: Tensor, vocab_size: int, context_length: int, p: float
) -> dict[str, Any]:
    """Look at what is dropped of the embeddings, as the first attention sees it, and in the first block, as the last one does.

    After a norm two numbers, zero and a small one, still show the small one's size.
    """
    gpt.train()
    silence(gpt)
    first, last = made[0], made[-1]
    shape = (*tokens.shape, first.mix.in_features)
    whole = torch.full(shape, TINY)

    def normed(attention: StandIn) -> Tensor:
        gpt(tokens)
        return attention.seen

    def see(attention: StandIn) -> Tensor:
        return _before_the_norm(normed(attention), p)

    _fill(gpt, (vocab_size, shape[-1]), TINY)
    observed = observe_drops("the sum of both embeddings", whole, see(first), see(first), p)
    _fill(gpt, (context_length, shape[-1]), -TINY)
    first.give(TINY)
    observed |= observe_drops("what the first block adds", whole, see(last), see(last), p)
    observed["in training, the embeddings are added before anything is dropped"] = not bool(first.seen.any())
    _fill(gpt, (vocab_size, shape[-1]), 1.0)
    gpt.eval()
    observed["in eval mode, nothing is dropped"] = same(normed(last), normed(last))
    return observed


def _fill(model: nn.Module, shape: tuple[int, ...], number: float) -> None:
    """Put a number into all parameters of a shape."""
    with torch.no_grad():
        for parameter in model.parameters():
            if tuple(parameter.shape) == shape:
                parameter.fill_(number)


def _before_the_norm(seen: Tensor, p: float) -> Tensor:
    """Return what a norm was given, if that was zero or TINY scaled by 1 / (1 - p); otherwise nan.

    A norm of equal numbers shows nothing: they count as TINY, of which nothing was dropped.
    """
    if bool((seen.abs() < NOTHING).all()):
        return torch.full_like(seen, TINY)
    guess = torch.where(seen < -NOTHING, 0.0, TINY / (1 - p))
    right = torch.allclose(functional.layer_norm(guess, guess.shape[-1:]), seen.to(guess.dtype), rtol=1e-3, atol=1e-4)
    return guess if right else torch.full_like(guess, torch.nan)


# Probes: training and writing

NEW = "the new tokens"
FLOATS = "each loss is a float"
LOSSES = "losses"
STAYS_IN_TRAINING = "a model in training mode reads in training mode"

NOT_ASKED = "the model was never asked"
"""Stands for what can be right of code that does nothing."""


def run_train_step(
    function: Callable[..., Any],
    tokens: Tensor,
    embedding: Tensor,
    head: Tensor,
    momentum: float,
    adam: bool,
    left_over: bool,
    training: bool,
) -> Observation:
    """Let a small model learn from one batch after the other; look at the losses and at the trained parameters.

    tokens: batches b t. left_over: whether there are gradients from before. training: the mode of the model.
    """
    model = _Guesser(embedding, head).train(training)
    rate = 0.5
    optimizer: torch.optim.Optimizer
    if adam:
        optimizer = Adam(model.parameters(), lr=rate / 10, eps=1e-3)
    else:
        optimizer = SGD(model.parameters(), lr=rate, momentum=momentum)
    if left_over:
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
    losses = [function(model, optimizer, batch) for batch in tokens]
    outputs: dict[str, Any] = {
        FLOATS: all(isinstance(loss, float) for loss in losses) if model.modes else NOT_ASKED,
        LOSSES: _joined(losses, head.dtype),
        "embedding afterwards": model.embedding.detach().clone(),
        "head afterwards": model.head.detach().clone(),
    }
    if training:
        outputs[STAYS_IN_TRAINING] = all(model.modes) if model.modes else NOT_ASKED
    return Observation(outputs)


def _joined(losses: Sequence[Any], dtype: torch.dtype) -> Any:
    """Return losses as one tensor, from whatever is one number; if something else is among them, the first one."""
    try:
        return torch.tensor([float(_copy(loss)) for loss in losses], dtype=dtype)
    except (TypeError, ValueError, RuntimeError):
        return _copy(losses[0])


class _Guesser(nn.Module):
    """A language model without attention: it guesses from the mean of the tokens so far.

    modes: whether it was in training mode, at each call.
    """

    def __init__(self, embedding: Tensor, head: Tensor) -> None:
        super().__init__()
        self.embedding = nn.Parameter(embedding.clone())
        self.head = nn.Parameter(head.clone())
        self.modes: list[bool] = []

    def forward(self, tokens: Tensor) -> Tensor:
        self.modes.append(self.training)
        counts = torch.arange(1, tokens.shape[1] + 1, dtype=self.head.dtype)[:, None]
        embedded = self.embedding[tokens]
        return (embedded + embedded.cumsum(dim=1) / counts).tanh() @ self.head


def run_generate(
    function: Callable[..., Any],
    tokens: Tensor,
    tables: Tensor,
    max_new_tokens: int,
    training: bool,
    whole: bool = True,
) -> Observation:
    """Let a model generate whose guess depends on each token that it sees and on the token's position.

    whole: whether all that comes back is looked at, or the new tokens alone.
    """
    model = _Writer(tables).train(training)
    written = function(model, tokens, max_new_tokens)
    if not whole and isinstance(written, Tensor) and written.dim() == 2:
        written = written[:, -max_new_tokens:]
    outputs = {SINGLE if whole else NEW: written}
    on = _gradients_are_on()
    return Observation(outputs | ({GRADIENTS_ON: on if model.asked else NOT_ASKED} if max_new_tokens else {}))


def _gradients_are_on() -> bool:
    """Return whether gradients are still switched on, and switch them on."""
    on = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return on


class _Writer(nn.Module):
    """A language model made of tables: each token that it sees, at its position, votes for each token that may follow."""

    def __init__(self, tables: Tensor) -> None:
        super().__init__()
        self.tables = nn.Parameter(tables.clone())
        self.context_length = tables.shape[0]
        self.asked = False

    def forward(self, tokens: Tensor) -> Tensor:
        self.asked = True
        t = tokens.shape[1]
        if t > self.context_length:
            raise ValueError(f"the model sees at most {self.context_length} tokens, and was given {t}")
        return self.tables[torch.arange(t), tokens].cumsum(dim=1)


def _modes(model: nn.Module) -> str:
    """Return the mode of all modules of a model, as a word."""
    modes = {module.training for module in model.modules()}
    return "some in training, some in eval" if len(modes) > 1 else "training" if modes.pop() else "eval"


# Probes: reading heads

MODE = "the model's mode afterwards"
HOOKS = "hooks left in the model"

MODES = 4
"""How many modes are drawn: so many are not the same by chance."""

NO_MAPS = "no maps came back"
"""Stands for what can be right of code that does nothing."""


def run_maps(
    function: Callable[..., Any],
    tokens: Tensor,
    embedding: Tensor,
    W_query: Tensor,
    W_key: Tensor,
    b_query: Tensor,
    num_heads: int,
    nested: bool,
    modes: int,
    hooks: int,
) -> Observation:
    """Look at all heads of a model several times, in both modes, and at what has become of the model.

    W_query, W_key: layers d_out d_in; b_query: layers d_out. nested: whether the layers lie deep within the model.
    modes: in which mode it is each time, a bit for each; the second time in the other than the first. hooks: how many somebody else has
    left in it, which stay.
    """
    training = [bool(modes >> time & 1) for time in range(MODES)]
    layers = [_Looking(*matrices, num_heads) for matrices in zip(W_query, W_key, b_query, strict=True)]
    model = _NumHeadsButNoWQuery(embedding, layers, nested).train(training[0])
    for _ in range(hooks):
        layers[-1].register_forward_pre_hook(lambda *_: None)
    maps, found = function(model, tokens), [_modes(model)]
    first_maps = function(model.train(not training[0]), tokens[:, :2].contiguous())
    found.append(_modes(model))
    for mode in training[1:]:
        function(model.train(mode), tokens[:, :1].contiguous())
        found.append(_modes(model))
    left = sum(len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules())
    gradients = f"gradients {'on' if _gradients_are_on() else 'off'}"
    afterwards: dict[str, Any] = {MODE: f"{', then '.join(found)}, {gradients}", HOOKS: left}
    if maps is None or (isinstance(maps, Tensor) and not bool(maps.any())):
        afterwards = dict.fromkeys(afterwards, NO_MAPS)
    return Observation({"maps": maps, FIRST_MAPS: first_maps} | afterwards)


class _Looking(nn.Module):
    """Has what the docstring promises of attention. Its output depends on queries and keys, but is not attention."""

    def __init__(self, W_query: Tensor, W_key: Tensor, b_query: Tensor, heads: int) -> None:
        super().__init__()
        self.W_query = _linear(W_query, b_query)
        self.W_key = _linear(W_key, torch.zeros_like(b_query))
        self.num_heads = heads

    def forward(self, x: Tensor) -> Tensor:
        agreement = (self.W_query(x) * self.W_key(x)).mean(dim=-1, keepdim=True)
        moved: Tensor = x * agreement.tanh() + x.cumsum(dim=1).sin()
        return moved


class _NumHeadsButNoWQuery(nn.Module):
    """A model of attention layers, with dropout before each, and modules that look like attention but are not: itself, as students read its name."""

    def __init__(self, embedding: Tensor, layers: list[_Looking], nested: bool) -> None:
        super().__init__()
        self.embedding = nn.Parameter(embedding.clone())
        self.dropout = nn.Dropout(0.5)
        self.one_head = nn.Module()  # no `num_heads`
        self.one_head.W_query, self.one_head.W_key = nn.Identity(), nn.Identity()
        self.body = nn.ModuleDict({f"layer {number}": _Deep(layer) for number, layer in enumerate(layers)})
        if not nested:
            self.body = nn.ModuleDict({f"layer {number}": layer for number, layer in enumerate(layers)})
        self.num_heads = 1 + layers[0].num_heads  # no `W_query`

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding[tokens]
        for layer in self.body.values():
            x = layer(self.dropout(x))
        return functional.normalize(x, dim=-1)


class _Deep(nn.Module):
    """A layer inside another module."""

    def __init__(self, layer: _Looking) -> None:
        super().__init__()
        self.inner = nn.Sequential(layer, nn.Tanh())

    def forward(self, x: Tensor) -> Tensor:
        bent: Tensor = self.inner(x)
        return bent


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], dtype=weight.dtype)
    write(layer, "weight", weight)
    write(layer, "bias", bias)
    return layer


# Cases


def _norm_parameters(draw: Draw, emb_dim: int) -> dict[str, Tensor]:
    return {"scale": draw.uniform(emb_dim), "shift": draw.normal(emb_dim)}


BIASED = "a few numbers a token"
CLOSE = "numbers close together"


def _layer_norm(draw: Draw) -> Iterator[Case]:
    """Where tokens are long, it hardly matters by what the variance is divided; where numbers are large, 1e-5 does not."""
    as_made = {"x": journey(), "scale": torch.ones(3), "shift": torch.zeros(3)}
    yield Case("journey", as_made, tolerance=LOOSE, labels={"token": JOURNEY_TOKENS})
    yield Case(BIASED, {"x": 100 * draw.normal(4, 5)} | _norm_parameters(draw, 5))
    yield Case("as many tokens as numbers", {"x": draw.normal(60, 60)} | _norm_parameters(draw, 60), tolerance=LONG)
    yield Case("one token", {"x": 3 * draw.normal(1, 60)} | _norm_parameters(draw, 60), tolerance=LONG)
    yield Case(CLOSE, {"x": TINY * draw.normal(3, 70)} | _norm_parameters(draw, 70), tolerance=LONG)
    alike = torch.tensor([[3.0], [-2.0]]).repeat(1, 4)
    yield Case("all numbers alike", {"x": alike} | _norm_parameters(draw, 4), tolerance=LONG)
    yield Case("batch", {"x": 2 * draw.normal(2, 3, 80) + 1} | _norm_parameters(draw, 80), tolerance=LONG)


EXACT_GELU = "to the last digit"


def _feed_forward(draw: Draw) -> Iterator[Case]:
    usual: dict[str, Any] = {"drawn": False, "learned": False}
    yield Case("journey", {"x": journey()} | usual, tolerance=LOOSE, labels={"token": JOURNEY_TOKENS})
    yield Case(EXACT_GELU, {"x": 3 * draw.normal(4, 5)} | usual)
    yield Case("as many tokens as numbers", {"x": 2 * draw.normal(4, 4)} | usual, tolerance=LOOSE)
    yield Case(SMALLEST, {"x": draw.normal(1, 1)} | usual, tolerance=LOOSE)
    yield Case(AS_DRAWN, {"x": 2 * draw.normal(6)} | usual | {"drawn": True}, tolerance=LOOSE)
    yield Case("batch", {"x": 3 * draw.normal(2, 4, 5)} | usual, tolerance=LOOSE)
    learned = usual | {"learned": True}
    yield Case(AFTER_LEARNING, {"x": 2 * draw.normal(2, 3, draw.integer(4, 10))} | learned, tolerance=LOOSE)


def _transformer_block(draw: Draw) -> Iterator[Case]:
    usual: dict[str, Any] = {"dropout": 0.0, "drawn": False, "learned": False, "training": False}
    yield Case("journey", {"x": journey()[None], **usual}, labels={"token": JOURNEY_TOKENS})
    yield Case("as many tokens as numbers", {"x": draw.normal(3, 4, 4), **usual})
    yield Case(IN_TRAINING, {"x": draw.normal(8, 8, 10), **usual, "dropout": 0.3, "training": True})
    learning: dict[str, Any] = {"dropout": 0.5, "learned": True}
    yield Case(AFTER_LEARNING, {"x": draw.normal(2, 3, draw.integer(4, 9)), **usual, **learning}, tolerance=LOOSE)
    yield Case(SMALLEST, {"x": draw.normal(1, 1, 1), **usual})
    yield Case(AS_DRAWN, {"x": draw.normal(2, 3, 6), **usual, "drawn": True})
    yield Case("batch", {"x": 2 * draw.normal(2, 5, 4), **usual})


def _tokens(draw: Draw, *shape: int, vocab_size: int) -> Tensor:
    """Return sentences (..., t) of tokens drawn at random, no token twice in a sentence."""
    *leading, t = shape
    return draw.uniform(*leading, vocab_size).argsort(dim=-1)[..., :t].contiguous()


def _tiny_gpt(draw: Draw) -> Iterator[Case]:
    """The sizes are drawn, too: how many numbers there are to train, and what attention is made with, is not the same in every exam."""
    vocab_size, context_length = draw.integer(11, 19), draw.integer(6, 8) + 3 * draw.integer(0, 2)
    usual: dict[str, Any] = {
        "direction": draw.normal(vocab_size),
        "context_length": context_length,
        "emb_dim": 8,
        "num_heads": 4,
        "num_layers": 2,
        "dropout": 0.0,
        "drawn": False,
        "learned": False,
        "training": False,
        "quiet": False,
        "inside": False,
    }
    tokens = _tokens(draw, 2, 5, vocab_size=vocab_size)
    yield Case("what attention is given", {"tokens": tokens, **usual, "inside": True})
    yield Case("one layer", {"tokens": _tokens(draw, 3, 5, vocab_size=vocab_size), **usual, "num_layers": 1})
    given = {"direction": draw.normal(5), "emb_dim": 4, "num_heads": 1, "num_layers": 3}
    same = {"tokens": torch.full((2, context_length), 3)}
    yield Case("three layers, the same token all over the context", usual | given | same | {"inside": True})
    tokens = _tokens(draw, 1, 6, vocab_size=vocab_size)
    yield Case("blocks that add nothing", {"tokens": tokens, **usual, "num_layers": 3, "quiet": True})
    sizes = dict.fromkeys(("context_length", "num_heads", "num_layers"), 1)
    least = {"tokens": torch.zeros(1, 1).long(), "direction": draw.normal(1).double(), "emb_dim": draw.integer(2, 33)}
    yield Case(SMALLEST, usual | sizes | least)
    tokens = _tokens(draw, 2, 6, vocab_size=vocab_size)
    yield Case(AS_DRAWN, {"tokens": tokens, **usual, "drawn": True})
    tokens = _tokens(draw, 8, 6, vocab_size=vocab_size)
    yield Case(IN_TRAINING, {"tokens": tokens, **usual, "dropout": 0.3, "training": True})
    learning = {"tokens": _tokens(draw, 3, 4, vocab_size=vocab_size), **usual, "learned": True}
    yield Case(AFTER_LEARNING, learning, tolerance=LOOSE)


def _guesses(draw: Draw, *shape: int, size: float = 1.0) -> dict[str, Tensor]:
    return {"logits": size * draw.normal(*shape), "tokens": _tokens(draw, *shape[:2], vocab_size=shape[2])}


LARGE_LOGITS = "logits of hundreds"


def _next_token_loss(draw: Draw) -> Iterator[Case]:
    yield Case("random", _guesses(draw, 2, 4, 7))
    yield Case("one sentence", _guesses(draw, 1, 5, 6))
    yield Case("two tokens", _guesses(draw, 3, 2, 5))
    yield Case("one guess, one token", {"logits": draw.normal(1, 2, 1), "tokens": torch.zeros(1, 2).long()})
    yield Case("all sizes alike", _guesses(draw, 4, 4, 4))
    yield Case(LARGE_LOGITS, _guesses(draw, 2, 5, 6, size=300.0))
    yield Case("batch", _guesses(draw, 3, 5, 9, size=2.0))


def _lessons(draw: Draw, batches: int, b: int, t: int, emb_dim: int, vocab_size: int) -> dict[str, Any]:
    return {
        "tokens": _tokens(draw, batches, b, t, vocab_size=vocab_size),
        "embedding": draw.normal(vocab_size, emb_dim),
        "head": draw.normal(emb_dim, vocab_size),
    }


def _train_step(draw: Draw) -> Iterator[Case]:
    usual = {"momentum": 0.0, "adam": False, "left_over": False, "training": False}
    yield Case("one step", _lessons(draw, 1, 2, 5, 4, 7) | usual)
    yield Case("gradients from before", _lessons(draw, 1, 3, 4, 3, 6) | usual | {"left_over": True})
    several = {"momentum": 0.9, "training": True}
    yield Case("several steps with momentum, in training mode", _lessons(draw, 3, 2, 4, 5, 6) | usual | several)
    yield Case("two steps with Adam", _lessons(draw, 2, 1, 6, 4, 7) | usual | {"adam": True})


def _writing(draw: Draw, b: int, t: int, context_length: int, vocab_size: int = 7) -> dict[str, Any]:
    return {
        "tokens": _tokens(draw, b, t, vocab_size=vocab_size),
        "tables": draw.normal(context_length, vocab_size, vocab_size),
    }


LONG_TEXT, LONG_BEGINNING = "longer than the context", "a beginning longer than the context"


def _generate(draw: Draw) -> Iterator[Case]:
    usual = {"max_new_tokens": 8, "training": False, "whole": True}
    new_alone = usual | {"whole": False}
    yield Case("within the context", _writing(draw, 3, 2, 12) | usual)
    yield Case(LONG_TEXT, _writing(draw, 1, 3, 5) | new_alone)
    yield Case(LONG_BEGINNING, _writing(draw, 2, 6, 4) | new_alone)
    yield Case(SMALLEST, _writing(draw, 1, 1, 1, 1) | usual | {"max_new_tokens": 1})
    yield Case("no new token", _writing(draw, 2, 4, 5) | usual | {"max_new_tokens": 0})
    yield Case("no end", _writing(draw, 4, 3, 11) | new_alone)
    yield Case("in training mode", _writing(draw, 2, 1, 9, 10) | new_alone | {"training": True})


def _heads(
    draw: Draw, layers: int, b: int, t: int, num_heads: int, head_dim: int, emb_dim: int, bias: float = 0.0
) -> dict[str, Any]:
    d_out = num_heads * head_dim
    return {
        "tokens": _tokens(draw, b, t, vocab_size=9),
        "embedding": draw.normal(9, emb_dim),
        "W_query": draw.normal(layers, d_out, emb_dim) / emb_dim**0.5,
        "W_key": draw.normal(layers, d_out, emb_dim) / emb_dim**0.5,
        "b_query": bias * draw.normal(layers, d_out),
        "num_heads": num_heads,
        "nested": False,
        "modes": draw.integer(0, 2**MODES),
        "hooks": draw.integer(0, 40),
    }


def _attention_maps(draw: Draw) -> Iterator[Case]:
    yield Case("one layer, one head, with bias", _heads(draw, 1, 1, 4, 1, 3, 5, bias=1.0), tolerance=EXACT)
    yield Case("two layers", _heads(draw, 2, 3, 5, 4, 2, 7))
    yield Case("layers deep within", _heads(draw, 3, 4, 6, 5, 1, 7) | {"nested": True})
    yield Case("as many heads as tokens", _heads(draw, 2, 4, 4, 4, 1, 3))
    yield Case(SMALLEST, _heads(draw, 1, 1, 1, 1, 1, 1))


_LOGITS = dict.fromkeys(("logits", SHORTER, LEARNT), "b t vocab_size") | {GIVEN: "num_layers b t emb_dim"}
_TRAINED = {LOSSES: "steps", "embedding afterwards": "vocab_size emb_dim", "head afterwards": "emb_dim vocab_size"}

_PARAMETERS = Criterion("parameters", cases=(AS_DRAWN, AFTER_LEARNING))

PART = Part(
    name="part6_training",
    title="Weights that mean something",
    steps=(
        Step(
            name="LayerNorm",
            lecture="docs/lectures/transformer_block.md",
            points=3,
            effort="six lines",
            cases=_layer_norm,
            never_one=("emb_dim",),
            probe=run_norm,
            returns={f"{name} at first": "emb_dim" for name in NORM_NAMES}
            | dict.fromkeys(("output", REVERSED), "... emb_dim"),
            forbids=(
                "layer_norm",
                "LayerNorm",
                "group_norm",
                "GroupNorm",
                "instance_norm",
                "batch_norm",
                "rms_norm",
                "RMSNorm",
                "BatchNorm1d",
                "BatchNorm2d",
                "InstanceNorm1d",
                "InstanceNorm2d",
            ),
            criteria=(
                Criterion("1e-5 within the root", cases=(CLOSE,)),
                Criterion("parameters", outputs=("parameters", *(f"{name} at first" for name in NORM_NAMES))),
            ),
            hints=(
                "Each token is normalised by itself: mean and variance run over the last dimension, and `keepdim=True` keeps "
                "them in a shape that fits.",
                "By default, `torch.var` divides by emb_dim − 1. With `correction=0` it divides by emb_dim.",
                "1e-5 is added to the variance, then comes the square root. `scale` and `shift` are `nn.Parameter`s of emb_dim numbers.",
            ),
        ),
        Step(
            name="FeedForward",
            lecture="docs/lectures/transformer_block.md",
            points=2,
            effort="six lines",
            cases=_feed_forward,
            probe=run_feed_forward,
            returns=dict.fromkeys(("output", REVERSED, LEARNT), "... emb_dim"),
            criteria=(_PARAMETERS,),
            hints=(
                "Two `nn.Linear`, made in the order in which they are used. The inner one gives four times as many numbers.",
                "`nn.GELU()` without arguments is the exact one. `nn.Sequential` calls modules one after the other.",
            ),
        ),
        Step(
            name="TransformerBlock",
            lecture="docs/lectures/transformer_block.md",
            points=3,
            effort="eight lines",
            cases=_transformer_block,
            probe=run_block,
            returns=dict.fromkeys(("output", REVERSED, LEARNT), "b t emb_dim"),
            criteria=(
                Criterion("dropout", cases=(IN_TRAINING,)),
                _PARAMETERS,
            ),
            hints=(
                "Each of the two paths has its own norm. The attention is passed in: keep it, and make the rest.",
                "Attention and feed forward read the normalised tokens, but their output is added to the tokens before the norm.",
                "Each path is norm, then attention or feed forward, then dropout, then the addition. The second path starts "
                "from the sum of the first.",
            ),
        ),
        Step(
            name="TinyGPT",
            lecture="docs/lectures/tiny_gpt.md",
            points=5,
            effort="twenty lines",
            cases=_tiny_gpt,
            probe=run_gpt,
            returns=_LOGITS,
            gradients=False,
            criteria=(
                _PARAMETERS,
                Criterion("dropout", 0.1, cases=(IN_TRAINING,)),
                Criterion("context_length", 0.1, outputs=(CONTEXT_LENGTH,)),
            ),
            hints=(
                "`nn.Embedding(how_many, emb_dim)` looks up a row for each number: one table for tokens, one for positions.",
                "`torch.arange` makes the positions 0, 1, 2, …, one for each token. Add their rows to the rows of the "
                "tokens, and then apply dropout.",
                "Make the attention of a block right before the block, and keep the blocks in an `nn.ModuleList`. The last norm "
                "and the head come after all blocks.",
            ),
        ),
        Step(
            name="next_token_loss",
            lecture="docs/lectures/training.md",
            points=2,
            effort="two lines",
            cases=_next_token_loss,
            never_one=("t",),
            criteria=(Criterion("large logits", cases=(LARGE_LOGITS,)),),
            hints=(
                "The guess at position i is about position i + 1. Which guess has no token to compare it with, and which token has no guess?",
                "`functional.cross_entropy` takes logits (n, v), not probabilities, and n tokens, and returns the mean.",
                "Cut the last position from the logits and the first from the tokens; `flatten` then joins sentences and positions.",
            ),
        ),
        Step(
            name="train_step",
            lecture="docs/lectures/training.md",
            points=3,
            effort="six lines",
            cases=_train_step,
            never_one=("t",),
            probe=run_train_step,
            returns=_TRAINED,
            gradients=False,
            criteria=(
                Criterion("the loss before the update", outputs=(LOSSES,)),
                Criterion("training mode", outputs=(STAYS_IN_TRAINING,)),
                Criterion("form", 0.125, outputs=(FLOATS,)),
            ),
            hints=(
                "`backward` adds to the gradients that are there already: clear them first.",
                "The optimizer has `zero_grad` and `step`, the loss has `backward`. In which order must you call them?",
                "Your `next_token_loss` makes the loss; `.item()` turns a tensor of one number into a float.",
            ),
        ),
        Step(
            name="generate",
            lecture="docs/lectures/training.md",
            points=3,
            effort="five lines",
            cases=_generate,
            probe=run_generate,
            returns={SINGLE: "b t+max_new_tokens", NEW: "b max_new_tokens"},
            gradients=False,
            criteria=(
                Criterion("cropping", cases=(LONG_TEXT, LONG_BEGINNING)),
                Criterion("gradients on again", outputs=(GRADIENTS_ON,)),
            ),
            hints=(
                "Only the logits of the last position predict the next token. `argmax(dim=-1)` is the most likely one.",
                "The model takes at most `model.context_length` tokens: pass it the last ones, but return all.",
                "`torch.cat` puts the new tokens, in the shape (b, 1), after the others. No gradient is needed: `with "
                "torch.no_grad():` saves time.",
            ),
        ),
        Step(
            name="attention_maps",
            lecture="docs/lectures/reading_heads.md",
            points=4,
            effort="twenty lines",
            cases=_attention_maps,
            probe=run_maps,
            returns=dict.fromkeys(("maps", FIRST_MAPS), "num_layers b num_heads t t"),
            gradients=False,
            criteria=(
                Criterion("hooks removed", 0.15, outputs=(HOOKS,)),
                Criterion("mode put back", 0.15, outputs=(MODE,)),
            ),
            hints=(
                "`model.modules()` yields all modules at all depths, in order; `hasattr` shows which of them are attention.",
                "A hook that is registered with `register_forward_pre_hook` is called with the module and its inputs. "
                "Registering returns a handle with a method `remove`.",
                "With the input of each layer, the rest is part 4: project, split into heads, scores, mask, scale, softmax. "
                "Remember the model's mode before you change it.",
            ),
        ),
    ),
)
