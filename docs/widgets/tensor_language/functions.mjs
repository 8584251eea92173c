/**
 * The functions of tensors, in torch's own spelling: [signature, function] each.
 *
 * They are those that the course's solutions, known mistakes and alternatives use. A signature names the parameters with their
 * defaults, as Python does; `*` before a name takes all that follows.
 */
import * as dims from "./along_dimensions.mjs";
import { narrowed } from "./indexing.mjs";
import { FUNCTIONS, joined, mapped } from "./number_by_number.mjs";
import { Problem } from "./problem.mjs";
import { einsum, matmul } from "./products.mjs";
import * as shapes from "./shapes.mjs";
import { Tensor, checked, filled, scalar, spell } from "./tensor.mjs";
import { Num, Pair, Type, described, int, kindOf, listOf, operandOf, tensorOf, wholeOf, wholesOf, yesOrNo } from "./values.mjs";

/** A sum over dimensions is a whole number for whole numbers and booleans. */
const counted = ({ kind }) => (kind === "float" ? "float" : "int");

function floatsOnly(tensor, name) {
  if (tensor.kind === "float") return tensor;
  throw new Problem(`\`${name}\` takes floats: \`.float()\` makes floats of other numbers.`);
}

/** A function that leaves one number along the given dimensions, or along all. */
const reduce = (act, kind = (x) => x.kind) => (x, dim, keepdim) => {
  const places = dim === null ? null : wholesOf(dim, "dim");
  return dims.along(kind(x), x, places, yesOrNo(keepdim, "keepdim"), (row) => [act(row)]);
};

/** A function that leaves as many numbers along one dimension. */
const along = (act, kind = (x) => x.kind) => (x, dim) => dims.along(kind(x), x, [wholeOf(dim, "dim")], true, act);

/** `max` over a dimension returns two things. */
function max(x, dim, keepdim) {
  const largest = reduce(dims.largest)(x, dim, keepdim);
  return dim === null ? largest : new Pair(largest, reduce(dims.placeOfLargest, () => "int")(x, dim, keepdim));
}

const softmaxOf = (name, act) => (x, dim, dtype) => {
  if (dim === null) throw new Problem(`\`${name}\` needs \`dim\`: each slice along it adds up to 1. The last dimension is \`dim=-1\`.`);
  return along(act)(floatsOnly(x.as(kindOf(dtype, x.kind)), name), dim);
};

function logSoftmax(row) {
  const total = dims.logSumExp(row);
  return row.map((number) => number - total);
}

const spread = (name, power) => (x, dim, correction, keepdim, unbiased) => {
  const less = unbiased === null ? wholeOf(correction, "correction") : Number(yesOrNo(unbiased, "unbiased"));
  return reduce((row) => dims.variance(row, less) ** power)(floatsOnly(x, name), dim, keepdim);
};

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
  const { number } = value instanceof Tensor ? item(value) : numberOf(value, "value");
  const put = scalar(number).as(x.kind).data[0];
  if (!Number.isFinite(number) && x.kind !== "float") floatsOnly(x, "masked_fill");
  return mapped(x.kind, [x, mask], (own, hidden) => (hidden ? put : own));
}

function where(condition, one, other) {
  if (tensorOf(condition, "`where`").kind !== "bool") throw new Problem("`where` takes a condition of booleans, as a comparison makes.");
  const [a, b] = ofOneKind([operandOf(one, "where"), operandOf(other, "where")]);
  return mapped(a.kind, [condition, a, b], (yes, left, right) => (yes ? left : right));
}

function clamp(x, min, max) {
  if (min === null && max === null) throw new Problem("`clamp` needs `min`, `max` or both.");
  const above = min === null ? x : joined("maximum", x, operandOf(min, "clamp"));
  return max === null ? above : joined("minimum", above, operandOf(max, "clamp"));
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

function roll(x, shifts, dim) {
  const place = dims.dimension(wholeOf(dim, "dims"), x.rank);
  const size = lengthOf(x, dim);
  const ahead = size && ((wholeOf(shifts, "shifts") % size) + size) % size;
  return dims.joinedAlong([narrowed(x, place, size - ahead, ahead), narrowed(x, place, 0, size - ahead)], place);
}

function flip(x, places) {
  const turned = places.map((dim) => dims.dimension(dim, x.rank));
  return turned.reduce((all, dim) => dims.along(x.kind, all, [dim], true, (row) => row.reverse()), x);
}

/** A layer's product: x @ weight.T + bias. */
export function linear(x, weight, bias) {
  const made = matmul(tensorOf(x, "`linear`"), shapes.turnedMatrix(tensorOf(weight, "`linear`")));
  return bias === null ? made : joined("+", made, tensorOf(bias, "`linear`"));
}

const REDUCED = { mean: dims.mean, sum: dims.sum };

/** Minus the logarithm of the probability of the right one among the classes of dimension 1, for each answer; or their mean or sum. */
export function crossEntropy(logits, answers, reduction) {
  const given = floatsOnly(tensorOf(logits, "`cross_entropy`"), "cross_entropy");
  const right = tensorOf(answers, "`cross_entropy`");
  const [count, classes, ...others] = given.shape;
  if (right.kind !== "int" || given.rank < 2 || spell(right.shape) !== spell([count, ...others])) {
    throw new Problem(
      `\`cross_entropy\` takes logits (n, v) and n numbers of tokens, and gets ${described(given)} and ${described(right)}.`,
    );
  }
  const likelihoods = dims.along("float", given, [1], true, logSoftmax).numbers();
  const inner = others.reduce((all, size) => all * size, 1);
  const losses = right.numbers().map((answer, at) => {
    if (answer < 0 || answer >= classes) throw new Problem(`There is no token ${answer} among ${classes}.`);
    return -likelihoods[(Math.floor(at / inner) * classes + answer) * inner + (at % inner)];
  });
  if (reduction === "none") return new Tensor("float", right.shape, Float64Array.from(losses));
  const reduced = REDUCED[reduction ?? "mean"];
  if (!reduced) throw new Problem('`reduction` is "mean", "sum" or "none".');
  return scalar(reduced(Array.from(losses)));
}

function lengthOf(x, dim) {
  const place = dims.dimension(wholeOf(dim, "dim"), x.rank);
  if (x.rank) return x.shape[place];
  throw new Problem("A single number has no dimension.");
}

const pieces = (x, sizes, dim) => shapes.split(x, sizes, wholeOf(dim, "dim"));

const split = (x, size, dim) =>
  pieces(x, Array.isArray(size) ? wholesOf(size, "size") : shapes.piecesOf(lengthOf(x, dim), wholeOf(size, "size")), dim);

const chunk = (x, chunks, dim) =>
  pieces(x, shapes.piecesOf(lengthOf(x, dim), Math.ceil(lengthOf(x, dim) / wholeOf(chunks, "chunks"))), dim);

const transpose = (x, one, other) => shapes.transpose(x, wholeOf(one, "dim0"), wholeOf(other, "dim1"));

/** A product for tensors of certain numbers of dimensions alone. */
const ranked = (name, ranks) => (x, other) => {
  if (x.rank === ranks[0] && tensorOf(other, `\`${name}\``).rank === ranks[1]) return matmul(x, other);
  throw new Problem(`\`${name}\` takes tensors of ${ranks.join(" and ")} dimensions; \`@\` takes others, too.`);
};

const sizeOf = (x, dim) => (dim === null ? x.shape.map(int) : int(lengthOf(x, dim)));
const as = (kind) => ["input", (x) => x.as(kind)];
const same = ["input", (x) => x];

/** torch.f(x, …) and x.f(…): the first parameter is the tensor. */
export const BOTH = {
  softmax: ["input dim=None dtype=None", softmaxOf("softmax", dims.softmax)],
  log_softmax: ["input dim=None dtype=None", softmaxOf("log_softmax", logSoftmax)],
  sum: ["input dim=None keepdim=False", reduce(dims.sum, counted)],
  mean: ["input dim=None keepdim=False", (x, ...rest) => reduce(dims.mean)(floatsOnly(x, "mean"), ...rest)],
  amax: ["input dim=None keepdim=False", reduce(dims.largest)],
  max: ["input dim=None keepdim=False", max],
  logsumexp: ["input dim keepdim=False", (x, ...rest) => reduce(dims.logSumExp)(x.as("float"), ...rest)],
  var: ["input dim=None correction=1 keepdim=False unbiased=None", spread("var", 1)],
  std: ["input dim=None correction=1 keepdim=False unbiased=None", spread("std", 0.5)],
  cumsum: ["input dim", along(dims.cumulated, counted)],
  tril: ["input diagonal=0", triangle((above, shift) => above <= shift)],
  triu: ["input diagonal=0", triangle((above, shift) => above >= shift)],
  masked_fill: ["input mask value", maskedFill],
  clamp: ["input min=None max=None", clamp],
  square: ["input", (x) => joined("*", x, x.as(x.kind === "float" ? "float" : "int"))],
  pow: ["input exponent", (x, exponent) => joined("**", x, operandOf(exponent, "**"))],
  matmul: ["input other", (x, other) => matmul(x, tensorOf(other, "`matmul`"))],
  mm: ["input mat2", ranked("mm", [2, 2])],
  bmm: ["input mat2", ranked("bmm", [3, 3])],
  mv: ["input vec", ranked("mv", [2, 1])],
  dot: ["input tensor", ranked("dot", [1, 1])],
  transpose: ["input dim0 dim1", transpose],
  swapaxes: ["input axis0 axis1", transpose],
  permute: ["input *dims", shapes.permute],
  reshape: ["input *shape", shapes.reshape],
  flatten: [
    "input start_dim=0 end_dim=-1",
    (x, from, to) => shapes.flatten(x, wholeOf(from, "start_dim"), wholeOf(to, "end_dim")),
  ],
  unflatten: ["input dim sizes", (x, dim, sizes) => shapes.unflatten(x, wholeOf(dim, "dim"), wholesOf(sizes, "sizes"))],
  squeeze: ["input dim=None", (x, dim) => shapes.squeeze(x, dim === null ? null : wholesOf(dim, "dim"))],
  unsqueeze: ["input dim", (x, dim) => shapes.unsqueeze(x, wholeOf(dim, "dim"))],
  t: ["input", shapes.turnedMatrix],
  flip: ["input *dims", flip],
  roll: ["input shifts dims", roll],
  unbind: ["input dim=0", (x, dim) => shapes.unbind(x, wholeOf(dim, "dim"))],
  split: ["input size dim=0", split],
  chunk: ["input chunks dim=0", chunk],
  clone: same,
  detach: same,
  numel: ["input", (x) => int(x.size)],
  ...Object.fromEntries(Object.entries(FUNCTIONS).map(([name, act]) => [name, ["input", (x) => mapped("float", [x], act)]])),
};

/** x.f(…) alone. */
export const METHODS = {
  view: ["input *size", shapes.view],
  expand: ["input *size", shapes.expand],
  expand_as: ["input other", (x, other) => shapes.expand(x, tensorOf(other, "`expand_as`").shape)],
  contiguous: ["input", (x) => x.contiguous()],
  size: ["input dim=None", sizeOf],
  dim: ["input", (x) => int(x.rank)],
  float: as("float"),
  double: as("float"),
  int: as("int"),
  long: as("int"),
  bool: as("bool"),
  to: ["input dtype", (x, dtype) => x.as(kindOf(dtype, x.kind))],
  item: ["input", item],
};

/** x.f without brackets. */
export const PROPERTIES = {
  T: shapes.turned,
  mT: (x) => shapes.transpose(x, -2, -1),
  shape: (x) => sizeOf(x, null),
  ndim: (x) => int(x.rank),
  dtype: (x) => new Type(x.kind),
};

/** torch.f(…) alone. */
export const TORCH = {
  tensor: ["data dtype=None", (data, dtype) => tensorFrom(data).as(kindOf(dtype, tensorFrom(data).kind))],
  zeros: ["*size dtype=None", (size, dtype) => constant(0, kindOf(dtype, "float"), size)],
  ones: ["*size dtype=None", (size, dtype) => constant(1, kindOf(dtype, "float"), size)],
  full: [
    "size fill_value dtype=None",
    (size, value, dtype) => constant(numberOf(value, "fill_value").number, kindOf(dtype, value.kind), wholesOf(size, "size")),
  ],
  zeros_like: ["input dtype=None", (x, dtype) => constant(0, kindOf(dtype, tensorOf(x).kind), x.shape)],
  ones_like: ["input dtype=None", (x, dtype) => constant(1, kindOf(dtype, tensorOf(x).kind), x.shape)],
  full_like: [
    "input fill_value dtype=None",
    (x, value, dtype) => constant(numberOf(value, "fill_value").number, kindOf(dtype, tensorOf(x).kind), x.shape),
  ],
  eye: ["n m=None dtype=None", eye],
  arange: ["start end=None step=1 dtype=None", arange],
  where: ["condition input other", where],
  cat: ["tensors dim=0", (tensors, dim) => dims.joinedAlong(ofOneKind(listOf(tensors, "cat")), wholeOf(dim, "dim"))],
  stack: ["tensors dim=0", stack],
  einsum: ["equation *operands", einsumOf],
};

const constant = (number, kind, size) => {
  const put = scalar(number).as(kind).data[0];
  return filled(kind, checked(size), () => put);
};

function eye(n, m, dtype) {
  const rows = wholeOf(n, "n");
  const columns = m === null ? rows : wholeOf(m, "m");
  return filled(kindOf(dtype, "float"), [rows, columns], (place) => Number(place % columns === Math.floor(place / columns)));
}

function arange(start, end, step, dtype) {
  const [first, last] = end === null ? [int(0), start] : [start, end];
  const all = [first, last, step].map((one) => numberOf(one, "arange"));
  const [from, to, by] = all.map(({ number }) => number);
  if (by === 0 || !((to - from) / by >= 0)) throw new Problem(`From ${from} to ${to}, \`arange\` does not come in steps of ${by}.`);
  const kind = all.some((one) => one.kind === "float") ? "float" : "int";
  return filled(kindOf(dtype, kind), [Math.ceil((to - from) / by)], (place) => from + place * by);
}

/** A tensor of numbers in brackets. */
function tensorFrom(data) {
  if (data instanceof Tensor) return data;
  if (data instanceof Num) return scalar(data.number, data.kind);
  return stack(listOf(data, "tensor").map(tensorFrom), int(0));
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
    throw new Problem(`\`stack\` takes tensors of one shape, and these are ${list.map(({ shape }) => spell(shape)).join(" and ")}.`);
  }
  const place = wholeOf(dim, "dim");
  return dims.joinedAlong(list.map((one) => shapes.unsqueeze(one, place)), place);
}

function einsumOf(equation, operands) {
  if (typeof equation !== "string") throw new Problem('`einsum` begins with its equation in quotes: `"qd,kd->qk"`.');
  const tensors = operands.map((one) => floatsOnly(tensorOf(one, "`einsum`"), "einsum"));
  if (!tensors.length) throw new Problem("`einsum` needs tensors after its equation.");
  return einsum(equation, tensors);
}
