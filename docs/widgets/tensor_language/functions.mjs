/**
 * The functions of tensors, in torch's own spelling: [signature, function] each.
 *
 * A signature names the parameters with their defaults, as Python does; `*` before a name takes all that follows.
 */
import * as dims from "./along_dimensions.mjs";
import { part } from "./indexing.mjs";
import { FUNCTIONS, joined, mapped } from "./number_by_number.mjs";
import { Problem } from "./problem.mjs";
import { einsum, matmul } from "./products.mjs";
import * as shapes from "./shapes.mjs";
import { Tensor, checked, filled, scalar, spell } from "./tensor.mjs";
import {
  Num,
  Pair,
  Slice,
  Type,
  described,
  int,
  kindOf,
  listOf,
  operandOf,
  tensorOf,
  truth,
  wholeOf,
  wholesOf,
  yesOrNo,
} from "./values.mjs";

const floats = (tensor) => tensor.as("float");
const several = (value) => (value === null ? null : wholesOf(value, "dim"));

/** A sum over dimensions is a whole number for whole numbers and booleans. */
const counted = ({ kind }) => (kind === "float" ? "float" : "int");

function floatsOnly(tensor, name) {
  if (tensor.kind === "float") return tensor;
  throw new Problem(
    `\`${name}\` takes floats, and these are ${tensor.kind === "int" ? "whole numbers" : "booleans"}: \`.float()\` makes floats of them.`,
  );
}

function numbersOnly(tensor, name) {
  if (tensor.kind !== "bool") return tensor;
  throw new Problem(`\`${name}\` is for numbers, and these are booleans: \`.float()\` makes numbers of them.`);
}

const reduce =
  (act, { kind = (x) => x.kind, check = (x) => x } = {}) =>
  (x, dim, keepdim) =>
    dims.reduced(kind(x), check(x), several(dim), yesOrNo(keepdim, "keepdim"), act);

/** `max` and `min`: over a dimension they return two things. */
const extreme = (name, value, placeOf) => (x, dim, keepdim) => {
  if (dim === null) return dims.reduced(x.kind, x, null, false, value);
  if (dim instanceof Tensor) return joined(name === "max" ? "maximum" : "minimum", x, dim);
  const one = [wholeOf(dim, "dim")];
  const keep = yesOrNo(keepdim, "keepdim");
  return new Pair(dims.reduced(x.kind, x, one, keep, value), dims.reduced("int", x, one, keep, placeOf));
};

const smallestPlace = (row) => dims.placeOfLargest(row.map((number) => -number));

function softmax(name, act) {
  return (x, dim, dtype) => {
    const given = floatsOnly(x.as(kindOf(dtype, x.kind)), name);
    if (dim === null)
      throw new Problem(
        `\`${name}\` needs \`dim\`: each slice along it adds up to 1. The last dimension is \`dim=-1\`.`,
      );
    return dims.along("float", given, wholeOf(dim, "dim"), act);
  };
}

function logSoftmax(row) {
  const total = dims.logSumExp(row);
  return row.map((number) => number - total);
}

const triangle = (stays) => (x, diagonal) => {
  if (x.rank < 2) throw new Problem(`\`tril\` and \`triu\` are for matrices, and this is ${spell(x.shape)}.`);
  const [rows, columns] = x.shape.slice(-2);
  const numbers = x.numbers();
  const shift = wholeOf(diagonal, "diagonal");
  const kept = (place) => stays((place % columns) - (Math.floor(place / columns) % rows), shift);
  return filled(x.kind, x.shape, (place) => (kept(place) ? numbers[place] : 0));
};

function maskedFill(x, mask, value) {
  if (tensorOf(mask, "`masked_fill`").kind !== "bool") {
    throw new Problem("`masked_fill` takes a mask of booleans. A comparison makes booleans, or `.bool()`.");
  }
  const { number } = value instanceof Tensor && !value.rank ? { number: value.numbers()[0] } : numberOf(value, "value");
  if (x.kind !== "float" && !Number.isFinite(number))
    throw new Problem("Whole numbers have no infinity: `.float()` makes floats of them.");
  const put = { bool: Number(number !== 0), int: Math.trunc(number), float: number }[x.kind];
  return mapped(x.kind, [x, mask], (own, hidden) => (hidden ? put : own)).contiguous();
}

function where(condition, one, other) {
  if (tensorOf(condition, "`where`").kind !== "bool")
    throw new Problem("`where` takes a condition of booleans, as a comparison makes.");
  const [a, b] = [operandOf(one, "where"), operandOf(other, "where")];
  const kind = [a.kind, b.kind].includes("float") ? "float" : [a.kind, b.kind].includes("int") ? "int" : "bool";
  return mapped(kind, [condition, a, b], (yes, left, right) => (yes ? left : right));
}

function clamp(x, min, max) {
  if (min === null && max === null) throw new Problem("`clamp` needs `min`, `max` or both.");
  const above = min === null ? x : joined("maximum", x, operandOf(min, "clamp"));
  return numbersOnly(max === null ? above : joined("minimum", above, operandOf(max, "clamp")), "clamp");
}

export function numberOf(value, name) {
  if (value instanceof Num) return value;
  throw new Problem(`\`${name}\` has to be a number, and is ${described(value)}.`);
}

/** The one number of a tensor, as Python's. */
export function item(x) {
  if (x.size === 1) return new Num(x.numbers()[0], x.kind);
  throw new Problem(`\`item\` is for a single number, and this is ${spell(x.shape)}.`);
}

function norm(x, p, dim, keepdim) {
  const power = numberOf(p, "p").number;
  const act = (row) =>
    power === Infinity
      ? dims.largest(row.map(Math.abs))
      : power === 0
        ? row.filter(Boolean).length
        : dims.sum(row.map((number) => Math.abs(number) ** power)) ** (1 / power);
  return reduce(act, { check: (one) => floatsOnly(one, "norm") })(x, dim, keepdim);
}

function squareRootOf(power, name) {
  return (x, dim, correction, keepdim, unbiased) => {
    const less = unbiased === null ? wholeOf(correction, "correction") : Number(yesOrNo(unbiased, "unbiased"));
    const act = (row) => dims.variance(row, less) ** power;
    return reduce(act, { check: (one) => floatsOnly(one, name) })(x, dim, keepdim);
  };
}

function repeat(x, sizes) {
  if (sizes.length < x.rank) throw new Problem("`repeat` needs a number for each dimension.");
  const wide = shapes.reshape(x, [...Array(sizes.length - x.rank).fill(1), ...x.shape]);
  return sizes.reduce((all, times, dim) => (times === 1 ? all : tiled(all, times, dim)), wide).contiguous();
}

function tiled(x, times, dim) {
  if (times > 0) return dims.joinedAlong(Array(times).fill(x), dim);
  throw new Problem("This box repeats a tensor once or more.");
}

function repeatInterleave(x, repeats, dim) {
  const times = wholeOf(repeats, "repeats");
  const flat = dim === null ? shapes.reshape(x, [x.size]) : x;
  const place = dim === null ? 0 : dims.dimension(wholeOf(dim, "dim"), x.rank);
  const wide = shapes.unsqueeze(flat, place + 1);
  const long = shapes.expand(wide, wide.shape.with(place + 1, times));
  return shapes.flatten(long, place, place + 1);
}

function flip(x, places) {
  const turned = places.map((dim) => dims.dimension(dim, x.rank));
  if (!x.rank) return x;
  const strides = x.strides.map((step, dim) => (turned.includes(dim) ? -step : step));
  const start = turned.reduce((all, dim) => all + Math.max(0, x.shape[dim] - 1) * x.strides[dim], x.offset);
  return new Tensor(x.kind, x.shape, x.seen(x.shape, strides, start).numbers());
}

function roll(x, shifts, dim) {
  const place = dims.dimension(wholeOf(dim, "dims"), x.rank);
  const size = x.shape[place];
  const by = wholeOf(shifts, "shifts");
  const order = Array.from({ length: size }, (_, one) => (((one - by) % size) + size) % size);
  return part(x, [...Array(place).fill(new Slice(null, null, null)), order.map(int)]);
}

/** A layer's product: x @ weight.T + bias. */
export function linear(x, weight, bias) {
  const made = matmul(tensorOf(x, "`linear`"), shapes.turnedMatrix(tensorOf(weight, "`linear`")));
  return bias === null ? made : joined("+", made, tensorOf(bias, "`linear`"));
}

const REDUCED = { mean: (losses) => dims.mean(losses), sum: (losses) => dims.sum(losses) };

/** Minus the logarithm of the probability of the right one among the classes of dimension 1, for each answer; or their mean or sum. */
export function crossEntropy(logits, answers, reduction) {
  const [given, right] = [floatsOnly(tensorOf(logits, "`cross_entropy`"), "cross_entropy"), tensorOf(answers, "`cross_entropy`")];
  const [count, classes, ...others] = given.shape;
  if (right.kind !== "int" || given.rank < 2 || spell(right.shape) !== spell([count, ...others])) {
    throw new Problem(
      `\`cross_entropy\` takes logits (n, v) and n numbers of tokens, and gets ${described(given)} and ${described(right)}.`,
    );
  }
  const likelihoods = dims.along("float", given, 1, logSoftmax).numbers();
  const inner = others.reduce((all, size) => all * size, 1);
  const losses = right.numbers().map((answer, at) => {
    if (answer < 0 || answer >= classes) throw new Problem(`There is no token ${answer} among ${classes}.`);
    return -likelihoods[(Math.floor(at / inner) * classes + answer) * inner + (at % inner)];
  });
  if (reduction === "none") return new Tensor("float", right.shape, Float64Array.from(losses));
  const reduce = REDUCED[reduction ?? "mean"];
  if (!reduce) throw new Problem('`reduction` is "mean", "sum" or "none".');
  return scalar(reduce(Array.from(losses)));
}

const pieces = (x, sizes, dim) => shapes.split(x, sizes, wholeOf(dim, "dim"));

function lengthOf(x, dim) {
  const place = dims.dimension(wholeOf(dim, "dim"), x.rank);
  if (x.rank) return x.shape[place];
  throw new Problem("A single number has no dimension.");
}

const toNumbers = (list) => list.map(int);

/** torch.f(x, …) and x.f(…): the first parameter is the tensor. */
export const BOTH = {
  softmax: ["input dim=None dtype=None", softmax("softmax", dims.softmax)],
  log_softmax: ["input dim=None dtype=None", softmax("log_softmax", logSoftmax)],
  sum: [
    "input dim=None keepdim=False dtype=None",
    (x, dim, keepdim, dtype) => reduce(dims.sum, { kind: counted })(x.as(kindOf(dtype, x.kind)), dim, keepdim),
  ],
  mean: ["input dim=None keepdim=False", reduce(dims.mean, { check: (x) => floatsOnly(x, "mean") })],
  prod: ["input dim=None keepdim=False", reduce(dims.times, { kind: counted })],
  amax: ["input dim=None keepdim=False", reduce(dims.largest)],
  amin: ["input dim=None keepdim=False", reduce(dims.smallest)],
  max: ["input dim=None keepdim=False", extreme("max", dims.largest, dims.placeOfLargest)],
  min: ["input dim=None keepdim=False", extreme("min", dims.smallest, smallestPlace)],
  argmax: [
    "input dim=None keepdim=False",
    reduce(dims.placeOfLargest, { kind: () => "int", check: (x) => numbersOnly(x, "argmax") }),
  ],
  argmin: [
    "input dim=None keepdim=False",
    reduce(smallestPlace, { kind: () => "int", check: (x) => numbersOnly(x, "argmin") }),
  ],
  all: [
    "input dim=None keepdim=False",
    reduce((row) => Number(row.every((number) => number !== 0)), { kind: () => "bool" }),
  ],
  any: [
    "input dim=None keepdim=False",
    reduce((row) => Number(row.some((number) => number !== 0)), { kind: () => "bool" }),
  ],
  logsumexp: ["input dim keepdim=False", (x, dim, keepdim) => reduce(dims.logSumExp)(floats(x), dim, keepdim)],
  var: ["input dim=None correction=1 keepdim=False unbiased=None", squareRootOf(1, "var")],
  std: ["input dim=None correction=1 keepdim=False unbiased=None", squareRootOf(0.5, "std")],
  norm: ["input p=2 dim=None keepdim=False", norm],
  cumsum: ["input dim", (x, dim) => dims.along(counted(x), x, wholeOf(dim, "dim"), dims.cumulated)],
  tril: ["input diagonal=0", triangle((above, shift) => above <= shift)],
  triu: ["input diagonal=0", triangle((above, shift) => above >= shift)],
  masked_fill: ["input mask value", maskedFill],
  clamp: ["input min=None max=None", clamp],
  relu: ["input", (x) => clamp(numbersOnly(x, "relu"), int(0), null)],
  abs: ["input", (x) => mapped(x.kind, [numbersOnly(x, "abs")], Math.abs)],
  neg: ["input", (x) => joined("*", x, scalar(-1, "int"))],
  square: ["input", (x) => joined("**", x, scalar(2, "int"))],
  pow: ["input exponent", (x, exponent) => joined("**", x, operandOf(exponent, "**"))],
  maximum: ["input other", (x, other) => joined("maximum", x, tensorOf(other, "`maximum`"))],
  minimum: ["input other", (x, other) => joined("minimum", x, tensorOf(other, "`minimum`"))],
  logical_not: ["input", (x) => mapped("bool", [x], (number) => Number(number === 0))],
  matmul: ["input other", (x, other) => matmul(x, tensorOf(other, "`matmul`"))],
  mm: ["input mat2", ranked("mm", [2, 2], "`@` multiplies matrices with any dimensions in front, or none.")],
  bmm: ["input mat2", ranked("bmm", [3, 3], "`@` multiplies matrices with any dimensions in front, or none.")],
  mv: ["input vec", ranked("mv", [2, 1], "`@` multiplies matrices and vectors.")],
  dot: ["input tensor", ranked("dot", [1, 1], "`@` multiplies matrices, and a matrix and a vector.")],
  outer: [
    "input vec2",
    ranked("outer", [1, 1], "`@` multiplies matrices.", (x, other) => joined("*", shapes.unsqueeze(x, -1), other)),
  ],
  transpose: ["input dim0 dim1", (x, one, other) => shapes.transpose(x, wholeOf(one, "dim0"), wholeOf(other, "dim1"))],
  swapaxes: [
    "input axis0 axis1",
    (x, one, other) => shapes.transpose(x, wholeOf(one, "axis0"), wholeOf(other, "axis1")),
  ],
  permute: ["input *dims", (x, order) => shapes.permute(x, order)],
  reshape: ["input *shape", (x, sizes) => shapes.reshape(x, sizes)],
  flatten: [
    "input start_dim=0 end_dim=-1",
    (x, from, to) => shapes.flatten(x, wholeOf(from, "start_dim"), wholeOf(to, "end_dim")),
  ],
  unflatten: ["input dim sizes", (x, dim, sizes) => shapes.unflatten(x, wholeOf(dim, "dim"), wholesOf(sizes, "sizes"))],
  squeeze: ["input dim=None", (x, dim) => shapes.squeeze(x, several(dim))],
  unsqueeze: ["input dim", (x, dim) => shapes.unsqueeze(x, wholeOf(dim, "dim"))],
  t: ["input", shapes.turnedMatrix],
  flip: ["input *dims", flip],
  roll: ["input shifts dims", roll],
  repeat_interleave: ["input repeats dim=None", repeatInterleave],
  unbind: ["input dim=0", (x, dim) => shapes.unbind(x, wholeOf(dim, "dim"))],
  split: [
    "input size dim=0",
    (x, size, dim) =>
      pieces(
        x,
        Array.isArray(size) ? wholesOf(size, "size") : shapes.piecesOf(lengthOf(x, dim), wholeOf(size, "size")),
        dim,
      ),
  ],
  chunk: [
    "input chunks dim=0",
    (x, chunks, dim) =>
      pieces(x, shapes.piecesOf(lengthOf(x, dim), Math.ceil(lengthOf(x, dim) / wholeOf(chunks, "chunks"))), dim),
  ],
  clone: ["input", (x) => x],
  detach: ["input", (x) => x],
  numel: ["input", (x) => int(x.size)],
};

/** x.f(…) alone. */
export const METHODS = {
  view: ["input *size", (x, sizes) => shapes.view(x, sizes)],
  expand: ["input *size", (x, sizes) => shapes.expand(x, sizes)],
  repeat: ["input *repeats", repeat],
  view_as: ["input other", (x, other) => shapes.view(x, tensorOf(other, "`view_as`").shape)],
  reshape_as: ["input other", (x, other) => shapes.reshape(x, tensorOf(other, "`reshape_as`").shape)],
  expand_as: ["input other", (x, other) => shapes.expand(x, tensorOf(other, "`expand_as`").shape)],
  where: ["input condition other", (x, condition, other) => where(condition, x, other)],
  contiguous: ["input", (x) => x.contiguous()],
  is_contiguous: ["input", (x) => truth(x.isContiguous())],
  size: ["input dim=None", (x, dim) => (dim === null ? toNumbers(x.shape) : int(lengthOf(x, dim)))],
  stride: [
    "input dim=None",
    (x, dim) => (dim === null ? toNumbers(x.strides) : int(x.strides[dims.dimension(wholeOf(dim, "dim"), x.rank)])),
  ],
  dim: ["input", (x) => int(x.rank)],
  float: ["input", floats],
  double: ["input", floats],
  int: ["input", (x) => x.as("int")],
  long: ["input", (x) => x.as("int")],
  bool: ["input", (x) => x.as("bool")],
  to: [
    "input dtype",
    (x, dtype) => (typeof dtype === "string" ? x : x.as(dtype instanceof Tensor ? dtype.kind : kindOf(dtype))),
  ],
  type_as: ["input other", (x, other) => x.as(tensorOf(other, "`type_as`").kind)],
  item: ["input", item],
};

/** What stands after a dot without brackets. */
export const PROPERTIES = {
  T: (x) => x.permuted(x.shape.map((_, dim) => dim).reverse()),
  mT: shapes.lastTwoSwapped,
  shape: (x) => toNumbers(x.shape),
  ndim: (x) => int(x.rank),
  dtype: (x) => new Type(x.kind),
  device: () => "cpu",
};

/** torch.f(…) alone. */
export const TORCH = {
  tensor: [
    "data dtype=None",
    (data, dtype) => {
      const made = tensorFrom(data);
      return made.as(kindOf(dtype, made.kind));
    },
  ],
  zeros: ["*size dtype=None", constant(0)],
  ones: ["*size dtype=None", constant(1)],
  full: [
    "size fill_value dtype=None",
    (size, value, dtype) => constant(numberOf(value, "fill_value").number, value.kind)(wholesOf(size, "size"), dtype),
  ],
  zeros_like: ["input dtype=None", (x, dtype) => constant(0, tensorOf(x).kind)(x.shape, dtype)],
  ones_like: ["input dtype=None", (x, dtype) => constant(1, tensorOf(x).kind)(x.shape, dtype)],
  full_like: [
    "input fill_value dtype=None",
    (x, value, dtype) => constant(numberOf(value, "fill_value").number, tensorOf(x).kind)(x.shape, dtype),
  ],
  eye: ["n m=None dtype=None", eye],
  arange: ["start end=None step=1 dtype=None", arange],
  where: ["condition input other", where],
  cat: ["tensors dim=0", (tensors, dim) => dims.joinedAlong(ofOneKind(listOf(tensors, "cat")), wholeOf(dim, "dim"))],
  stack: ["tensors dim=0", stack],
  einsum: ["equation *operands", (equation, operands) => einsumOf(equation, operands)],
};

/** A product for tensors of certain numbers of dimensions alone. */
function ranked(name, ranks, advice, act = matmul) {
  return (x, other) => {
    if (x.rank === ranks[0] && tensorOf(other, `\`${name}\``).rank === ranks[1]) return act(x, other);
    const wanted = ranks.map((rank) => `${rank}`).join(" and ");
    throw new Problem(
      `\`${name}\` takes tensors of ${wanted} dimensions, and gets ${described(x)} and ${described(other)}. ${advice}`,
    );
  };
}

function constant(number, kind = "float") {
  return (size, dtype) => {
    const type = kindOf(dtype, kind);
    const value = type === "bool" ? Number(number !== 0) : type === "int" ? Math.trunc(number) : number;
    return filled(type, checked(size), () => value);
  };
}

function eye(n, m, dtype) {
  const rows = wholeOf(n, "n");
  const columns = m === null ? rows : wholeOf(m, "m");
  return filled(kindOf(dtype, "float"), [rows, columns], (place) =>
    Number(place % columns === Math.floor(place / columns)),
  );
}

function arange(start, end, step, dtype) {
  const [first, last] = end === null ? [int(0), start] : [start, end];
  const all = [first, last, step].map((one) => numberOf(one, "arange"));
  const [from, to, by] = all.map(({ number }) => number);
  if (by === 0 || !((to - from) / by >= 0))
    throw new Problem(`From ${from} to ${to}, \`arange\` does not come in steps of ${by}.`);
  const kind = all.some((one) => one.kind === "float") ? "float" : "int";
  return filled(kindOf(dtype, kind), [Math.ceil((to - from) / by)], (place) => from + place * by);
}

/** A tensor of numbers in brackets. */
function tensorFrom(data) {
  if (data instanceof Tensor) return data;
  if (data instanceof Num) return scalar(data.number, data.kind);
  const rows = listOf(data, "tensor").map(tensorFrom);
  if (!rows.length) return new Tensor("float", [0], new Float64Array(0));
  if (rows.some(({ shape }) => spell(shape) !== spell(rows[0].shape)))
    throw new Problem("These rows are not equally long.");
  return dims.joinedAlong(
    ofOneKind(rows).map((row) => shapes.unsqueeze(row, 0)),
    0,
  );
}

/** Tensors of the type that holds all their numbers. */
function ofOneKind(list) {
  if (!list.length) throw new Problem("A list of no tensors makes no tensor.");
  const tensors = list.map((one) => tensorOf(one, "A list of tensors"));
  const kind = ["float", "int", "bool"].find((one) => tensors.some((tensor) => tensor.kind === one));
  return tensors.map((tensor) => tensor.as(kind));
}

function stack(tensors, dim) {
  const list = ofOneKind(listOf(tensors, "stack"));
  if (list.some(({ shape }) => spell(shape) !== spell(list[0].shape))) {
    throw new Problem(
      `\`stack\` takes tensors of one shape, and these are ${list.map(({ shape }) => spell(shape)).join(" and ")}.`,
    );
  }
  const place = wholeOf(dim, "dim");
  return dims.joinedAlong(
    list.map((one) => shapes.unsqueeze(one, place)),
    place,
  );
}

function einsumOf(equation, operands) {
  if (typeof equation !== "string") throw new Problem('`einsum` begins with its equation in quotes: `"qd,kd->qk"`.');
  const tensors = operands.map((one) => tensorOf(one, "`einsum`"));
  if (!tensors.length) throw new Problem("`einsum` needs tensors after its equation.");
  for (const tensor of tensors) floatsOnly(tensor, "einsum");
  return einsum(equation, tensors);
}

for (const [name, act] of Object.entries(FUNCTIONS)) {
  BOTH[name] = ["input", (x) => mapped("float", [x], act)];
}
