/**
 * The functions of tensors, in torch's own spelling: [signature, function] each.
 *
 * They are those that the course's solutions, known mistakes and alternatives use. A signature names the parameters with their
 * defaults, as Python does; `*` before a name takes all that follows. The name of a parameter says what it takes: see values.mjs.
 */
import { softmax, variance } from "../arithmetic.mjs";
import { joined } from "./number_by_number.mjs";
import { Problem } from "./problem.mjs";
import { einsum, matmul } from "./products.mjs";
import * as shapes from "./shapes.mjs";
import { KINDS, along, dimension, filled, joinedAlong, mapped, scalar, spell } from "./tensor.mjs";
import { Num, Pair, Type, int, operandOf, tensorOf } from "./values.mjs";

/** A sum over dimensions is a whole number for whole numbers and booleans. */
const counted = ({ kind }) => (kind === "float" ? "float" : "int");

function floatsOnly(tensor, name) {
  if (tensor.kind === "float") return tensor;
  throw new Problem(`\`${name}\` takes floats: \`.float()\` makes floats of other numbers.`);
}

/** A function that leaves one number along the given dimensions, or along all. */
const reduce = (act, kind) => (x, dim, keepdim) => along(x, dim, (row) => [act(row)], { kind: kind?.(x), keepdim });

const sum = (row) => row.reduce((all, number) => all + number, 0);
const mean = (row) => sum(row) / row.length;

/** The largest number; nan where there is one. */
function largest(row) {
  if (!row.length) throw new Problem("No number is the largest of none.");
  return row.reduce((best, number) => (number > best || Number.isNaN(number) ? number : best), row[0]);
}

/** The place of the largest number, the first of several. */
function placeOfLargest(row) {
  const best = largest(row) + 0;
  return row.findIndex((number) => Object.is(number + 0, best));
}

/** `max` over a dimension returns two things. */
function max(x, dim, keepdim) {
  const values = reduce(largest)(x, dim, keepdim);
  return dim === null ? values : new Pair(values, reduce(placeOfLargest, () => "int")(x, dim, keepdim));
}

/** Softmax, or another function that leaves as many numbers along one dimension. */
const shared = (name, act) => (x, dims, dtype) => {
  if (dims?.length !== 1) throw new Problem(`\`${name}\` needs \`dim\`: each slice along it adds up to 1. The last dimension is \`dim=-1\`.`);
  return along(floatsOnly(x.as(dtype ?? x.kind), name), dims, act);
};

function logSumExp(row) {
  const most = row.length ? largest(row) : -Infinity;
  return Number.isFinite(most) ? most + Math.log(sum(row.map((number) => Math.exp(number - most)))) : most;
}

function logSoftmax(row) {
  const total = logSumExp(row);
  return row.map((number) => number - total);
}

const spread = (name, power) => (x, dim, correction, keepdim, unbiased) => {
  const less = unbiased === null ? correction : Number(unbiased);
  return reduce((row) => variance(row, less) ** power)(floatsOnly(x, name), dim, keepdim);
};

const triangle = (stays) => (x, diagonal) => {
  if (x.rank < 2) throw new Problem(`\`tril\` and \`triu\` are for matrices, and this is ${spell(x.shape)}.`);
  const [rows, columns] = x.shape.slice(-2);
  const numbers = x.numbers();
  const above = (place) => (place % columns) - (Math.floor(place / columns) % rows) - diagonal;
  return filled(x.kind, x.shape, (place) => (stays(above(place)) ? numbers[place] : 0));
};

function maskedFill(x, mask, value) {
  if (mask.kind !== "bool") throw new Problem("`masked_fill` takes a mask of booleans. A comparison makes booleans, or `.bool()`.");
  const { number } = item(value);
  if (!Number.isFinite(number)) floatsOnly(x, "masked_fill");
  const [put] = scalar(number).as(x.kind).data;
  return mapped(x.kind, [x, mask], (own, hidden) => (hidden ? put : own));
}

function where(condition, one, other) {
  if (condition.kind !== "bool") throw new Problem("`where` takes a condition of booleans, as a comparison makes.");
  const [a, b] = ofOneKind([one, other]);
  return mapped(a.kind, [condition, a, b], (yes, left, right) => (yes ? left : right));
}

function clamp(x, min, max) {
  if (min === null && max === null) throw new Problem("`clamp` needs `min`, `max` or both.");
  const above = min === null ? x : joined("maximum", x, min);
  return max === null ? above : joined("minimum", above, max);
}

/** The one number of a tensor, as Python's. */
export function item(x) {
  if (x.size === 1) return new Num(x.numbers()[0], x.kind);
  throw new Problem(`\`item\` is for a single number, and this is ${spell(x.shape)}.`);
}

function roll(x, shifts, [dim]) {
  const size = lengthOf(x, dim);
  const ahead = size && ((shifts % size) + size) % size;
  const place = dimension(dim, x.rank);
  return joinedAlong([x.narrowed(place, size - ahead, ahead), x.narrowed(place, 0, size - ahead)], place);
}

/** A layer's product: x @ weight.T + bias. */
export function linear(x, weight, bias) {
  const made = matmul(x, shapes.turnedMatrix(weight));
  return bias === null ? made : joined("+", made, bias);
}

const REDUCED = { mean: reduce(mean), sum: reduce(sum), none: (losses) => losses };

/** Minus the logarithm of the probability of the right one among the classes of dimension 1, for each answer; or their mean or sum. */
export function crossEntropy(logits, target, reduction) {
  const [count, classes, ...others] = logits.shape;
  if (target.kind !== "int" || logits.rank < 2 || spell(target.shape) !== spell([count, ...others])) {
    throw new Problem(
      `\`cross_entropy\` takes logits (n, v) and n whole numbers, and gets ${spell(logits.shape)} and ${spell(target.shape)}.`,
    );
  }
  const likelihoods = along(floatsOnly(logits, "cross_entropy"), [1], logSoftmax);
  const numbers = likelihoods.permuted([...logits.shape.keys()].filter((dim) => dim !== 1).concat(1)).numbers();
  const answers = target.numbers();
  const unknown = answers.find((answer) => answer < 0 || answer >= classes);
  if (unknown !== undefined) throw new Problem(`There is no token ${unknown} among ${classes}.`);
  const losses = filled("float", target.shape, (place) => -numbers[place * classes + answers[place]]);
  const reduced = REDUCED[reduction ?? "mean"];
  if (reduced) return reduced(losses, null, false);
  throw new Problem('`reduction` is "mean", "sum" or "none".');
}

function lengthOf(x, dim) {
  const place = dimension(dim, x.rank);
  if (x.rank) return x.shape[place];
  throw new Problem("A single number has no dimension.");
}

/** A product for tensors of certain numbers of dimensions alone. */
const ranked = (name, ranks) => (x, other) => {
  if (x.rank === ranks[0] && other.rank === ranks[1]) return matmul(x, other);
  throw new Problem(`\`${name}\` takes tensors of ${ranks.join(" and ")} dimensions; \`@\` takes others, too.`);
};

const number = (act) => ["input", (x) => mapped("float", [x], act)];
const as = (kind) => ["input", (x) => x.as(kind)];
const same = ["input", (x) => x];

/** torch.f(x, …) and x.f(…): the first parameter is the tensor. */
export const BOTH = {
  exp: number(Math.exp),
  log: number(Math.log),
  sqrt: number(Math.sqrt),
  rsqrt: number((x) => 1 / Math.sqrt(x)),
  square: ["input", (x) => joined("*", x, x.as(counted(x)))],
  softmax: ["input dim=None dtype=None", shared("softmax", (row) => softmax(row))],
  log_softmax: ["input dim=None dtype=None", shared("log_softmax", logSoftmax)],
  sum: ["input dim=None keepdim=False", reduce(sum, counted)],
  mean: ["input dim=None keepdim=False", (x, ...rest) => reduce(mean)(floatsOnly(x, "mean"), ...rest)],
  amax: ["input dim=None keepdim=False", reduce(largest)],
  max: ["input dim=None keepdim=False", max],
  logsumexp: ["input dim keepdim=False", (x, ...rest) => reduce(logSumExp)(x.as("float"), ...rest)],
  var: ["input dim=None correction=1 keepdim=False unbiased=None", spread("var", 1)],
  std: ["input dim=None correction=1 keepdim=False unbiased=None", spread("std", 0.5)],
  tril: ["input diagonal=0", triangle((above) => above <= 0)],
  triu: ["input diagonal=0", triangle((above) => above >= 0)],
  masked_fill: ["input mask value", maskedFill],
  clamp: ["input min=None max=None", clamp],
  pow: ["input exponent", (x, exponent) => joined("**", x, exponent)],
  matmul: ["input other", matmul],
  mm: ["input mat2", ranked("mm", [2, 2])],
  bmm: ["input mat2", ranked("bmm", [3, 3])],
  dot: ["input tensor", ranked("dot", [1, 1])],
  transpose: ["input dim0 dim1", shapes.transpose],
  swapaxes: ["input axis0 axis1", shapes.transpose],
  permute: ["input *dims", shapes.permute],
  reshape: ["input *shape", shapes.reshape],
  flatten: ["input start_dim=0 end_dim=-1", shapes.flatten],
  unflatten: ["input dim sizes", shapes.unflatten],
  squeeze: ["input dim=None", shapes.squeeze],
  unsqueeze: ["input dim", shapes.unsqueeze],
  t: ["input", shapes.turnedMatrix],
  roll: ["input shifts dims", roll],
  split: ["input size dim=0", shapes.split],
  chunk: ["input chunks dim=0", (x, chunks, [dim]) => shapes.split(x, [Math.ceil(lengthOf(x, dim) / chunks)], [dim])],
  clone: same,
  detach: same,
};

/** x.f(…) alone. */
export const METHODS = {
  view: ["input *size", shapes.view],
  expand: ["input *size", shapes.expand],
  expand_as: ["input other", (x, other) => shapes.expand(x, other.shape)],
  contiguous: ["input", (x) => x.contiguous()],
  size: ["input dim=None", (x, dims) => (dims === null ? x.shape.map(int) : int(lengthOf(x, dims[0])))],
  dim: ["input", (x) => int(x.rank)],
  numel: ["input", (x) => int(x.size)],
  float: as("float"),
  double: as("float"),
  int: as("int"),
  long: as("int"),
  bool: as("bool"),
  to: ["input dtype", (x, dtype) => x.as(dtype)],
  item: ["input", item],
};

/** x.f without brackets. */
export const PROPERTIES = {
  T: shapes.turned,
  mT: (x) => shapes.transpose(x, -2, -1),
  shape: (x) => x.shape.map(int),
  ndim: (x) => int(x.rank),
  dtype: (x) => new Type(x.kind),
};

/** torch.f(…) alone. */
export const TORCH = {
  tensor: ["data dtype=None", (data, dtype) => tensorFrom(data).as(dtype ?? tensorFrom(data).kind)],
  zeros: ["*size dtype=None", (size, dtype) => constant(0, dtype ?? "float", size)],
  ones: ["*size dtype=None", (size, dtype) => constant(1, dtype ?? "float", size)],
  full: ["size fill_value dtype=None", (size, value, dtype) => constant(value.number, dtype ?? value.kind, size)],
  zeros_like: ["input dtype=None", (x, dtype) => constant(0, dtype ?? x.kind, x.shape)],
  ones_like: ["input dtype=None", (x, dtype) => constant(1, dtype ?? x.kind, x.shape)],
  full_like: ["input fill_value dtype=None", (x, value, dtype) => constant(value.number, dtype ?? x.kind, x.shape)],
  eye: ["n", (n) => filled("float", [n, n], (place) => Number(place % n === Math.floor(place / n)))],
  arange: ["start end=None step=1 dtype=None", arange],
  where: ["condition self other", where],
  cat: ["tensors dim=0", (tensors, [dim]) => joinedAlong(ofOneKind(tensors), dim)],
  stack: ["tensors dim=0", stack],
  einsum: ["equation *operands", (equation, all) => einsum(equation, all.map((one) => floatsOnly(one, "einsum")))],
};

const constant = (number, kind, size) => {
  const [put] = scalar(number).as(kind).data;
  return filled(kind, size, () => put);
};

function arange(start, end, step, dtype) {
  const [first, last] = end === null ? [int(0), start] : [start, end];
  const [from, to, by] = [first.number, last.number, step.number ?? step];
  if (by === 0 || !((to - from) / by >= 0)) throw new Problem(`From ${from} to ${to}, \`arange\` does not come in steps of ${by}.`);
  const kind = [first, last, step].some((one) => one.kind === "float") ? "float" : "int";
  return filled(dtype ?? kind, [Math.ceil((to - from) / by)], (place) => from + place * by);
}

/** A tensor of numbers in brackets. */
const tensorFrom = (data) => (Array.isArray(data) ? stack(data.map(tensorFrom), [0]) : operandOf(data, "`data`"));

/** Tensors of the type that holds all their numbers. */
function ofOneKind(list) {
  if (!list.length) throw new Problem("A list of no tensors makes no tensor.");
  const tensors = list.map((one) => tensorOf(one, "A list of tensors"));
  const kind = KINDS.findLast((one) => tensors.some((tensor) => tensor.kind === one));
  return tensors.map((tensor) => tensor.as(kind));
}

function stack(list, [dim]) {
  const tensors = ofOneKind(list);
  const shapesOf = tensors.map(({ shape }) => spell(shape));
  if (new Set(shapesOf).size > 1) throw new Problem(`\`stack\` takes tensors of one shape, and these are ${shapesOf.join(" and ")}.`);
  const place = dimension(dim, tensors[0].rank + 1);
  return joinedAlong(tensors.map((one) => one.inserted(place)), place);
}
