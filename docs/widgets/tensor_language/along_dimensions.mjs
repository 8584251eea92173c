/** Operations along dimensions: sums, largest numbers, softmax. */
import { Problem } from "./problem.mjs";
import { Tensor, checked, product, spell } from "./tensor.mjs";

/** A dimension, counted from the front. Raises Problem for one that the tensor has not. */
export function dimension(dim, rank) {
  const number = Math.max(rank, 1);
  if (dim >= -number && dim < number) return dim < 0 ? dim + number : dim;
  throw new Problem(`A tensor of ${rank} dimension${rank === 1 ? "" : "s"} has no dimension ${dim}: they are counted from 0, or from -1 at the end.`);
}

/** Several dimensions, counted from the front and in order; all of them for null or none. */
function dimensions(dims, rank) {
  if (dims === null || dims.length === 0) return Array.from({ length: rank }, (_, dim) => dim);
  const found = dims.map((dim) => dimension(dim, rank));
  if (new Set(found).size < found.length) throw new Problem("The same dimension is named twice.");
  return rank ? found.sort((a, b) => a - b) : [];
}

/**
 * Apply a function to all numbers along some dimensions. act(numbers) returns a list of one number, or of as many as it gets.
 */
export function along(kind, tensor, dims, keepdim, act) {
  const places = dimensions(dims, tensor.rank);
  const kept = tensor.shape.map((_, dim) => dim).filter((dim) => !places.includes(dim));
  const order = [...kept, ...places];
  const length = product(places.map((dim) => tensor.shape[dim]));
  const count = product(kept.map((dim) => tensor.shape[dim]));
  const numbers = tensor.permuted(order).numbers();
  const rows = Array.from({ length: count }, (_, row) => act([...numbers.slice(row * length, (row + 1) * length)]));
  const isReduced = rows.every((row) => row.length === 1);
  const sizes = order.map((dim) => (isReduced && places.includes(dim) ? 1 : tensor.shape[dim]));
  const made = new Tensor(kind, checked(sizes), Float64Array.from(rows.flat()));
  const back = made.permuted(order.map((_, dim) => order.indexOf(dim))).contiguous();
  return keepdim ? back : back.viewed(kept.map((dim) => tensor.shape[dim]));
}

export const sum = (row) => row.reduce((all, number) => all + number, 0);
export const mean = (row) => sum(row) / row.length;

/** The largest number; nan where there is one. */
export function largest(row) {
  if (!row.length) throw new Problem("No number is the largest of none.");
  return row.reduce((best, number) => (number > best || Number.isNaN(number) ? number : best), row[0]);
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
  const [{ rank, shape: first, kind }] = tensors;
  if (!rank) throw new Problem("Single numbers are not put side by side; `torch.stack` makes a row of them.");
  const place = dimension(dim, rank);
  const others = (shape) => spell(shape.filter((_, one) => one !== place));
  if (tensors.some(({ shape }) => shape.length !== rank || others(shape) !== others(first))) {
    const shapes = tensors.map(({ shape }) => spell(shape)).join(" and ");
    throw new Problem(`${shapes} do not go side by side along dimension ${dim}: all their other sizes must be equal.`);
  }
  const ahead = first.map((_, one) => one).filter((one) => one !== place);
  const numbers = tensors.flatMap((tensor) => [...tensor.permuted([place, ...ahead]).numbers()]);
  const total = tensors.reduce((all, { shape }) => all + shape[place], 0);
  const made = new Tensor(kind, checked([total, ...ahead.map((one) => first[one])]), Float64Array.from(numbers));
  return made.permuted(first.map((_, one) => [place, ...ahead].indexOf(one))).contiguous();
}
