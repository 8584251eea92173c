/**
 * Tensors as torch has them: numbers in memory, and how to walk over them.
 *
 * kind: "bool", "int" or "float". strides: how many places in memory lie between neighbours in each dimension. Transposed and sliced
 * tensors are views of the same memory, so `view` refuses what torch refuses.
 */
import { Problem } from "./problem.mjs";

export const KINDS = ["bool", "int", "float"];

const MOST_NUMBERS = 100_000;

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

  /** The numbers in reading order. */
  numbers() {
    if (this.isContiguous() && this.offset === 0 && this.data.length === this.size) return this.data;
    const numbers = new Float64Array(this.size);
    places(this.shape, [this.strides], [this.offset], (place, here) => (numbers[here] = this.data[place]));
    return numbers;
  }

  isContiguous() {
    let expected = 1;
    for (let dim = this.rank - 1; dim >= 0; dim -= 1) {
      if (this.shape[dim] !== 1 && this.strides[dim] !== expected) return this.size === 0;
      expected *= this.shape[dim];
    }
    return true;
  }

  contiguous() {
    return this.isContiguous() ? this : new Tensor(this.kind, this.shape, this.numbers());
  }

  as(kind) {
    if (kind === this.kind) return this;
    const change = {
      bool: (number) => Number(number !== 0),
      int: (number) => Math.trunc(number) + 0,
      float: (number) => number,
    }[kind];
    return new Tensor(kind, this.shape, this.numbers().map(change));
  }

  /** The same memory, walked over in another way. */
  seen(shape, strides, offset = this.offset) {
    return new Tensor(this.kind, shape, this.data, strides, offset);
  }

  permuted(order) {
    return this.seen(
      order.map((dim) => this.shape[dim]),
      order.map((dim) => this.strides[dim]),
    );
  }

  /** Repeated along new dimensions in front and along those of size 1, without a copy; null where that does not go. */
  expanded(shape) {
    const ahead = shape.length - this.rank;
    if (ahead < 0) return null;
    const strides = shape.map((size, dim) => {
      const own = this.shape[dim - ahead];
      if (dim < ahead || (own === 1 && size !== 1)) return 0;
      return own === size ? this.strides[dim - ahead] : NaN;
    });
    return strides.some(Number.isNaN) ? null : this.seen(checked(shape), strides);
  }

  /** The same numbers in reading order in another shape, in the same memory; null where strides cannot say it. */
  viewed(shape) {
    const strides = stridesOfView(this, shape);
    return strides && this.seen(shape, strides);
  }
}

/** A tensor of one number for each place, and of no dimension. */
export const scalar = (number, kind = "float") => new Tensor(kind, [], Float64Array.of(number));

/** A new tensor, filled by a function of the place in reading order. */
export function filled(kind, shape, numberAt) {
  const data = new Float64Array(product(checked(shape)));
  for (let place = 0; place < data.length; place += 1) data[place] = numberAt(place);
  return new Tensor(kind, shape, data);
}

export const product = (sizes) => sizes.reduce((all, size) => all * size, 1);

export const spell = (shape) => `(${shape.join(", ")})`;

/** A shape that is small enough for a page. */
export function checked(shape) {
  if (shape.some((size) => size < 0)) throw new Problem(`No tensor has the shape ${spell(shape)}.`);
  if (product(shape) > MOST_NUMBERS) throw new Problem(`A tensor of shape ${spell(shape)} is too large for this box.`);
  return shape;
}

/** The strides of a tensor whose numbers lie in memory in reading order. */
export function inOrder(shape) {
  const strides = new Array(shape.length);
  let step = 1;
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    strides[dim] = step;
    step *= Math.max(shape[dim], 1);
  }
  return strides;
}

/** Walks over a shape in reading order: visit(place in the first memory, how many were before, all places). */
export function places(shape, strides, offsets, visit) {
  const at = shape.map(() => 0);
  const here = [...offsets];
  const size = product(shape);
  for (let count = 0; count < size; count += 1) {
    visit(here[0], count, here);
    for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
      at[dim] += 1;
      here.forEach((_, one) => (here[one] += strides[one][dim]));
      if (at[dim] < shape[dim]) break;
      here.forEach((_, one) => (here[one] -= strides[one][dim] * shape[dim]));
      at[dim] = 0;
    }
  }
}

/** The shape to which tensors are repeated when they meet number by number. Raises Problem. */
export function broadcast(shapes) {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, dim) => {
    const sizes = shapes.map((shape) => shape[dim - rank + shape.length] ?? 1).filter((size) => size !== 1);
    const other = sizes.find((size) => size !== sizes[0]);
    if (other !== undefined) {
      const all = shapes.map(spell).join(" and ");
      throw new Problem(
        `${all} do not meet: in dimension ${dim - rank} one has ${sizes[0]} entries, the other ${other}. They must be equal, or one of them 1.`,
      );
    }
    return sizes[0] ?? 1;
  });
}

/** The strides that show a tensor in another shape (as torch's computeStride); null where there are none. */
function stridesOfView({ shape, strides }, wanted) {
  if (product(shape) === 0) return product(wanted) === 0 ? inOrder(wanted) : null;
  if (shape.length === 0) return wanted.map(() => 1);
  const found = new Array(wanted.length);
  let view = wanted.length - 1;
  let step = strides.at(-1);
  let inTensor = 1;
  let inView = 1;
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    inTensor *= shape[dim];
    const ends = dim === 0 || (shape[dim - 1] !== 1 && strides[dim - 1] !== inTensor * step);
    if (!ends) continue;
    while (view >= 0 && (inView < inTensor || wanted[view] === 1)) {
      found[view] = inView * step;
      inView *= wanted[view];
      view -= 1;
    }
    if (inView !== inTensor) return null;
    if (dim > 0) [step, inTensor, inView] = [strides[dim - 1], 1, 1];
  }
  return view === -1 ? found : null;
}
