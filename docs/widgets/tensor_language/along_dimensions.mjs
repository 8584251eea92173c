/** What runs along dimensions: sums, largest numbers, softmax. */
import { Problem } from "./problem.mjs";
import { Tensor, checked, inOrder, product } from "./tensor.mjs";

/** A dimension, counted from the front. Raises Problem for one that the tensor has not. */
export function dimension(dim, rank) {
  const number = Math.max(rank, 1);
  if (dim >= -number && dim < number) return dim < 0 ? dim + number : dim;
  const have = rank === 1 ? "1 dimension" : `${rank} dimensions`;
  const names = Array.from({ length: number }, (_, place) => place);
  const all = `${names.join(", ")}, or ${names.map((place) => place - number).join(", ")} from the end`;
  throw new Problem(`This tensor has ${have}, so there is no dimension ${dim}: they are ${all}.`);
}

/** Several dimensions, counted from the front and in order; all of them for null or none. */
export function dimensions(dims, rank) {
  if (dims === null || dims.length === 0) return Array.from({ length: rank }, (_, dim) => dim);
  const found = dims.map((dim) => dimension(dim, rank));
  if (new Set(found).size < found.length) throw new Problem("The same dimension is named twice.");
  return rank ? found.sort((a, b) => a - b) : [];
}

/** One number for all numbers along some dimensions: act(those numbers). */
export function reduced(kind, tensor, dims, keepdim, act) {
  const along = dimensions(dims, tensor.rank);
  const { rows, kept } = gathered(tensor, along);
  const shape = keepdim
    ? tensor.shape.map((size, dim) => (along.includes(dim) ? 1 : size))
    : kept.map((dim) => tensor.shape[dim]);
  return new Tensor(kind, checked(shape), Float64Array.from(rows, act));
}

/** As many numbers for all numbers along a dimension: act(those numbers) gives a list. */
export function along(kind, tensor, dim, act) {
  const place = dimension(dim, tensor.rank);
  if (tensor.rank === 0) return new Tensor(kind, [], Float64Array.from(act([tensor.numbers()[0]])));
  const { rows, kept } = gathered(tensor, [place]);
  const shape = [...kept, place].map((one) => tensor.shape[one]);
  const made = new Tensor(kind, shape, Float64Array.from(rows.flatMap((row) => [...act(row)])));
  const back = tensor.shape.map((_, one) => (one === place ? tensor.rank - 1 : one < place ? one : one - 1));
  return made.permuted(back).contiguous();
}

/** The numbers along some dimensions, a list for each place in the others. */
function gathered(tensor, along) {
  const kept = tensor.shape.map((_, dim) => dim).filter((dim) => !along.includes(dim));
  const length = product(along.map((dim) => tensor.shape[dim]));
  const numbers = tensor.permuted([...kept, ...along]).numbers();
  const number = product(kept.map((dim) => tensor.shape[dim]));
  const rows = Array.from({ length: number }, (_, row) => Array.from(numbers.slice(row * length, (row + 1) * length)));
  return { rows, kept };
}

export const sum = (row) => row.reduce((all, number) => all + number, 0);
export const mean = (row) => sum(row) / row.length;
export const times = (row) => row.reduce((all, number) => all * number, 1);

/** The largest number; nan where there is one. */
export function largest(row) {
  if (!row.length) throw new Problem("No number is the largest of none.");
  return row.reduce((best, number) => (number > best || Number.isNaN(number) ? number : best), row[0]);
}

export function smallest(row) {
  return -largest(row.map((number) => -number));
}

/** The place of the largest number, the first of several. */
export function placeOfLargest(row) {
  const best = largest(row);
  return row.findIndex((number) => Object.is(number, best) || number === best);
}

export function softmax(row) {
  const most = row.length ? largest(row) : 0;
  const exponentials = row.map((number) => Math.exp(number - most));
  const total = sum(exponentials);
  return exponentials.map((number) => number / total);
}

export function logSumExp(row) {
  const most = row.length ? largest(row) : -Infinity;
  if (!Number.isFinite(most)) return most;
  return most + Math.log(sum(row.map((number) => Math.exp(number - most))));
}

/** Sums so far. */
export function cumulated(row) {
  let total = 0;
  return row.map((number) => (total += number));
}

/** The mean squared distance from the mean, divided by how many there are less a correction. */
export function variance(row, correction) {
  const middle = mean(row);
  return sum(row.map((number) => (number - middle) ** 2)) / Math.max(0, row.length - correction);
}

/** Tensors one after the other along a dimension. */
export function joinedAlong(tensors, dim) {
  const rank = tensors[0].rank;
  if (!rank) throw new Problem("Single numbers are not put side by side; `torch.stack` makes a row of them.");
  const place = dimension(dim, rank);
  for (const { shape } of tensors) {
    if (shape.length !== rank || shape.some((size, one) => one !== place && size !== tensors[0].shape[one])) {
      const shapes = tensors.map((tensor) => `(${tensor.shape.join(", ")})`).join(" and ");
      throw new Problem(
        `${shapes} do not go side by side along dimension ${dim}: all their other sizes must be equal.`,
      );
    }
  }
  const turned = [place, ...tensors[0].shape.map((_, one) => one).filter((one) => one !== place)];
  const numbers = tensors.flatMap((tensor) => [...tensor.permuted(turned).numbers()]);
  const total = tensors.reduce((all, { shape }) => all + shape[place], 0);
  const shape = checked(turned.map((one, at) => (at === 0 ? total : tensors[0].shape[one])));
  const made = new Tensor(tensors[0].kind, shape, Float64Array.from(numbers), inOrder(shape));
  return made.permuted(turned.map((_, one) => turned.indexOf(one))).contiguous();
}
