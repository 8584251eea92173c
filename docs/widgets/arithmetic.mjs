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
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp((score - largest) / temperature));
  const sum = exponentials.reduce((total, exponential) => total + exponential, 0);
  return exponentials.map((exponential) => exponential / sum);
}

/** Every entry divided by √d_k. */
export const scale = (scores, dK) => scores.map((row) => row.map((score) => score / Math.sqrt(dK)));

/** Scores in which every key that comes after its query is −Infinity. */
export const hideFuture = (scores) =>
  scores.map((row, query) => row.map((score, key) => (key > query ? -Infinity : score)));

/** The weighted sum of vectors. */
export const weightedSum = (weights, vectors) => matmul([weights], vectors)[0];

/** The variance of numbers that are a sample (n − 1 in the divisor, as torch has it). */
export function variance(numbers) {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  return numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / (numbers.length - 1);
}

/** All steps of scaled dot-product attention: scores, scaled, weights, context. causal: no query sees a later key. */
export function attention(queries, keys, values, { causal = false } = {}) {
  const scores = matmul(queries, transpose(keys));
  const scaled = scale(scores, keys[0].length);
  const weights = (causal ? hideFuture(scaled) : scaled).map((row) => softmax(row));
  return { scores, scaled, weights, context: matmul(weights, values) };
}
