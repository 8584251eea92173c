"""Part 6, correct in other ways than the reference: a cell holds ways to write one step."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class ScaleAndShift(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))


def loss_of(logits, tokens):
    return F.cross_entropy(logits[:, :-1].mT, tokens[:, 1:])


class Block(nn.Module):
    def __init__(self, attention, emb_dim, dropout):
        super().__init__()
        self.attn, self.drop = attention, nn.Dropout(dropout)
        self.ln_1, self.ln_2 = nn.LayerNorm(emb_dim), nn.LayerNorm(emb_dim)
        self.fc = nn.Linear(emb_dim, 4 * emb_dim)
        self.proj = nn.Linear(4 * emb_dim, emb_dim)

    def forward(self, x):
        x = x + self.drop(self.attn(self.ln_1(x)))
        return x + self.drop(self.proj(F.gelu(self.fc(self.ln_2(x)))))


# %% LayerNorm: var_mean
class LayerNorm(ScaleAndShift):
    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
        return self.scale * (x - mean) / torch.sqrt(variance + 1e-5) + self.shift


# %% LayerNorm: the mean of squares
class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(emb_dim))
        self.scale = nn.Parameter(torch.ones(emb_dim))

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.scale + self.shift


# %% LayerNorm: sums, in float64
class LayerNorm(ScaleAndShift):
    def forward(self, x):
        precise = x.double()
        mean = precise.sum(-1, keepdim=True) / x.shape[-1]
        squares = ((precise - mean) ** 2).sum(-1, keepdim=True)
        root = (squares / x.shape[-1] + 1e-5) ** 0.5
        return self.scale * ((precise - mean) / root).to(x.dtype) + self.shift


# %% LayerNorm: in place on its own tensor, the last dimension in front
class LayerNorm(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.register_parameter("scale", nn.Parameter(torch.ones(emb_dim)))
        self.register_parameter("shift", nn.Parameter(torch.zeros(emb_dim)))

    def forward(self, x):
        turned = x.movedim(-1, 0)
        centred = turned - turned.mean(0)
        normalised = centred / (centred.var(0, correction=0) + 1e-5).sqrt()
        output = normalised.movedim(0, -1) * self.scale
        output += self.shift
        return output


# %% LayerNorm: mean of squares minus square of the mean
class LayerNorm(ScaleAndShift):
    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x * x).mean(dim=-1, keepdim=True) - mean * mean
        return torch.addcmul(self.shift, (x - mean) / (variance + 1e-5).sqrt(), self.scale)


# %% FeedForward: layers with names
class FeedForward(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.fc1 = nn.Linear(emb_dim, 4 * emb_dim)
        self.fc2 = nn.Linear(4 * emb_dim, emb_dim)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


# %% FeedForward: GELU by its definition
class FeedForward(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.expand = nn.Linear(emb_dim, emb_dim * 4, bias=True)
        self.contract = nn.Linear(emb_dim * 4, emb_dim, bias=True)

    def forward(self, x):
        hidden = self.expand(x)
        phi = 0.5 * (1 + torch.erf(hidden / math.sqrt(2)))
        return self.contract(hidden * phi)


# %% FeedForward: is a Sequential
class FeedForward(nn.Sequential):
    def __init__(self, emb_dim):
        super().__init__(nn.Linear(emb_dim, 4 * emb_dim), nn.GELU(approximate="none"), nn.Linear(4 * emb_dim, emb_dim))


# %% FeedForward: matrix products with the layers' parameters
class FeedForward(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.narrow_last = nn.ModuleList(
            nn.Linear(*sizes) for sizes in ((emb_dim, 4 * emb_dim), (4 * emb_dim, emb_dim))
        )

    def forward(self, x):
        first, second = self.narrow_last
        hidden = F.gelu(x @ first.weight.mT + first.bias)
        return F.linear(hidden, second.weight, second.bias)


# %% TransformerBlock: its own norm and feed forward
class LayerNorm(ScaleAndShift):
    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.square().mean(-1, keepdim=True)
        return centred / (variance + 1e-5).sqrt() * self.scale + self.shift


class FeedForward(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.up = nn.Linear(emb_dim, 4 * emb_dim)
        self.down = nn.Linear(4 * emb_dim, emb_dim)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class TransformerBlock(nn.Module):
    def __init__(self, attention, emb_dim, dropout):
        super().__init__()
        self.att = attention
        self.norm1, self.norm2 = LayerNorm(emb_dim), LayerNorm(emb_dim)
        self.ff = FeedForward(emb_dim)
        self.drop_shortcut = nn.Dropout(dropout)

    def forward(self, x):
        shortcut = x
        x = self.drop_shortcut(self.att(self.norm1(x)))
        x = x + shortcut
        shortcut = x
        x = self.drop_shortcut(self.ff(self.norm2(x)))
        return x + shortcut


# %% TransformerBlock: torch's own norms, two dropouts
class TransformerBlock(nn.Module):
    def __init__(self, attention, emb_dim, dropout):
        super().__init__()
        self.ln_1 = nn.LayerNorm(emb_dim)
        self.attn = attention
        self.ln_2 = nn.LayerNorm(emb_dim)
        self.mlp = nn.Sequential(
            nn.Linear(emb_dim, 4 * emb_dim), nn.GELU(), nn.Linear(4 * emb_dim, emb_dim), nn.Dropout(dropout)
        )
        self.resid_dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.resid_dropout(self.attn(self.ln_1(x)))
        return x + self.mlp(self.ln_2(x))


# %% TransformerBlock: functional dropout that knows the mode
class TransformerBlock(nn.Module):
    def __init__(self, attention, emb_dim, dropout):
        super().__init__()
        self.p = dropout
        ff = (nn.Linear(emb_dim, 4 * emb_dim), nn.GELU(), nn.Linear(4 * emb_dim, emb_dim))
        paths = (nn.Sequential(nn.LayerNorm(emb_dim, eps=1e-5), *path) for path in ((attention,), ff))
        self.paths = nn.ModuleList(paths)

    def forward(self, x):
        for path in self.paths:
            x = torch.add(x, F.dropout(path(x), self.p, self.training))
        return x


# %% TransformerBlock: dropout by hand, sums in place on its own tensor
class TransformerBlock(nn.Module):
    def __init__(self, attention, emb_dim, dropout):
        super().__init__()
        self.attention, self.p = attention, dropout
        self.norms = nn.ModuleList(nn.LayerNorm(emb_dim) for _ in range(2))
        self.up = nn.Linear(emb_dim, 4 * emb_dim)
        self.down = nn.Linear(4 * emb_dim, emb_dim)

    def drop(self, x):
        if not self.training or self.p == 0:
            return x
        return x * (torch.rand_like(x) >= self.p) / (1 - self.p)

    def forward(self, x):
        first, second = self.norms
        summed = x.clone()
        summed += self.drop(self.attention(first(x)))
        return summed + self.drop(self.down(F.gelu(self.up(second(summed)))))


# %% TinyGPT: the names of GPT-2, blocks in a Sequential
class TinyGPT(nn.Module):
    def __init__(self, vocab_size, context_length, emb_dim, num_heads, num_layers, dropout, attention_class):
        super().__init__()
        self.context_length = context_length
        self.wte = nn.Embedding(vocab_size, emb_dim)
        self.wpe = nn.Embedding(context_length, emb_dim)
        self.drop = nn.Dropout(dropout)
        sizes = (emb_dim, emb_dim, context_length, dropout, num_heads)
        self.h = nn.Sequential(*[Block(attention_class(*sizes), emb_dim, dropout) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(emb_dim)
        self.lm_head = nn.Linear(emb_dim, vocab_size, bias=False)

    def forward(self, tokens):
        t = tokens.size(1)
        x = self.wte(tokens) + self.wpe.weight[:t]
        return self.lm_head(self.ln_f(self.h(self.drop(x))))


# %% TinyGPT: arguments by name, a dictionary of blocks, matrices of its own
class Block(nn.Module):
    def __init__(self, attention, emb_dim, p):
        super().__init__()
        self.ff = nn.Sequential(nn.Linear(emb_dim, 4 * emb_dim), nn.GELU(), nn.Linear(4 * emb_dim, emb_dim))
        self.attention = attention
        self.norms = nn.ModuleList(nn.LayerNorm(emb_dim) for _ in range(2))
        self.p = p

    def forward(self, x):
        for norm, path in zip(self.norms, (self.attention, self.ff), strict=True):
            x = x + F.dropout(path(norm(x)), self.p, self.training)
        return x


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, context_length, emb_dim, num_heads, num_layers, dropout, attention_class):
        super().__init__()
        self.context_length, self.p = context_length, dropout
        self.tokens = nn.Parameter(torch.randn(vocab_size, emb_dim))
        self.places = nn.Parameter(torch.randn(context_length, emb_dim))
        self.layers = nn.ModuleDict()
        for number in range(num_layers):
            attention = attention_class(
                d_in=emb_dim, d_out=emb_dim, context_length=context_length, dropout=dropout, num_heads=num_heads
            )
            self.layers[str(number)] = Block(attention, emb_dim, dropout)
        self.norm = nn.LayerNorm(emb_dim)
        self.head = nn.Linear(emb_dim, vocab_size, bias=False)

    def forward(self, tokens):
        b, t = tokens.shape
        places = torch.arange(t, device=tokens.device).expand(b, t)
        x = F.embedding(tokens, self.tokens) + self.places[places]
        x = F.dropout(x, self.p, training=self.training)
        for layer in self.layers.values():
            x = layer(x)
        return self.norm(x) @ self.head.weight.T


# %% TinyGPT: the places in a buffer, blocks made after their attention
class TinyGPT(nn.Module):
    def __init__(self, vocab_size, context_length, emb_dim, num_heads, num_layers, dropout, attention_class):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, emb_dim)
        self.pos_emb = nn.Embedding(context_length, emb_dim)
        self.register_buffer("places", torch.arange(context_length))
        self.drop_emb = nn.Dropout(dropout)
        blocks = []
        for _ in range(num_layers):
            attention = attention_class(emb_dim, emb_dim, context_length, dropout, num_heads)
            blocks.append(Block(attention, emb_dim, dropout))
        self.trf_blocks = nn.Sequential(*blocks)
        self.final_norm = nn.LayerNorm(emb_dim)
        self.out_head = nn.Linear(emb_dim, vocab_size, bias=False)

    @property
    def context_length(self):
        return self.pos_emb.num_embeddings

    def forward(self, tokens):
        b, t = tokens.shape
        x = self.tok_emb(tokens) + self.pos_emb(self.places[:t]).unsqueeze(0)
        return self.out_head(self.final_norm(self.trf_blocks(self.drop_emb(x))))


# %% next_token_loss: each return
def next_token_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])  # the vocabulary in dimension 1

    log_probabilities = logits[:, :-1].log_softmax(dim=-1)
    right = log_probabilities.gather(-1, tokens[:, 1:, None])
    return -right.mean()  # the logarithm of the softmax, gathered

    guesses, targets = logits[:, :-1, :], tokens[:, 1:]
    chosen = torch.take_along_dim(guesses, targets.unsqueeze(-1), dim=-1)
    return (guesses.logsumexp(dim=-1) - chosen.squeeze(-1)).mean()  # logsumexp

    b, t, v = logits.shape
    guesses = logits[:, : t - 1].reshape(b * (t - 1), v)
    return nn.CrossEntropyLoss()(guesses, tokens[:, 1:].reshape(-1))  # reshaped, with a module

    targets = torch.full_like(tokens, -100)
    targets[:, :-1] = tokens[:, 1:]
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())  # the last place is ignored

    losses = [F.cross_entropy(guesses[:-1], sentence[1:]) for guesses, sentence in zip(logits, tokens, strict=True)]
    return torch.stack(losses).mean()  # sentence by sentence


# %% train_step: each return
def train_step(model, optimizer, tokens):
    optimizer.zero_grad()
    loss = loss_of(model(tokens), tokens)
    loss.backward()
    optimizer.step()
    return float(loss.detach())  # zeroed first

    model.zero_grad()
    loss = loss_of(model(tokens), tokens)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.item()  # zeroed before and after, the model's mode left alone

    model.train()
    optimizer.zero_grad(set_to_none=False)
    loss = loss_of(model(tokens), tokens)
    before = loss.detach().clone()
    loss.backward()
    optimizer.step()
    return before.tolist()  # zeros, not None

    parameters = list(model.parameters())
    loss = loss_of(model(tokens), tokens)
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
        parameter.grad = gradient
    optimizer.step()
    return loss.item()  # gradients written by hand


# %% generate: a function without gradients
@torch.no_grad()
def generate(model, tokens, max_new_tokens):
    for _ in range(max_new_tokens):
        context = tokens[:, -model.context_length :]
        logits = model(context)[:, -1, :]
        probabilities = torch.softmax(logits, dim=-1)
        newest = torch.argmax(probabilities, dim=-1, keepdim=True)
        tokens = torch.cat((tokens, newest), dim=1)
    return tokens


# %% generate: each return
def generate(model, tokens, max_new_tokens):
    b, t = tokens.shape
    written = torch.zeros(b, t + max_new_tokens, dtype=tokens.dtype, device=tokens.device)
    written[:, :t] = tokens
    with torch.no_grad():
        for end in range(t, t + max_new_tokens):
            start = max(0, end - model.context_length)
            written[:, end] = model(written[:, start:end])[:, -1].argmax(-1)
    return written  # room made first

    if max_new_tokens == 0:
        return tokens
    with torch.no_grad():
        last = model(tokens[:, -model.context_length :]).select(1, -1)
    longer = torch.hstack([tokens, last.max(dim=-1, keepdim=True).indices])
    return generate(model, longer, max_new_tokens - 1)  # recursively

    tokens = tokens.clone()
    for _ in range(max_new_tokens):
        with torch.set_grad_enabled(False):
            logits = model(tokens[:, -min(99, model.context_length) :])
        tokens = torch.column_stack([tokens, logits[:, -1].topk(1).indices])
    return tokens  # topk


# %% generate: sentence by sentence
@torch.inference_mode()
def generate(model, tokens, max_new_tokens):
    written = []
    for sentence in tokens:
        sentence = sentence.tolist()
        for _ in range(max_new_tokens):
            seen = torch.tensor([sentence[-model.context_length :]])
            sentence.append(int(model(seen)[0, -1].argmax()))
        written.append(sentence)
    return torch.tensor(written)


# %% attention_maps: each return
def attention_maps(model, tokens):
    layers = [one for one in model.modules() if hasattr(one, "W_query") and hasattr(one, "num_heads")]
    caught = {}

    def catcher(linear):
        def catch(module, given, result):
            caught[linear] = result.detach()

        return catch

    handles = [linear.register_forward_hook(catcher(linear)) for one in layers for linear in (one.W_query, one.W_key)]
    was_training = model.training
    try:
        model.eval()
        with torch.no_grad():
            model(tokens)
    finally:
        for handle in handles:
            handle.remove()
        model.train(was_training)
    maps = []
    for one in layers:
        q, k = (caught[linear].unflatten(-1, (one.num_heads, -1)).movedim(2, 1) for linear in (one.W_query, one.W_key))
        t = q.shape[2]
        hidden = torch.ones(t, t, dtype=torch.bool).triu(1)
        scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(hidden, -math.inf)
        maps.append(scores.softmax(-1))
    return torch.stack(maps)  # queries and keys are caught behind their layers

    maps, handles = [], []

    def look(one, given):
        b, t, _ = given[0].shape
        q = one.W_query(given[0]).reshape(b, t, one.num_heads, -1)
        k = one.W_key(given[0]).reshape(b, t, one.num_heads, -1)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        mask = torch.full((t, t), -1e9, dtype=scores.dtype).triu(1)
        maps.append(torch.softmax(scores + mask, dim=-1))

    for one in model.modules():
        if {"W_query", "W_key"} <= set(dir(one)) and "num_heads" in dir(one):
            handles.append(one.register_forward_pre_hook(look))
    training = model.training
    model.eval()
    with torch.no_grad():
        model(tokens)
    model.train(training)
    for handle in handles:
        handle.remove()
    return torch.stack(maps)  # computed inside the hook


# %% attention_maps: hooks behind, head by head, each module's mode put back
def attention_maps(model, tokens):
    modes = {module: module.training for module in model.modules()}
    needed = "W_query", "W_key", "num_heads"
    seen, handles = [], []
    for module in modes:
        if all(hasattr(module, name) for name in needed):
            handles.append(module.register_forward_hook(lambda module, given, result: seen.append((module, given))))
    model.train(False)
    with torch.inference_mode():
        model(tokens)
        result = torch.stack([layer_map(layer, *x) for layer, x in seen])
    for module, mode in modes.items():
        module.training = mode
    for handle in handles:
        handle.remove()
    return result


def layer_map(layer, x):
    heads = zip(
        layer.W_query(x).chunk(layer.num_heads, dim=-1), layer.W_key(x).chunk(layer.num_heads, dim=-1), strict=True
    )
    maps = []
    for queries, keys in heads:
        scores = queries @ keys.transpose(1, 2) * queries.shape[-1] ** -0.5
        exponentials = (scores - scores.amax(-1, keepdim=True)).exp().tril()
        maps.append(exponentials / exponentials.sum(-1, keepdim=True))
    return torch.stack(maps, dim=1)
