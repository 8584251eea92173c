/** What stands between brackets: x[1], x[:, -1], x[..., None], x[mask]. */
import { dimension } from "./along_dimensions.mjs";
import { Problem } from "./problem.mjs";
import { Tensor, checked, product, spell } from "./tensor.mjs";
import { ELLIPSIS, Num, Slice, described, wholeOf } from "./values.mjs";

/** Part of a tensor: a view, unless one of the items is a tensor of indices or a mask. Raises Problem. */
export function part(tensor, items) {
  const taken = items.reduce((all, item) => all + dimensionsOf(item), 0);
  if (taken > tensor.rank) {
    throw new Problem(
      `${taken} indices for a tensor of ${tensor.rank} dimension${tensor.rank === 1 ? "" : "s"}, ${spell(tensor.shape)}.`,
    );
  }
  if (items.filter((item) => item === ELLIPSIS).length > 1) throw new Problem("`...` stands once between brackets.");
  let [view, dim, chosen] = [tensor, 0, null];
  for (const item of items) {
    if (item === ELLIPSIS) dim += tensor.rank - taken;
    else if (item === null) view = inserted(view, dim++);
    else if (item instanceof Slice) view = sliced(view, dim++, item);
    else if (item instanceof Tensor || Array.isArray(item)) {
      if (chosen) throw new Problem("This box takes one mask or one tensor of indices between brackets, not several.");
      chosen = { item, dim };
      dim += dimensionsOf(item);
    } else view = selected(view, dim, indexOf(item));
  }
  return chosen ? picked(view, chosen.dim, chosen.item) : view;
}

/** How many dimensions an item takes away or passes over. */
function dimensionsOf(item) {
  if (item === null || item === ELLIPSIS) return 0;
  return item instanceof Tensor && item.kind === "bool" ? item.rank : 1;
}

function indexOf(item) {
  if (item instanceof Num && item.kind === "int") return item.number;
  throw new Problem(`An index is a whole number, a slice or a mask, and not ${described(item)}.`);
}

export function selected(tensor, dim, index) {
  const size = tensor.shape[dim];
  if (index < -size || index >= size) {
    const span = size ? `${-size} to ${size - 1}` : "none";
    throw new Problem(
      `Index ${index} in a dimension of ${size}: there the indices are ${span}, as counting begins at 0.`,
    );
  }
  const without = (list) => list.filter((_, one) => one !== dim);
  const offset = tensor.offset + (index < 0 ? index + size : index) * tensor.strides[dim];
  return tensor.seen(without(tensor.shape), without(tensor.strides), offset);
}

/** A dimension of size 1 more, before the one that is now at that place. */
export function inserted(tensor, dim) {
  const step = dim < tensor.rank ? tensor.shape[dim] * tensor.strides[dim] : 1;
  return tensor.seen(tensor.shape.toSpliced(dim, 0, 1), tensor.strides.toSpliced(dim, 0, step));
}

function sliced(tensor, dim, { start, stop, step }) {
  const size = tensor.shape[dim];
  const bound = (value, otherwise) => {
    if (value === null) return otherwise;
    const place = wholeOf(value, "slice");
    return Math.min(Math.max(place < 0 ? place + size : place, 0), size);
  };
  const by = step === null ? 1 : wholeOf(step, "step");
  if (by <= 0)
    throw new Problem(
      "A slice of a tensor goes forward: its step is 1 or more. `torch.flip(x, dims=(-1,))` turns it round.",
    );
  const first = bound(start, 0);
  const number = Math.max(0, Math.ceil((bound(stop, size) - first) / by));
  const offset = tensor.offset + first * tensor.strides[dim];
  return tensor.seen(tensor.shape.with(dim, number), tensor.strides.with(dim, by * tensor.strides[dim]), offset);
}

/** The entries of a dimension that a list names, or those of several that a mask lets through. */
function picked(tensor, dim, item) {
  const { places, shape, taken } = Array.isArray(item) ? ofList(item) : ofTensor(item, tensor, dim);
  const [before, after] = [tensor.shape.slice(0, dim), tensor.shape.slice(dim + taken)];
  const [outer, inner, all] = [product(before), product(after), product(tensor.shape.slice(dim, dim + taken))];
  const numbers = tensor.numbers();
  const found = checked([...before, ...shape, ...after]);
  const data = new Float64Array(product(found));
  let count = 0;
  for (let front = 0; front < outer; front += 1) {
    for (const place of places) {
      const from = (front * all + within(place, all)) * inner;
      for (let one = 0; one < inner; one += 1) data[count++] = numbers[from + one];
    }
  }
  return new Tensor(tensor.kind, found, data);
}

function within(place, size) {
  if (place >= -size && place < size) return place < 0 ? place + size : place;
  throw new Problem(
    `Index ${place} in a dimension of ${size}: there the indices are ${-size} to ${size - 1}, as counting begins at 0.`,
  );
}

function ofList(list) {
  return { places: list.map((one) => indexOf(one)), shape: [list.length], taken: 1 };
}

function ofTensor(index, tensor, dim) {
  if (index.kind === "float")
    throw new Problem("An index is a tensor of whole numbers or of booleans, and these are floats.");
  const numbers = Array.from(index.numbers());
  if (index.kind === "int") return { places: numbers, shape: index.shape, taken: 1 };
  const meant = tensor.shape.slice(dim, dim + index.rank);
  if (meant.some((size, one) => size !== index.shape[one])) {
    throw new Problem(
      `A mask of shape ${spell(index.shape)} between the brackets meets dimensions of ${spell(meant)}: they must be equal.`,
    );
  }
  const places = numbers.flatMap((yes, place) => (yes ? [place] : []));
  return { places, shape: [places.length], taken: index.rank };
}

/** Entries along a dimension, from one on. */
export function narrowed(tensor, dim, start, length) {
  const place = dimension(dim, tensor.rank);
  const offset = tensor.offset + start * tensor.strides[place];
  return tensor.seen(tensor.shape.with(place, length), tensor.strides, offset);
}
