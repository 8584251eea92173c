/** Functions that change a shape and no number. */
import { Problem } from "./problem.mjs";
import { checked, dimension, product, spell } from "./tensor.mjs";

/** The same numbers in another shape; one size may be -1. Raises Problem. */
export function view(tensor, sizes) {
  const shape = withoutGap(tensor.size, sizes);
  const seen = tensor.viewed(shape);
  if (seen) return seen;
  throw new Problem(
    `\`view\` only places brackets, and after a transpose ${spell(tensor.shape)} is not in memory in the order of ${spell(shape)}. ` +
      "`reshape` copies where it must; so does `.contiguous()` before `.view`.",
  );
}

export function reshape(tensor, sizes) {
  const shape = withoutGap(tensor.size, sizes);
  return tensor.viewed(shape) ?? tensor.contiguous().viewed(shape);
}

function withoutGap(size, sizes) {
  const gaps = sizes.filter((one) => one === -1).length;
  const known = product(sizes.filter((one) => one !== -1));
  const fits = gaps ? known > 0 && size % known === 0 : known === size;
  if (gaps > 1 || !fits || sizes.some((one) => one < -1)) {
    throw new Problem(`${spell(sizes)} cannot hold these ${size} numbers. One size may be -1, and is what is left.`);
  }
  return checked(sizes.map((one) => (one === -1 ? size / known : one)));
}

export function flatten(tensor, first, last) {
  const [from, to] = [dimension(first, tensor.rank), dimension(last, tensor.rank)];
  if (from > to) throw new Problem("`flatten` begins at a dimension before the one at which it ends.");
  const { shape } = tensor;
  return reshape(tensor, [...shape.slice(0, from), product(shape.slice(from, to + 1)), ...shape.slice(to + 1)]);
}

export function unflatten(tensor, [dim], sizes) {
  const place = dimension(dim, tensor.rank);
  return view(tensor, tensor.shape.toSpliced(place, 1, ...withoutGap(tensor.shape[place], sizes)));
}

export function transpose(tensor, one, other) {
  const [a, b] = [dimension(one, tensor.rank), dimension(other, tensor.rank)];
  return tensor.rank ? tensor.exchanged(a, b) : tensor;
}

export function permute(tensor, dims) {
  const order = dims.map((dim) => dimension(dim, tensor.rank));
  if (order.length === tensor.rank && new Set(order).size === order.length) return tensor.permuted(order);
  throw new Problem(`\`permute\` names each of the ${tensor.rank} dimensions of ${spell(tensor.shape)} once.`);
}

/** `.T`: all dimensions in the other order. */
export const turned = (tensor) => tensor.permuted([...tensor.shape.keys()].reverse());

/** `.t()`: of a matrix, or of what has fewer dimensions. */
export function turnedMatrix(tensor) {
  if (tensor.rank <= 2) return turned(tensor);
  throw new Problem(`\`t\` is for matrices, and this is ${spell(tensor.shape)}: \`.mT\` swaps the last two dimensions.`);
}

export function squeeze(tensor, dims) {
  const places = dims?.map((dim) => dimension(dim, tensor.rank)) ?? [...tensor.shape.keys()];
  const keep = (_, dim) => !(places.includes(dim) && tensor.shape[dim] === 1);
  return tensor.seen(tensor.shape.filter(keep), tensor.strides.filter(keep));
}

export const unsqueeze = (tensor, [dim]) => tensor.inserted(dimension(dim, tensor.rank + 1));

export function expand(tensor, sizes) {
  const ahead = sizes.length - tensor.rank;
  const shape = sizes.map((size, dim) => (size === -1 && dim >= ahead ? tensor.shape[dim - ahead] : size));
  const wide = tensor.expanded(shape);
  if (wide) return wide;
  throw new Problem(
    `${spell(tensor.shape)} cannot be expanded to ${spell(sizes)}: only dimensions of size 1, and new ones in front, grow.`,
  );
}

/** Pieces of a size, the last of them maybe smaller, or of several sizes, along a dimension. */
export function split(tensor, size, [dim]) {
  const place = dimension(dim, tensor.rank);
  const whole = tensor.shape[place];
  const [length] = size;
  if (!tensor.rank || length <= 0) throw new Problem("A piece has 1 entry or more.");
  const count = Math.max(1, Math.ceil(whole / length));
  const sizes = size.length > 1 ? size : Array.from({ length: count }, (_, one) => Math.min(length, whole - one * length));
  let start = 0;
  const pieces = sizes.map((wide) => tensor.narrowed(place, (start += wide) - wide, wide));
  if (start === whole) return pieces;
  throw new Problem(`Pieces of ${sizes.join(", ")} are ${start} entries, and the dimension has ${whole}.`);
}
