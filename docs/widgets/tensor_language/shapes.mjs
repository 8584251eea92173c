/** Functions that change a shape and no number. */
import { dimension } from "./along_dimensions.mjs";
import { inserted, narrowed, selected } from "./indexing.mjs";
import { Problem } from "./problem.mjs";
import { checked, product, spell } from "./tensor.mjs";

/** The same numbers in another shape; one size may be -1. Raises Problem. */
export function view(tensor, sizes) {
  const shape = withoutGap(tensor, sizes);
  const seen = tensor.viewed(shape);
  if (seen) return seen;
  throw new Problem(
    `\`view\` only places brackets, and after a transpose ${spell(tensor.shape)} does not lie in memory in the order of ${spell(shape)}. ` +
      "`reshape` copies where it must; so does `.contiguous()` before `.view`.",
  );
}

export function reshape(tensor, sizes) {
  const shape = withoutGap(tensor, sizes);
  return tensor.viewed(shape) ?? tensor.contiguous().viewed(shape);
}

function withoutGap(tensor, sizes) {
  const gaps = sizes.filter((size) => size === -1).length;
  if (gaps > 1) throw new Problem("One size may be -1, and stands for what is left; here are several.");
  if (sizes.some((size) => size < -1)) throw new Problem(`No tensor has the shape ${spell(sizes)}.`);
  const known = product(sizes.filter((size) => size !== -1));
  const fits = gaps ? known > 0 && tensor.size % known === 0 : known === tensor.size;
  if (!fits) throw new Problem(doesNotHold(tensor, sizes, gaps, known));
  return checked(sizes.map((size) => (size === -1 ? tensor.size / known : size)));
}

function doesNotHold({ size }, sizes, gaps, known) {
  if (gaps) return `${spell(sizes)} cannot hold these ${size} numbers, whatever -1 stands for.`;
  return `${spell(sizes)} are ${known} numbers, and this tensor has ${size}. \`view\` and \`reshape\` keep all of them.`;
}

export function flatten(tensor, first, last) {
  const [from, to] = [dimension(first, tensor.rank), dimension(last, tensor.rank)];
  if (!tensor.rank) return reshape(tensor, [1]);
  if (from > to) throw new Problem("`flatten` begins at a dimension before the one at which it ends.");
  const { shape } = tensor;
  return reshape(tensor, [...shape.slice(0, from), product(shape.slice(from, to + 1)), ...shape.slice(to + 1)]);
}

export function unflatten(tensor, dim, sizes) {
  const place = dimension(dim, tensor.rank);
  const size = tensor.shape[place];
  const cut = withoutGap({ size }, sizes);
  return view(tensor, tensor.shape.toSpliced(place, 1, ...cut));
}

export function transpose(tensor, one, other) {
  const [a, b] = [dimension(one, tensor.rank), dimension(other, tensor.rank)];
  if (!tensor.rank) return tensor;
  const order = tensor.shape.map((_, dim) => dim);
  [order[a], order[b]] = [b, a];
  return tensor.permuted(order);
}

export function permute(tensor, dims) {
  const order = dims.map((dim) => dimension(dim, tensor.rank));
  if (order.length !== tensor.rank || new Set(order).size < order.length) {
    throw new Problem(`\`permute\` names each of the ${tensor.rank} dimensions of ${spell(tensor.shape)} once.`);
  }
  return tensor.permuted(order);
}

/** `.t()`: of a matrix, or of what has fewer dimensions. */
export function turnedMatrix(tensor) {
  if (tensor.rank > 2)
    throw new Problem(
      `\`t\` is for matrices, and this is ${spell(tensor.shape)}: \`.transpose(-2, -1)\` swaps the last two dimensions.`,
    );
  return tensor.permuted(tensor.shape.map((_, dim) => dim).reverse());
}

export function lastTwoSwapped(tensor) {
  if (tensor.rank === 1) throw new Problem(`\`.mT\` needs two dimensions or more, and this is ${spell(tensor.shape)}.`);
  return tensor.rank ? transpose(tensor, -2, -1) : tensor;
}

export function squeeze(tensor, dims) {
  const places = dims ? dims.map((dim) => dimension(dim, tensor.rank)) : tensor.shape.map((_, dim) => dim);
  const keep = (_, dim) => !(places.includes(dim) && tensor.shape[dim] === 1);
  return tensor.seen(tensor.shape.filter(keep), tensor.strides.filter(keep));
}

export const unsqueeze = (tensor, dim) => inserted(tensor, dimension(dim, tensor.rank + 1));

export function expand(tensor, sizes) {
  const ahead = sizes.length - tensor.rank;
  const shape = sizes.map((size, dim) => (size === -1 && dim >= ahead ? tensor.shape[dim - ahead] : size));
  const wide = shape.some((size) => size < 0) ? null : tensor.expanded(shape);
  if (wide) return wide;
  throw new Problem(
    `${spell(tensor.shape)} cannot be expanded to ${spell(sizes)}: only dimensions of size 1, and new ones in front, grow.`,
  );
}

/** Pieces of a size along a dimension, the last of them maybe shorter. */
export function split(tensor, sizes, dim) {
  const place = dimension(dim, tensor.rank);
  const size = tensor.shape[place];
  let start = 0;
  const pieces = sizes.map((length) => narrowed(tensor, place, (start += length) - length, length));
  if (start === size) return pieces;
  throw new Problem(`Pieces of ${sizes.join(", ")} are ${start} entries, and the dimension has ${size}.`);
}

export function piecesOf(size, length) {
  if (length <= 0) throw new Problem("A piece has 1 entry or more.");
  return Array.from({ length: Math.max(1, Math.ceil(size / length)) }, (_, one) =>
    Math.min(length, size - one * length),
  );
}

export function unbind(tensor, dim) {
  const place = dimension(dim, tensor.rank);
  if (!tensor.rank) throw new Problem("A single number is not taken apart.");
  return Array.from({ length: tensor.shape[place] }, (_, index) => selected(tensor, place, index));
}
