/** Indexing, the items between brackets: x[1], x[:, -1], x[..., None]. */
import { dimension } from "./along_dimensions.mjs";
import { Problem } from "./problem.mjs";
import { spell } from "./tensor.mjs";
import { ELLIPSIS, Num, Slice, described, wholeOf } from "./values.mjs";

/** Part of a tensor, in the same memory. Raises Problem. */
export function part(tensor, items) {
  const taken = items.filter((item) => item !== null && item !== ELLIPSIS).length;
  if (taken > tensor.rank) throw new Problem(`These are ${taken} indices, and the tensor has the shape ${spell(tensor.shape)}.`);
  if (items.filter((item) => item === ELLIPSIS).length > 1) throw new Problem("`...` stands once between brackets.");
  let [view, dim] = [tensor, 0];
  for (const item of items) {
    if (item === ELLIPSIS) dim += tensor.rank - taken;
    else if (item === null) view = inserted(view, dim++);
    else if (item instanceof Slice) view = sliced(view, dim++, item);
    else view = selected(view, dim, indexOf(item));
  }
  return view;
}

function indexOf(item) {
  if (item instanceof Num && item.kind === "int") return item.number;
  throw new Problem(`An index is a whole number or a slice here, and not ${described(item)}.`);
}

export function selected(tensor, dim, index) {
  const size = tensor.shape[dim];
  if (index < -size || index >= size) throw new Problem(`A dimension of ${size} has no index ${index}: counting begins at 0.`);
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
  if (by <= 0) throw new Problem("A slice of a tensor goes forward: its step is 1 or more.");
  const first = bound(start, 0);
  const number = Math.max(0, Math.ceil((bound(stop, size) - first) / by));
  const offset = tensor.offset + first * tensor.strides[dim];
  return tensor.seen(tensor.shape.with(dim, number), tensor.strides.with(dim, by * tensor.strides[dim]), offset);
}

/** Entries along a dimension, from one on. */
export function narrowed(tensor, dim, start, length) {
  const place = dimension(dim, tensor.rank);
  const offset = tensor.offset + start * tensor.strides[place];
  return tensor.seen(tensor.shape.with(place, length), tensor.strides, offset);
}
