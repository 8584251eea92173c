/**
 * The arithmetic of attention on plain arrays: a vector is an array of numbers, a matrix an array of rows.
 *
 * The tests check every function here against torch.
 */

/** The dot product of two vectors. */
export const dot = (a, b) => a.reduce((sum, number, place) => sum + number * b[place], 0);

/** Rows become columns. */
export const transpose = (matrix) => matrix[0].map((_, column) => matrix.map((row) => row[column]));

/** The matrix product: (n, k) with (k, m) gives (n, m). */
export function matmul(left, right) {
  const columns = transpose(right);
  return left.map((row) => columns.map((column) => dot(row, column)));
}

/** The softmax of one row of scores; −Infinity becomes exactly 0. A temperature above 1 flattens, below 1 sharpens. */
export function softmax(scores, temperature = 1) {
  let largest = -Infinity;
  for (let at = 0; at < scores.length; at += 1) if (scores[at] > largest) largest = scores[at];
  const shares = scores.slice();
  let sum = 0;
  for (let at = 0; at < shares.length; at += 1) sum += shares[at] = Math.exp((scores[at] - largest) / temperature);
  for (let at = 0; at < shares.length; at += 1) shares[at] /= sum;
  return shares;
}

/** Every entry divided by √d_k. */
export const scale = (scores, dK) => scores.map((row) => row.map((score) => score / Math.sqrt(dK)));

/** Scores in which every key that comes after its query is −Infinity. */
export const hideFuture = (scores) =>
  scores.map((row, query) => row.map((score, key) => (key > query ? -Infinity : score)));

/** The weighted sum of vectors. */
export const weightedSum = (weights, vectors) => matmul([weights], vectors)[0];

/** The variance of numbers; the divisor is how many there are less a correction, as torch has it. */
export function variance(numbers, correction = 1) {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  return numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / Math.max(0, numbers.length - correction);
}

/**
 * All steps of scaled dot-product attention: scores, scaled, weights, context.
 *
 * causal: no query sees a later key.
 */
export function attention(queries, keys, values, { causal = false } = {}) {
  const scores = matmul(queries, transpose(keys));
  const scaled = scale(scores, keys[0].length);
  const weights = (causal ? hideFuture(scaled) : scaled).map((row) => softmax(row));
  return { scores, scaled, weights, context: matmul(weights, values) };
}

/** The angle by which each pair of numbers turns from one position to the next, in radians (Su et al. 2021, section 3.2.2). */
export const turningSpeeds = (headDim) =>
  Array.from({ length: headDim / 2 }, (_, pair) => 10000 ** ((-2 * pair) / headDim));

/** A point in the plane, turned counterclockwise by an angle in radians. */
export const turn = ([x, y], angle) => [
  x * Math.cos(angle) - y * Math.sin(angle),
  x * Math.sin(angle) + y * Math.cos(angle),
];

/**
 * One row of attention, some keys at a time: what is known before, of and after each tile (Dao et al. 2022).
 *
 * scores: of one query, scaled and masked; the first tile has one that is visible. Each entry holds the `start` of the
 * tile, the states { maximum, sum, context } `before`, `tile` and `after`, and the `correction`, by which the sum and
 * the context before are multiplied. A context is not yet divided by its sum.
 */
export function tilesOfRow(scores, values, size) {
  const starts = scores.map((_, key) => key).filter((key) => key % size === 0);
  let before = { maximum: -Infinity, sum: 0, context: values[0].map(() => 0) };
  return starts.map((start) => {
    const tile = scores.slice(start, start + size);
    const maximum = Math.max(before.maximum, ...tile);
    const correction = Math.exp(before.maximum - maximum);
    const exponentials = tile.map((score) => Math.exp(score - maximum));
    const sum = exponentials.reduce((total, one) => total + one, 0);
    const context = weightedSum(exponentials, values.slice(start, start + size));
    const after = {
      maximum,
      sum: before.sum * correction + sum,
      context: before.context.map((number, place) => number * correction + context[place]),
    };
    const known = { start, before, tile: { maximum: Math.max(...tile), sum, context }, correction, after };
    before = after;
    return known;
  });
}
