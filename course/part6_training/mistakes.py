"""Known mistakes of part 6."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.course.model import Mistakes


class _Norm(nn.Module):
    def __init__(self, emb_dim: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def normalised(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        return centred * (centred.square().mean(dim=-1, keepdim=True) + 1e-5).rsqrt()

    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.shift, self.normalised(x), self.scale)


class LayerNorm(Mistakes):
    class UnbiasedVariance(_Norm):
        """Your variance is divided by one less, as `var` does by itself: use `correction=0`."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + 1e-5) ** 0.5

    class EpsOutsideTheRoot(_Norm):
        """You add 1e-5 to the root. Add it to the variance: near zero that makes a difference."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) ** 0.5 + 1e-5)

    class NoEps(_Norm):
        """If all numbers are equal, 0 / 0 is nan. Add 1e-5 to the variance before the root."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean(-1, True)) / x.var(-1, correction=0, keepdim=True) ** 0.5

    class AnotherEps(_Norm):
        """The number added to the variance is not 1e-5: that shows in numbers close together."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + 1e-6) ** 0.5

    class DividedByVariance(_Norm):
        """You divide by the variance. Divide by its root, the standard deviation."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + 1e-5)

    class NormOverTheFirstDimension(_Norm):
        """Mean and variance run over tokens, or a batch. Each token has its own: `dim=-1`."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean(0, True)) / (x.var(0, correction=0, keepdim=True) + 1e-5) ** 0.5

    class NormOverEverything(_Norm):
        """Mean and variance are those of all numbers together. Each token has its own: `dim=-1`."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean()) / (x.var(correction=0) + 1e-5) ** 0.5

    class MeanOverEverything(_Norm):
        """The mean is that of all numbers. Each token has its own: `dim=-1`, as your variance."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean()) / (x.var(-1, correction=0, keepdim=True) + 1e-5) ** 0.5

    class SquaresAroundTheMeanOfEverything(_Norm):
        """The mean is that of all numbers together, and the variance is computed from it. Each
        token has a mean of its own: `dim=-1`."""

        def normalised(self, x: Tensor) -> Tensor:
            centred = x - x.mean()
            return centred / (centred.square().mean(-1, True) + 1e-5) ** 0.5

    class MeanNotSubtracted(_Norm):
        """The mean is not subtracted. Each token has mean 0 before it is scaled and shifted."""

        def normalised(self, x: Tensor) -> Tensor:
            return x / (x.var(-1, correction=0, keepdim=True) + 1e-5) ** 0.5

    class RootMeanSquare(_Norm):
        """You divide by the root mean square, as RMSNorm does. Subtract the mean first."""

        def normalised(self, x: Tensor) -> Tensor:
            return x / (x.square().mean(-1, True) + 1e-5) ** 0.5

    class NormOfPlainTensors(_Norm):
        """No optimiser finds `scale` and `shift`. Make them parameters: `nn.Parameter(...)`."""

        def __init__(self, emb_dim: int) -> None:
            nn.Module.__init__(self)
            self.scale, self.shift = torch.ones(emb_dim), torch.zeros(emb_dim)  # type: ignore[assignment]

    class ScaleAndShiftUnused(_Norm):
        """`scale` and `shift` have no effect. Multiply by `scale`, then add `shift`."""

        def forward(self, x: Tensor) -> Tensor:
            return self.normalised(x)

    class ShiftedBeforeScaled(_Norm):
        """You add `shift` before you multiply by `scale`. It comes last: nothing scales it."""

        def forward(self, x: Tensor) -> Tensor:
            return (self.normalised(x) + self.shift) * self.scale

    class ScaleOfZeros(_Norm):
        """`scale` is zero at first: nothing comes through. Begin with `torch.ones(emb_dim)`."""

        def __init__(self, emb_dim: int) -> None:
            super().__init__(emb_dim)
            self.scale = nn.Parameter(torch.zeros(emb_dim))

    class StatisticsDetached(_Norm):
        """Mean or variance is cut off from backward, by `detach` or `no_grad`: the numbers are
        right, their gradients are not."""

        def normalised(self, x: Tensor) -> Tensor:
            return (x - x.mean(-1, True).detach()) / (x.var(-1, correction=0, keepdim=True) + 1e-5).detach() ** 0.5


class _FeedForward(nn.Module):
    def __init__(self, emb_dim: int, wide: int = 4, bias: bool = True) -> None:
        super().__init__()
        self.widen = nn.Linear(emb_dim, wide * emb_dim, bias=bias)
        self.narrow = nn.Linear(wide * emb_dim, emb_dim, bias=bias)

    def bend(self, x: Tensor) -> Tensor:
        return functional.gelu(x)

    def forward(self, x: Tensor) -> Tensor:
        return self.narrow(self.bend(self.widen(x)))


class FeedForward(Mistakes):
    class TanhGelu(_FeedForward):
        """This is GELU's approximation by tanh, a little off. Use the exact one: `nn.GELU()`."""

        def bend(self, x: Tensor) -> Tensor:
            return functional.gelu(x, approximate="tanh")

    class QuickGelu(_FeedForward):
        """This is GELU's approximation x · sigmoid(1.702 x). Use the exact one: `nn.GELU()`."""

        def bend(self, x: Tensor) -> Tensor:
            return x * torch.sigmoid(1.702 * x)

    class ReluForGelu(_FeedForward):
        """You use ReLU. This step asks for GELU, which is smooth around zero: `nn.GELU()`."""

        def bend(self, x: Tensor) -> Tensor:
            return x.clamp(min=0.0)

    class GeluWithoutTheRoot(_FeedForward):
        """In your GELU the error function gets x. It gets x / √2: a standard normal number."""

        def bend(self, x: Tensor) -> Tensor:
            return x * (1 + torch.erf(x)) / 2

    class SiluForGelu(_FeedForward):
        """You use SiLU, x · sigmoid(x). This step asks for GELU: `nn.GELU()`."""

        def bend(self, x: Tensor) -> Tensor:
            return functional.silu(x)

    class NothingBent(_FeedForward):
        """There is no GELU between the two layers: together they are one linear layer."""

        def bend(self, x: Tensor) -> Tensor:
            return x

    class TwiceAsWide(_FeedForward):
        """The inner layer is twice as wide as the tokens. It is four times as wide: 4 · emb_dim."""

        def __init__(self, emb_dim: int) -> None:
            super().__init__(emb_dim, wide=2)

    class NotWider(_FeedForward):
        """The inner layer is no wider than the tokens. It is four times as wide: 4 · emb_dim."""

        def __init__(self, emb_dim: int) -> None:
            super().__init__(emb_dim, wide=1)

    class NoBiases(_FeedForward):
        """Your layers have no biases. `nn.Linear` adds one by itself: leave `bias` out."""

        def __init__(self, emb_dim: int) -> None:
            super().__init__(emb_dim, bias=False)

    class BentTwice(_FeedForward):
        """GELU comes again after the second layer. What is added to a token may be negative."""

        def forward(self, x: Tensor) -> Tensor:
            return self.bend(super().forward(x))

    class BentLast(_FeedForward):
        """GELU comes after the second layer. It belongs between the two layers."""

        def forward(self, x: Tensor) -> Tensor:
            return self.bend(self.narrow(self.widen(x)))

    class BentFirst(_FeedForward):
        """GELU comes before the first layer. It belongs between the two layers."""

        def forward(self, x: Tensor) -> Tensor:
            return self.narrow(self.widen(self.bend(x)))

    class NarrowingLayerMadeFirst(_FeedForward):
        """The layers are made in the other order. Make the widening layer first."""

        def __init__(self, emb_dim: int) -> None:
            nn.Module.__init__(self)
            self.narrow = nn.Linear(4 * emb_dim, emb_dim)
            self.widen = nn.Linear(emb_dim, 4 * emb_dim)

    class InputAddedAlready(_FeedForward):
        """x is added to what comes out. The block does that: return only the path's own part."""

        def forward(self, x: Tensor) -> Tensor:
            return x + super().forward(x)


class _Block(nn.Module):
    def __init__(self, attention: nn.Module, emb_dim: int, dropout: float) -> None:
        super().__init__()
        self.attention, self.feed_forward = attention, _FeedForward(emb_dim)
        self.before_attention, self.before_feed_forward = _Norm(emb_dim), _Norm(emb_dim)
        self.drop: nn.Module = nn.Dropout(dropout)

    def attended(self, x: Tensor) -> Tensor:
        return self.drop(self.attention(self.before_attention(x)))

    def fed(self, x: Tensor) -> Tensor:
        return self.drop(self.feed_forward(self.before_feed_forward(x)))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attended(x)
        return x + self.fed(x)


class _AlwaysDrops(nn.Dropout):
    def forward(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.p)


class TransformerBlock(Mistakes):
    class PostNorm(_Block):
        """You normalise after the addition, as the first Transformer. Do it before each path."""

        def forward(self, x: Tensor) -> Tensor:
            x = self.before_attention(x + self.drop(self.attention(x)))
            return self.before_feed_forward(x + self.drop(self.feed_forward(x)))

    class FeedForwardNormalisedBehind(_Block):
        """You normalise what the feed forward returns. The norm comes before each path."""

        def fed(self, x: Tensor) -> Tensor:
            return self.drop(self.before_feed_forward(self.feed_forward(x)))

    class AttentionNormalisedBehind(_Block):
        """You normalise what the attention returns. The norm comes before each path."""

        def attended(self, x: Tensor) -> Tensor:
            return self.drop(self.before_attention(self.attention(x)))

    class BothNormalisedBehind(_Block):
        """You normalise what both paths return. The norm comes before each path."""

        def forward(self, x: Tensor) -> Tensor:
            x = x + self.drop(self.before_attention(self.attention(x)))
            added: Tensor = self.drop(self.before_feed_forward(self.feed_forward(x)))
            return x + added

    class NormAtTheEnd(_Block):
        """The norm comes before each path, not after it: the attention gets its tokens as they are,
        and a norm comes at the end of the block."""

        def forward(self, x: Tensor) -> Tensor:
            x = x + self.drop(self.attention(x))
            return self.before_attention(x + self.fed(x))

    class FeedForwardOfAttentionAlone(_Block):
        """The feed forward gets what attention returns. It gets its sum with x, normalised."""

        def forward(self, x: Tensor) -> Tensor:
            attended = self.attended(x)
            return x + attended + self.fed(attended)

    class NoPathPastAttention(_Block):
        """The residual connection around attention is missing: add it to x, do not replace x."""

        def forward(self, x: Tensor) -> Tensor:
            x = self.attended(x)
            return x + self.fed(x)

    class NoPathPastFeedForward(_Block):
        """The residual connection around the feed forward is missing: add it to the first sum."""

        def forward(self, x: Tensor) -> Tensor:
            return self.fed(x + self.attended(x))

    class NoPathAtAll(_Block):
        """The residual connections are missing: add what comes out to what went in, twice."""

        def forward(self, x: Tensor) -> Tensor:
            return self.fed(self.attended(x))

    class NormShared(_Block):
        """Both paths share one norm. Each has its own scale and shift to learn: make two."""

        def __init__(self, attention: nn.Module, emb_dim: int, dropout: float) -> None:
            super().__init__(attention, emb_dim, dropout)
            self.before_feed_forward = self.before_attention

    class FeedForwardNotNormalised(_Block):
        """The feed forward gets its tokens as they are. Normalise them first, by a second norm."""

        def fed(self, x: Tensor) -> Tensor:
            return self.drop(self.feed_forward(x))

    class AttentionNotNormalised(_Block):
        """The attention gets its tokens as they are. Normalise them first."""

        def attended(self, x: Tensor) -> Tensor:
            return self.drop(self.attention(x))

    class NormalisedOnThePathToo(_Block):
        """You add to the normalised x. Add to the original x: the norm is only for the path."""

        def forward(self, x: Tensor) -> Tensor:
            x = self.before_attention(x)
            x = self.before_feed_forward(x + self.drop(self.attention(x)))
            return x + self.drop(self.feed_forward(x))

    class SideBySide(_Block):
        """The feed forward starts from the block's input. It starts from the first sum."""

        def forward(self, x: Tensor) -> Tensor:
            return x + self.attended(x) + self.fed(x)

    class ShortcutNotRenewed(_Block):
        """The second addition is to the block's input, so that what the attention added is lost.
        Add what the feed forward returns to the first sum."""

        def forward(self, x: Tensor) -> Tensor:
            return x + self.fed(x + self.attended(x))

    class FeedForwardFirst(_Block):
        """The feed forward comes before the attention. The attention is first."""

        def forward(self, x: Tensor) -> Tensor:
            x = x + self.fed(x)
            return x + self.attended(x)

    class InputAddedTwice(_Block):
        """The block's input is added once more at the end: the first sum has it already."""

        def forward(self, x: Tensor) -> Tensor:
            return x + super().forward(x)

    class DroppedAfterTheAddition(_Block):
        """You drop from the sums, and so from x itself. Drop from what is added, before."""

        def forward(self, x: Tensor) -> Tensor:
            x = self.drop(x + self.attention(self.before_attention(x)))
            return self.drop(x + self.feed_forward(self.before_feed_forward(x)))

    class BlockWithoutDropout(_Block):
        """Nothing is dropped in training. Apply the dropout to both things that are added."""

        def __init__(self, attention: nn.Module, emb_dim: int, dropout: float) -> None:
            super().__init__(attention, emb_dim, 0.0)

    class FeedForwardNotDropped(_Block):
        """You drop only from what the attention adds. Drop from the feed forward's part too."""

        def fed(self, x: Tensor) -> Tensor:
            return self.feed_forward(self.before_feed_forward(x))

    class AttentionNotDropped(_Block):
        """You drop only from what the feed forward adds. Drop from the attention's part too."""

        def attended(self, x: Tensor) -> Tensor:
            return self.attention(self.before_attention(x))

    class BlockDropsInEval(_Block):
        """You drop in eval mode too. `nn.Dropout`, made in `__init__`, knows the mode;
        `functional.dropout` needs `training=self.training`."""

        def __init__(self, attention: nn.Module, emb_dim: int, dropout: float) -> None:
            super().__init__(attention, emb_dim, dropout)
            self.drop = _AlwaysDrops(dropout)

    class BlockDropoutRateIgnored(_Block):
        """The rate of your dropout is not `dropout`: pass it on as it is, `nn.Dropout(dropout)`."""

        def __init__(self, attention: nn.Module, emb_dim: int, dropout: float) -> None:
            super().__init__(attention, emb_dim, 0.5)

    class AttentionUnused(_Block):
        """The attention that you get is not used. It belongs in the first path, after the norm."""

        def attended(self, x: Tensor) -> Tensor:
            return self.drop(self.before_attention(x))


class _Model(nn.Module):
    blocks: Any

    def __init__(
        self,
        vocab_size: int,
        context_length: int,
        emb_dim: int,
        num_heads: int,
        num_layers: int,
        dropout: float,
        attention_class: Callable[..., nn.Module],
    ) -> None:
        super().__init__()
        self.context_length, self.num_layers = context_length, num_layers
        sizes = (emb_dim, emb_dim, context_length, dropout, num_heads)
        self.make_all(vocab_size, sizes, attention_class)
        self.dropout = nn.Dropout(dropout)

    def make_all(self, vocab_size: int, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
        self.make_embeddings(vocab_size, sizes)
        self.make_blocks(sizes, attention_class)
        self.make_head(vocab_size, sizes[0])

    def make_embeddings(self, vocab_size: int, sizes: tuple[Any, ...]) -> None:
        self.words = nn.Embedding(vocab_size, sizes[0])
        self.places = nn.Embedding(sizes[2], sizes[0])

    def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
        self.blocks = nn.ModuleList(_Block(attention_class(*sizes), sizes[0], sizes[3]) for _ in range(self.num_layers))

    def make_head(self, vocab_size: int, emb_dim: int) -> None:
        self.last_norm = _Norm(emb_dim)
        self.head = nn.Linear(emb_dim, vocab_size, bias=False)

    def embedded(self, tokens: Tensor) -> Tensor:
        return self.dropout(self.words(tokens) + self.places.weight[: tokens.shape[1]])

    def after_blocks(self, x: Tensor) -> Tensor:
        for one in self.blocks:
            x = one(x)
        return x

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.last_norm(self.after_blocks(self.embedded(tokens))))


def _draw_as_gpt2_does(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


class TinyGPT(Mistakes):
    class PositionsMissing(_Model):
        """The positions are missing: a token has the same numbers at every position. Add the row of
        its position to that of the token."""

        def embedded(self, tokens: Tensor) -> Tensor:
            return self.dropout(self.words(tokens))

    class NoPositionEmbedding(_Model):
        """There is no embedding of positions: a token has the same numbers at every position. Make
        one of context_length rows, and add its rows."""

        def make_embeddings(self, vocab_size: int, sizes: tuple[Any, ...]) -> None:
            self.words = nn.Embedding(vocab_size, sizes[0])

        def embedded(self, tokens: Tensor) -> Tensor:
            return self.dropout(self.words(tokens))

    class SamePositionForAll(_Model):
        """The position of every token is 0. Count 0, 1, … up to the tokens: `torch.arange`."""

        def embedded(self, tokens: Tensor) -> Tensor:
            return self.dropout(self.words(tokens) + self.places.weight[0])

    class PositionsFromTheEnd(_Model):
        """The positions are counted from the end. The first token is always at position 0."""

        def embedded(self, tokens: Tensor) -> Tensor:
            rows = self.places.weight[: tokens.shape[1]].flip(0)
            return self.dropout(self.words(tokens) + rows)

    class PlacesOfTheWholeContext(_Model):
        """The rows of all context_length positions are added, which fails when there are fewer
        tokens. Take one for each token: `torch.arange(tokens.shape[1])`."""

        def embedded(self, tokens: Tensor) -> Tensor:
            return self.dropout(self.words(tokens) + self.places.weight)

    class WordsScaled(_Model):
        """You multiply tokens by the root of emb_dim. Add the rows as they are."""

        def embedded(self, tokens: Tensor) -> Tensor:
            words = self.words(tokens) * self.words.embedding_dim**0.5
            return self.dropout(words + self.places.weight[: tokens.shape[1]])

    class BlocksUnused(_Model):
        """A block's output is not used: give it the name of the input, for the next block."""

        def after_blocks(self, x: Tensor) -> Tensor:
            for one in self.blocks:
                one(x)
            return x

    class EmbeddingsMultiplied(_Model):
        """The embeddings are multiplied. Add the row of the position to that of the token."""

        def embedded(self, tokens: Tensor) -> Tensor:
            return self.dropout(self.words(tokens) * self.places.weight[: tokens.shape[1]])

    class HeadTied(_Model):
        """The head shares its numbers with the token embedding. Give it its own, drawn last."""

        def make_head(self, vocab_size: int, emb_dim: int) -> None:
            super().make_head(vocab_size, emb_dim)
            self.head.weight = self.words.weight

    class EmbeddingTied(_Model):
        """The token embedding has become the head's matrix. Each has numbers of its own."""

        def make_head(self, vocab_size: int, emb_dim: int) -> None:
            super().make_head(vocab_size, emb_dim)
            self.words.weight = self.head.weight

    class HeadWithBias(_Model):
        """The head has a bias. It must have none: `bias=False`."""

        def make_head(self, vocab_size: int, emb_dim: int) -> None:
            self.last_norm = _Norm(emb_dim)
            self.head = nn.Linear(emb_dim, vocab_size)

    class BlocksInAPlainList(_Model):
        """The parameters of the blocks are not among the model's, so no optimiser finds them: a
        plain list hides them. Put the blocks into an `nn.ModuleList`."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            super().make_blocks(sizes, attention_class)
            plain = list(self.blocks)
            del self.blocks
            self.blocks = plain

    class SameBlockRepeated(_Model):
        """All layers are the same block, as in `[block] * n`, which repeats one object. Make a new
        block, with a new attention, for each layer."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            self.blocks = nn.ModuleList([_Block(attention_class(*sizes), sizes[0], sizes[3])] * self.num_layers)

    class AttentionShared(_Model):
        """All blocks share one attention. Call `attention_class` right before each block."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            attention = attention_class(*sizes)
            self.blocks = nn.ModuleList(_Block(attention, sizes[0], sizes[3]) for _ in range(self.num_layers))

    class OneBlockOnly(_Model):
        """There is one block, whatever num_layers says. Make num_layers of them."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            self.blocks = nn.ModuleList([_Block(attention_class(*sizes), sizes[0], sizes[3])])

    class BlocksNotChained(_Model):
        """Only the last block counts: each block must take what the one before it returned."""

        def after_blocks(self, x: Tensor) -> Tensor:
            for one in self.blocks:
                last: Tensor = one(x)
            return last

    class FirstBlockReadsAlone(_Model):
        """Only the first block reads. Is there a `return` inside the loop?"""

        def after_blocks(self, x: Tensor) -> Tensor:
            return self.blocks[0](x)

    class NormAfterEachBlock(_Model):
        """The last norm is applied after each block. It comes once, after the loop."""

        def forward(self, tokens: Tensor) -> Tensor:
            x = self.embedded(tokens)
            for one in self.blocks:
                x = self.last_norm(one(x))
            return self.head(x)

    class BlocksFromTheLast(_Model):
        """The blocks are called from the last to the first. Call them as they were made."""

        def after_blocks(self, x: Tensor) -> Tensor:
            for one in reversed(self.blocks):
                x = one(x)
            return x

    class PlacesDrawnFirst(_Model):
        """The position embedding is drawn first: a seed gives another model. Tokens come first."""

        def make_embeddings(self, vocab_size: int, sizes: tuple[Any, ...]) -> None:
            self.places = nn.Embedding(sizes[2], sizes[0])
            self.words = nn.Embedding(vocab_size, sizes[0])

    class AttentionsDrawnFirst(_Model):
        """All attentions are drawn first. Draw block by block: attention, then feed forward."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            attentions = [attention_class(*sizes) for _ in range(self.num_layers)]
            self.blocks = nn.ModuleList(_Block(one, sizes[0], sizes[3]) for one in attentions)

    class FeedForwardDrawnFirst(_Model):
        """In each block the feed forward is drawn first. Call `attention_class` before."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            self.blocks = nn.ModuleList()
            for _ in range(self.num_layers):
                block = _Block(nn.Identity(), sizes[0], sizes[3])
                block.attention = attention_class(*sizes)
                self.blocks.append(block)

    class HeadDrawnBeforeBlocks(_Model):
        """The head is drawn before the blocks: a seed gives another model. It comes last."""

        def make_all(self, vocab_size: int, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            self.make_embeddings(vocab_size, sizes)
            self.make_head(vocab_size, sizes[0])
            self.make_blocks(sizes, attention_class)

    class BlocksDrawnFirst(_Model):
        """The blocks are drawn before the embeddings, so that a seed gives another model."""

        def make_all(self, vocab_size: int, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            self.make_blocks(sizes, attention_class)
            self.make_embeddings(vocab_size, sizes)
            self.make_head(vocab_size, sizes[0])

    class DrawnAgain(_Model):
        """The numbers drawn are overwritten, as GPT-2 does. Leave them as torch draws them."""

        def make_head(self, vocab_size: int, emb_dim: int) -> None:
            super().make_head(vocab_size, emb_dim)
            self.apply(_draw_as_gpt2_does)

    class LastNormMissing(_Model):
        """The last norm is missing: what comes out of the blocks is normalised before the head."""

        def make_head(self, vocab_size: int, emb_dim: int) -> None:
            super().make_head(vocab_size, emb_dim)
            self.last_norm = nn.Identity()  # type: ignore[assignment]

    class LastNormUnused(_Model):
        """The last norm is made, but never called. It comes between blocks and head."""

        def forward(self, tokens: Tensor) -> Tensor:
            return self.head(self.after_blocks(self.embedded(tokens)))

    class NormBeforeTheBlocks(_Model):
        """The last norm comes before the blocks. It belongs after them, right before the head."""

        def forward(self, tokens: Tensor) -> Tensor:
            return self.head(self.after_blocks(self.last_norm(self.embedded(tokens))))

    class EmbeddingsNotDropped(_Model):
        """Nothing is dropped from the embeddings in training. Drop right after their sum."""

        def embedded(self, tokens: Tensor) -> Tensor:
            return self.words(tokens) + self.places.weight[: tokens.shape[1]]

    class DroppedBeforeThePlaces(_Model):
        """You drop before the position is added. Add first, and drop from the sum."""

        def embedded(self, tokens: Tensor) -> Tensor:
            return self.dropout(self.words(tokens)) + self.places.weight[: tokens.shape[1]]

    class BlocksWithoutDropout(_Model):
        """Your blocks drop nothing in training: pass `dropout` on to each of them."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            self.blocks = nn.ModuleList(_Block(attention_class(*sizes), sizes[0], 0.0) for _ in range(self.num_layers))

    class AttentionWithoutDropout(_Model):
        """`attention_class` gets 0.0 for the dropout: pass `dropout` on to it."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            without = (*sizes[:3], 0.0, sizes[4])
            self.blocks = nn.ModuleList(
                _Block(attention_class(*without), sizes[0], sizes[3]) for _ in range(self.num_layers)
            )

    class AttentionArgumentsExchanged(_Model):
        """The arguments of `attention_class` are in another order than in the task."""

        def make_blocks(self, sizes: tuple[Any, ...], attention_class: Callable[..., nn.Module]) -> None:
            exchanged = (*sizes[:3], sizes[4], sizes[3])
            self.blocks = nn.ModuleList(
                _Block(attention_class(*exchanged), sizes[0], sizes[3]) for _ in range(self.num_layers)
            )

    class ProbabilitiesReturned(_Model):
        """These are probabilities. Return logits: the loss applies the softmax."""

        def forward(self, tokens: Tensor) -> Tensor:
            return super().forward(tokens).softmax(dim=-1)

    class LastPlaceOnly(_Model):
        """Your logits are those of the last position only. All positions have some: (b, t, vocab_size)."""

        def forward(self, tokens: Tensor) -> Tensor:
            return super().forward(tokens)[:, -1]

    class LastPlaceKept(_Model):
        """You keep logits of the last position only. All have some: (b, t, vocab_size)."""

        def forward(self, tokens: Tensor) -> Tensor:
            return super().forward(tokens)[:, -1:]


def _cross_entropy(logits: Tensor, tokens: Tensor, reduction: str = "mean") -> Tensor:
    return functional.cross_entropy(logits.transpose(1, 2), tokens, reduction=reduction)


class next_token_loss(Mistakes):
    def loss_not_shifted(logits: Tensor, tokens: Tensor) -> Tensor:
        """The guesses are compared with the tokens at their own positions, which the model has
        seen. Shift: position i guesses token i + 1."""
        return _cross_entropy(logits, tokens)

    def shifted_the_wrong_way(logits: Tensor, tokens: Tensor) -> Tensor:
        """You shift the wrong way. Leave out the last logits and the first token."""
        return _cross_entropy(logits[:, 1:], tokens[:, :-1])

    def both_cut_alike(logits: Tensor, tokens: Tensor) -> Tensor:
        """You leave out the last position on both sides. Leave out the first token instead."""
        return _cross_entropy(logits[:, :-1], tokens[:, :-1])

    def first_token_follows_the_last(logits: Tensor, tokens: Tensor) -> Tensor:
        """The last guess is compared with the first token, as if the sentence were a circle. The
        last position has nothing to guess."""
        return _cross_entropy(logits, tokens.roll(-1, dims=1))

    def joined_before_the_shift(logits: Tensor, tokens: Tensor) -> Tensor:
        """The sentences are joined before the shift, so that the last guess of each is compared
        with the first token of the next. Shift within each sentence, then flatten."""
        return functional.cross_entropy(logits.flatten(0, 1)[:-1], tokens.flatten()[1:])

    def loss_summed(logits: Tensor, tokens: Tensor) -> Tensor:
        """You add the losses up. Return their mean over all guesses, as `cross_entropy` does."""
        return _cross_entropy(logits[:, :-1], tokens[:, 1:], "sum")

    def mean_over_all_places(logits: Tensor, tokens: Tensor) -> Tensor:
        """You divide by b · t. There are only b · (t − 1) guesses that can be compared."""
        return _cross_entropy(logits[:, :-1], tokens[:, 1:], "sum") / tokens.numel()

    def mean_over_sentences_only(logits: Tensor, tokens: Tensor) -> Tensor:
        """You add up over the positions, and take the mean over sentences. Take that of both."""
        return _cross_entropy(logits[:, :-1], tokens[:, 1:], "sum") / len(tokens)

    def softmax_before_cross_entropy(logits: Tensor, tokens: Tensor) -> Tensor:
        """You give `cross_entropy` probabilities. It takes logits: it has a softmax inside."""
        return _cross_entropy(logits.softmax(dim=-1)[:, :-1], tokens[:, 1:])

    def batch_and_places_not_joined(logits: Tensor, tokens: Tensor) -> Tensor:
        """`cross_entropy` takes logits (n, v) and n numbers: join batch and positions first."""
        return functional.cross_entropy(logits[:, :-1], tokens[:, 1:])

    def logarithm_of_softmax(logits: Tensor, tokens: Tensor) -> Tensor:
        """Right for moderate logits, but a probability that is zero has an infinite logarithm. Give
        the logits to `cross_entropy`."""
        return functional.nll_loss(logits.softmax(dim=-1).log()[:, :-1].transpose(1, 2), tokens[:, 1:])

    def first_sentence_only(logits: Tensor, tokens: Tensor) -> Tensor:
        """Only the first sentence counts. All b sentences have guesses: flatten both dimensions."""
        return _cross_entropy(logits[:1, :-1], tokens[:1, 1:])

    def last_guess_only(logits: Tensor, tokens: Tensor) -> Tensor:
        """Only the last token's guess counts. Every position but the last has one to compare."""
        return functional.cross_entropy(logits[:, -2], tokens[:, -1])

    def sign_forgotten(logits: Tensor, tokens: Tensor) -> Tensor:
        """The sign is wrong: a loss is minus a probability's logarithm, never below zero."""
        return -_cross_entropy(logits[:, :-1], tokens[:, 1:])

    def sentences_cut(logits: Tensor, tokens: Tensor) -> Tensor:
        """You cut the batch: the first dimension are the sentences. Leave out the last position and
        the first token of each, in dimension 1."""
        return _cross_entropy(logits[:-1], tokens[1:])

    def loss_of_each_guess(logits: Tensor, tokens: Tensor) -> Tensor:
        """You return one loss for each guess. Return their mean, one number."""
        return _cross_entropy(logits[:, :-1], tokens[:, 1:], "none")


def _loss_of(model: nn.Module, tokens: Tensor) -> Tensor:
    return _cross_entropy(model(tokens)[:, :-1], tokens[:, 1:])


def _one_step(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> Tensor:
    optimizer.zero_grad()
    loss = _loss_of(model, tokens)
    loss.backward()
    optimizer.step()
    return loss


class train_step(Mistakes):
    def gradients_not_cleared(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """The gradients are never cleared, and add up. Clear them before backward."""
        loss = _loss_of(model, tokens)
        loss.backward()
        optimizer.step()
        return loss.item()

    def cleared_afterwards_only(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """You clear gradients after the update only. Some may be left before: clear them first."""
        loss = _loss_of(model, tokens)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    def nothing_learnt(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """The model does not change. Either backward or the update is missing, or the gradients are
        cleared between the two, or the update comes before backward: clear them, go backward,
        update."""
        loss = _loss_of(model, tokens)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        return loss.item()

    def update_before_everything(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """The update comes first, with old gradients. Go backward, then take the step."""
        optimizer.step()
        optimizer.zero_grad()
        loss = _loss_of(model, tokens)
        loss.backward()
        return loss.item()

    def update_before_backward(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """You update between the loss and backward: the parameters that backward needs are no
        longer those that made the loss. First go backward, then let the optimizer take its step."""
        loss = _loss_of(model, tokens)
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
        return loss.item()

    def loss_after_the_update(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """You return the loss after the update. Return the one that you called backward on."""
        _one_step(model, optimizer, tokens)
        return _loss_of(model, tokens).item()

    def tensor_returned(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> Tensor:
        """What you return is no float of Python's, but a tensor, which keeps all that was computed
        for it in memory, or a number of NumPy's. `.item()` turns either into one."""
        return _one_step(model, optimizer, tokens)

    def nothing_returned(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> None:
        """Nothing is returned. Return the loss, as a float: `loss.item()`."""
        _one_step(model, optimizer, tokens)

    def updated_twice(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """You update twice for one batch. One step: one backward, one update."""
        loss = _one_step(model, optimizer, tokens)
        optimizer.step()
        return loss.item()

    def trained_without_shift(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """Guesses meet tokens at their own positions. Use your `next_token_loss`: it shifts."""
        optimizer.zero_grad()
        loss = _cross_entropy(model(tokens), tokens)
        loss.backward()
        optimizer.step()
        return loss.item()

    def dropout_off_for_ever(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """The model learns in eval mode, so nothing is dropped, ever. Leave its mode as it is, or
        put it into training mode: `model.train()`."""
        return _one_step(model.eval(), optimizer, tokens).item()

    def gradients_clipped(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> float:
        """You clip the gradients before the update. The optimizer gets them as they are."""
        optimizer.zero_grad()
        loss = _loss_of(model, tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()


def _likeliest(logits: Tensor) -> Tensor:
    return logits[:, -1:].max(dim=-1).indices


def _write_on(
    model: Any, tokens: Tensor, steps: int, pick: Callable[[Tensor], Tensor], crop: Callable[[Tensor], Tensor]
) -> Tensor:
    with torch.no_grad():
        for _ in range(steps):
            tokens = torch.hstack([tokens, pick(model(crop(tokens)))])
    return tokens


def _last(model: Any) -> Callable[[Tensor], Tensor]:
    return lambda tokens: tokens[:, max(0, tokens.shape[1] - model.context_length) :]


class generate(Mistakes):
    def not_cropped(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """With more tokens than it can see, the model fails. Crop to `model.context_length`."""
        return _write_on(model, tokens, max_new_tokens, _likeliest, lambda tokens: tokens)

    def first_tokens_kept(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You keep the first tokens: the model never reads what it wrote. Keep the last ones."""
        return _write_on(model, tokens, max_new_tokens, _likeliest, lambda tokens: tokens[:, : model.context_length])

    def newest_token_only(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """The model gets the newest token only. It needs all before it that it can see."""
        return _write_on(model, tokens, max_new_tokens, _likeliest, lambda tokens: tokens[:, -1:])

    def one_token_less(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """The model gets one token too few. It can see `model.context_length` of them."""
        return _write_on(
            model, tokens, max_new_tokens, _likeliest, lambda tokens: tokens[:, 1 - model.context_length :]
        )

    def cropped_for_good(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """The returned tokens are cropped. Crop only the model's input."""
        with torch.no_grad():
            for _ in range(max_new_tokens):
                tokens = _last(model)(tokens)
                tokens = torch.hstack([tokens, _likeliest(model(tokens))])
        return tokens

    def new_tokens_only(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You return the new tokens only. The beginning comes before them."""
        return _write_on(model, tokens, max_new_tokens, _likeliest, _last(model))[:, tokens.shape[1] :]

    def guesses_of_all_places(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You append the guess of every position. Only that of the last one is new: the others
        guess tokens that are there already."""
        return _write_on(model, tokens, max_new_tokens, lambda logits: logits.max(dim=-1).indices, _last(model))

    def sampled(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You draw tokens at random. Here always take the likeliest: `argmax`."""

        def draw(logits: Tensor) -> Tensor:
            return torch.multinomial(logits[:, -1].softmax(dim=-1), 1)

        return _write_on(model, tokens, max_new_tokens, draw, _last(model))

    def least_likely(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You take the least likely token: the largest logit wins, so `argmax`."""
        return _write_on(model, tokens, max_new_tokens, lambda logits: logits[:, -1:].min(dim=-1).indices, _last(model))

    def guess_of_the_first_place(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You read the first position's guess. The last one's comes next: `logits[:, -1]`."""
        return _write_on(model, tokens, max_new_tokens, lambda logits: _likeliest(logits[:, :1]), _last(model))

    def all_like_the_first(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """All sentences continue like the first. Each has a guess of its own: keep the batch."""

        def pick(logits: Tensor) -> Tensor:
            return _likeliest(logits[:1]).expand(len(logits), 1)

        return _write_on(model, tokens, max_new_tokens, pick, _last(model))

    def asked_once(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """All new tokens are the same: the model is asked once, or always about the same tokens. It
        must read each new token before the next."""
        with torch.no_grad():
            newest = _likeliest(model(_last(model)(tokens)))
        return torch.hstack([tokens, newest.expand(-1, max_new_tokens)])

    def put_in_front(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """The newest token is put before the others. It comes after them."""
        with torch.no_grad():
            for _ in range(max_new_tokens):
                tokens = torch.hstack([_likeliest(model(_last(model)(tokens))), tokens])
        return tokens

    def gradients_off_for_good(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You switch gradients off for good. `with torch.no_grad():` switches them on again."""
        torch.set_grad_enabled(False)
        return _write_on(model, tokens, max_new_tokens, _likeliest, _last(model))

    def one_too_few(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You write one token too few, as with `range(1, n)`, which counts n − 1 times."""
        return _write_on(model, tokens, max_new_tokens - 1, _likeliest, _last(model))

    def one_too_many(model: Any, tokens: Tensor, max_new_tokens: int) -> Tensor:
        """You write one token too many."""
        return _write_on(model, tokens, max_new_tokens + 1, _likeliest, _last(model))


def _layers(model: nn.Module) -> list[Any]:
    return [
        one
        for one in model.modules()
        if hasattr(one, "W_query") and hasattr(one, "W_key") and hasattr(one, "num_heads")
    ]


def _read(model: nn.Module, tokens: Tensor, evaluate: bool = True, remove: bool = True) -> list[tuple[Any, Tensor]]:
    """What the mistakes below have in common where they are right: each attention with what goes into it."""
    caught: list[tuple[Any, Tensor]] = []
    hooks = [
        layer.register_forward_pre_hook(lambda layer, given: caught.append((layer, given[0])))
        for layer in _layers(model)
    ]
    mode = model.training
    if evaluate:
        model.eval()
    with torch.no_grad():
        model(tokens)
    model.train(mode)
    for hook in hooks:
        if remove:
            hook.remove()
    return caught


def _split(projected: Tensor, num_heads: int) -> Tensor:
    return projected.unflatten(-1, (num_heads, -1)).movedim(-2, 1)


def _scores(layer: Any, x: Tensor) -> Tensor:
    queries, keys = (_split(linear(x), layer.num_heads) for linear in (layer.W_query, layer.W_key))
    return queries @ keys.mT


def _scale(layer: Any) -> float:
    return float((layer.W_query.out_features / layer.num_heads) ** 0.5)


def _visible(scores: Tensor) -> Tensor:
    t = scores.shape[-1]
    return scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))


def _map(layer: Any, x: Tensor) -> Tensor:
    return (_visible(_scores(layer, x)) / _scale(layer)).softmax(-1)


@torch.no_grad()
def _stack(read: list[tuple[Any, Tensor]], map_of: Callable[[Any, Tensor], Tensor] = _map) -> Tensor:
    return torch.stack([map_of(layer, x) for layer, x in read])


class attention_maps(Mistakes):
    def left_in_eval_mode(model: nn.Module, tokens: Tensor) -> Tensor:
        """The model stays in eval mode. Remember `model.training`, and put it back."""
        maps = _stack(_read(model, tokens))
        model.eval()
        return maps

    def left_in_training_mode(model: nn.Module, tokens: Tensor) -> Tensor:
        """The model is in training mode afterwards. Put back the mode in which it was."""
        maps = _stack(_read(model, tokens))
        model.train()
        return maps

    def dropped_on_the_way(model: nn.Module, tokens: Tensor) -> Tensor:
        """The model reads in training mode, and drops. Put it into eval mode, and back."""
        return _stack(_read(model, tokens, evaluate=False))

    def hooks_left_behind(model: nn.Module, tokens: Tensor) -> Tensor:
        """Your hooks stay in the model. Keep what registering returns: call its `remove()`."""
        return _stack(_read(model, tokens, remove=False))

    def maps_unscaled(model: nn.Module, tokens: Tensor) -> Tensor:
        """The scores are not scaled: divide them by the root of a head's length."""
        return _stack(_read(model, tokens), lambda layer, x: _visible(_scores(layer, x)).softmax(-1))

    def maps_scaled_by_root_of_d_out(model: nn.Module, tokens: Tensor) -> Tensor:
        """You scale by the root of d_out, of all heads. Use the root of a key's length."""

        def map_of(layer: Any, x: Tensor) -> Tensor:
            return (_visible(_scores(layer, x)) / layer.W_query.out_features**0.5).softmax(-1)

        return _stack(_read(model, tokens), map_of)

    def maps_scaled_by_head_dim(model: nn.Module, tokens: Tensor) -> Tensor:
        """You scale by the length of a head. Scale by its square root."""
        return _stack(
            _read(model, tokens), lambda layer, x: (_visible(_scores(layer, x)) / _scale(layer) ** 2).softmax(-1)
        )

    def maps_without_mask(model: nn.Module, tokens: Tensor) -> Tensor:
        """In your maps tokens look at later ones. Put −∞ above the diagonal of the scores."""
        return _stack(_read(model, tokens), lambda layer, x: (_scores(layer, x) / _scale(layer)).softmax(-1))

    def maps_masked_after_softmax(model: nn.Module, tokens: Tensor) -> Tensor:
        """Later tokens take their share in the softmax before they are hidden, so the rows no
        longer add up to 1. Mask the scores first, with −∞."""
        return _stack(_read(model, tokens), lambda layer, x: (_scores(layer, x) / _scale(layer)).softmax(-1).tril())

    def scores_returned(model: nn.Module, tokens: Tensor) -> Tensor:
        """These are scores. Return the weights: only the softmax over the keys is missing."""
        return _stack(_read(model, tokens), lambda layer, x: _visible(_scores(layer, x)) / _scale(layer))

    def maps_transposed(model: nn.Module, tokens: Tensor) -> Tensor:
        """Rows and columns are swapped: row i is what token i looks at, and adds up to 1."""
        return _stack(_read(model, tokens), lambda layer, x: _map(layer, x).mT)

    def layers_in_reverse(model: nn.Module, tokens: Tensor) -> Tensor:
        """The layers are in reverse: the first map is that of the layer that reads first."""
        return _stack(_read(model, tokens)[::-1])

    def all_read_the_first_input(model: nn.Module, tokens: Tensor) -> Tensor:
        """All layers get what went into the first one. Catch the tokens of each layer."""
        read = _read(model, tokens)
        return _stack([(layer, read[0][1]) for layer, _ in read])

    def first_layer_only(model: nn.Module, tokens: Tensor) -> Tensor:
        """Only the first layer is looked at. Return a map for every one: `torch.stack` them."""
        return _stack(_read(model, tokens)[:1])

    def layers_joined(model: nn.Module, tokens: Tensor) -> Tensor:
        """The maps are joined along the batch. Layers are a dimension: `torch.stack`."""
        return _stack(_read(model, tokens)).flatten(0, 1)

    def heads_merged(model: nn.Module, tokens: Tensor) -> Tensor:
        """The heads of a layer are averaged. Each has a map of its own, (layers, b, h, t, t)."""
        return _stack(_read(model, tokens), lambda layer, x: _map(layer, x).mean(dim=1))

    def heads_not_split(model: nn.Module, tokens: Tensor) -> Tensor:
        """The projections are not split into heads: return num_heads maps, not one."""

        def map_of(layer: Any, x: Tensor) -> Tensor:
            scores = layer.W_query(x) @ layer.W_key(x).mT
            return (_visible(scores) / layer.W_query.out_features**0.5).softmax(-1)[:, None]

        return _stack(_read(model, tokens), map_of)

    def maps_of_scrambled_heads(model: nn.Module, tokens: Tensor) -> Tensor:
        """Right shape, scrambled heads: each mixes numbers of several tokens, as after `view(b,
        num_heads, t, head_dim)`. View as (b, t, num_heads, head_dim), then `transpose(1, 2)`."""

        def map_of(layer: Any, x: Tensor) -> Tensor:
            b, t, _ = x.shape
            queries, keys = (linear(x).reshape(b, layer.num_heads, t, -1) for linear in (layer.W_query, layer.W_key))
            return (_visible(queries @ keys.mT) / _scale(layer)).softmax(-1)

        return _stack(_read(model, tokens), map_of)

    def layers_behind_the_batch(model: nn.Module, tokens: Tensor) -> Tensor:
        """The layers come after the batch: the shape is (layers, b, h, t, t), layers first."""
        return _stack(_read(model, tokens)).transpose(0, 1)

    def biases_forgotten(model: nn.Module, tokens: Tensor) -> Tensor:
        """The layers' biases are left out. Call the layers: `layer.W_query(x)`."""

        def map_of(layer: Any, x: Tensor) -> Tensor:
            queries, keys = (_split(x @ linear.weight.mT, layer.num_heads) for linear in (layer.W_query, layer.W_key))
            return (_visible(queries @ keys.mT) / _scale(layer)).softmax(-1)

        return _stack(_read(model, tokens), map_of)

    def list_of_maps(model: nn.Module, tokens: Tensor) -> list[list[Tensor]]:
        """You return a list of maps. Put them together with `torch.stack`."""
        return [list(_stack(_read(model, tokens)))]

    def maps_without_gradients_for_good(model: nn.Module, tokens: Tensor) -> Tensor:
        """You switch gradients off for good. `with torch.no_grad():` switches them on again."""
        torch.set_grad_enabled(False)
        return _stack(_read(model, tokens))
