/**
 * Tensors as torch has them: numbers in memory, and the order in which they are read.
 *
 * kind: "bool", "int" or "float". strides: how many places in memory lie between neighbours in each dimension. Transposed and sliced
 * tensors are views of the same memory, so `view` refuses what torch refuses.
 */
import { Problem } from "./problem.mjs";

export const KINDS = ["bool", "int", "float"];

const MOST_NUMBERS = 100_000;

const CASTS = {
  bool: (number) => Number(number !== 0),
  int: (number) => Math.trunc(number) + 0,
  float: (number) => number,
};

export class Tensor {
  constructor(kind, shape, data, strides = inOrder(shape), offset = 0) {
    Object.assign(this, { kind, shape, data, strides, offset });
  }

  get rank() {
    return this.shape.length;
  }

  get size() {
    return product(this.shape);
  }

  /** The place in memory of each number, in reading order. */
  places() {
    return this.shape.reduce(
      (starts, size, dim) =>
        starts.flatMap((start) => Array.from({ length: size }, (_, at) => start + at * this.strides[dim])),
      [this.offset],
    );
  }

  /** The numbers in reading order. */
  numbers() {
    return Float64Array.from(this.places(), (place) => this.data[place]);
  }

  contiguous() {
    return new Tensor(this.kind, this.shape, this.numbers());
  }

  as(kind) {
    return kind === this.kind ? this : new Tensor(kind, this.shape, this.numbers().map(CASTS[kind]));
  }

  /** The same memory, read in another way. */
  seen(shape, strides, offset = this.offset) {
    return new Tensor(this.kind, shape, this.data, strides, offset);
  }

  permuted(order) {
    return this.seen(
      order.map((dim) => this.shape[dim]),
      order.map((dim) => this.strides[dim]),
    );
  }

  exchanged(one, other) {
    const order = [...this.shape.keys()];
    return this.permuted(order.with(one, other).with(other, one));
  }

  /** Repeated along new dimensions in front and along those of size 1; null where it does not fit. */
  expanded(shape) {
    const ahead = shape.length - this.rank;
    const own = (dim) => this.shape[dim - ahead] ?? 1;
    if (ahead < 0 || shape.some((size, dim) => ![1, size].includes(own(dim)))) return null;
    const strides = shape.map((_, dim) => (own(dim) === 1 ? 0 : this.strides[dim - ahead]));
    return this.seen(checked(shape), strides);
  }

  /** The same memory, read in the same order, in another shape; null where no strides describe that. */
  viewed(shape) {
    const places = this.places();
    const after = (dim) => product(shape.slice(dim + 1));
    const seen = this.seen(shape, shape.map((_, dim) => (places[after(dim)] ?? 0) - (places[0] ?? 0)));
    return seen.places().every((place, at) => place === places[at]) ? seen : null;
  }

  /** One entry along a dimension. Raises Problem. */
  selected(dim, index) {
    const size = this.shape[dim];
    if (index < -size || index >= size) throw new Problem(`A dimension of ${size} has no index ${index}: counting begins at 0.`);
    const { shape, strides, offset } = this.narrowed(dim, index < 0 ? index + size : index, 1);
    return this.seen(shape.toSpliced(dim, 1), strides.toSpliced(dim, 1), offset);
  }

  /** Some entries along a dimension, from one on. */
  narrowed(dim, start, length, step = 1) {
    const offset = this.offset + start * this.strides[dim];
    return this.seen(this.shape.with(dim, length), this.strides.with(dim, step * this.strides[dim]), offset);
  }

  /** A dimension of size 1 more, before the one that is now at that place. */
  inserted(dim) {
    return this.seen(this.shape.toSpliced(dim, 0, 1), this.strides.toSpliced(dim, 0, 0));
  }
}

/** A tensor of one number and no dimension. */
export const scalar = (number, kind = "float") => new Tensor(kind, [], Float64Array.of(number));

/** A new tensor, filled by a function of the place in reading order. */
export const filled = (kind, shape, numberAt) =>
  new Tensor(kind, shape, Float64Array.from({ length: product(checked(shape)) }, (_, place) => numberAt(place)));

export const product = (sizes) => sizes.reduce((all, size) => all * size, 1);

export const spell = (shape) => `(${shape.join(", ")})`;

/** The indices of a place in reading order: [1, 0]. */
export const indicesOf = (place, shape) =>
  `[${shape.map((size, dim) => Math.floor(place / product(shape.slice(dim + 1))) % size).join(", ")}]`;

/** A shape that is small enough for a page. */
export function checked(shape) {
  if (shape.some((size) => size < 0)) throw new Problem(`No tensor has the shape ${spell(shape)}.`);
  if (product(shape) > MOST_NUMBERS) throw new Problem(`A tensor of shape ${spell(shape)} is too large for this box.`);
  return shape;
}

/** The strides of a tensor whose numbers lie in memory in reading order. */
const inOrder = (shape) => shape.map((_, dim) => product(shape.slice(dim + 1)));

/** A dimension, counted from the front. Raises Problem for one that the tensor has not. */
export function dimension(dim, rank) {
  const number = Math.max(rank, 1);
  if (Number.isInteger(dim) && dim >= -number && dim < number) return dim < 0 ? dim + number : dim;
  throw new Problem(`There is no dimension ${dim} among ${rank}: the first is 0, the last -1.`);
}

/** The shape to which tensors are repeated when they meet number by number. Raises Problem. */
export function broadcast(shapes) {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, dim) => {
    const sizes = shapes.map((shape) => shape[dim - rank + shape.length] ?? 1).filter((size) => size !== 1);
    const other = sizes.find((size) => size !== sizes[0]);
    if (other === undefined) return sizes[0] ?? 1;
    throw new Problem(
      `${shapes.map(spell).join(" and ")} do not meet: in dimension ${dim - rank} one has ${sizes[0]} entries, ` +
        `the other ${other}. They must be equal, or one of them 1.`,
    );
  });
}

/** A function of one number of each tensor, for all numbers. Tensors are repeated to one shape. Raises Problem. */
export function mapped(kind, tensors, act) {
  const shape = broadcast(tensors.map((tensor) => tensor.shape));
  const all = tensors.map((tensor) => tensor.expanded(shape).numbers());
  return filled(kind, shape, (place) => act(...all.map((numbers) => numbers[place])));
}

/**
 * A function of all numbers along some dimensions, all dimensions for null or none. It returns a list of one number, or of as many
 * as it gets.
 */
export function along(tensor, dims, act, { kind = tensor.kind, keepdim = true } = {}) {
  const all = [...tensor.shape.keys()];
  const found = [dims ?? []].flat().map((dim) => dimension(dim, tensor.rank));
  if (new Set(found).size < found.length) throw new Problem("The same dimension is named twice.");
  const places = found.length ? all.filter((dim) => found.includes(dim)) : all;
  const kept = all.filter((dim) => !places.includes(dim));
  const order = [...kept, ...places];
  const length = product(places.map((dim) => tensor.shape[dim]));
  const numbers = tensor.permuted(order).numbers();
  const count = product(kept.map((dim) => tensor.shape[dim]));
  const rows = Array.from({ length: count }, (_, row) => act([...numbers.slice(row * length, (row + 1) * length)]));
  const isReduced = rows.every((row) => row.length === 1);
  const sizes = order.map((dim) => (isReduced && places.includes(dim) ? 1 : tensor.shape[dim]));
  const made = new Tensor(kind, sizes, Float64Array.from(rows.flat())).permuted(all.map((dim) => order.indexOf(dim)));
  return keepdim ? made.contiguous() : made.contiguous().viewed(kept.map((dim) => tensor.shape[dim]));
}

/** Tensors one after the other along a dimension. Raises Problem. */
export function joinedAlong(tensors, dim) {
  const [{ rank, shape, kind }] = tensors;
  if (!rank) throw new Problem("Single numbers are not put side by side; `torch.stack` makes a row of them.");
  const place = dimension(dim, rank);
  if (tensors.some((one) => one.rank !== rank || spell(one.shape.with(place, 0)) !== spell(shape.with(place, 0)))) {
    const shapes = tensors.map((one) => spell(one.shape)).join(" and ");
    throw new Problem(`${shapes} do not go side by side along dimension ${dim}: all their other sizes must be equal.`);
  }
  const front = tensors.map((one) => one.exchanged(0, place));
  const total = front.reduce((all, one) => all + one.shape[0], 0);
  const numbers = Float64Array.from(front.flatMap((one) => [...one.numbers()]));
  return new Tensor(kind, checked(front[0].shape.with(0, total)), numbers).exchanged(0, place).contiguous();
}
