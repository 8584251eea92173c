/**
 * The TinyGPT of part 6 with the MultiHeadAttention of part 4, and everything that a text becomes on its way through it.
 *
 * A tensor is a list of rows, one for each token. The tests check it against torch.
 */
import { attention, dot, variance } from "./arithmetic.mjs";

/**
 * Reads tokens: `states` are the tokens as they enter the first block and after each of its two additions, block by block;
 * `maps` are the weights of each layer and head, a row for each token; `logits` are one row for each token.
 *
 * model: of readModel. isOff(layer, head): whether that head adds nothing; its weights are still in the maps.
 */
export function run({ weights, heads }, tokens, isOff = () => false) {
  const places = weights["position_embedding.weight"];
  let x = tokens.map((token, place) => sum(weights["token_embedding.weight"][token], places[place]));
  const [states, maps] = [[x], []];
  const add = (rows) => {
    x = x.map((row, token) => sum(row, rows[token]));
    states.push(x);
  };
  for (let layer = 0; `blocks.${layer}.attention_norm.scale` in weights; layer += 1) {
    const of = (name) => weights[`blocks.${layer}.${name}`];
    const read = normalised(x, of, "attention_norm");
    const projected = (name) => split(linear(read, of, `attention.${name}`), heads);
    const [queries, keys, values] = ["W_query", "W_key", "W_value"].map(projected);
    const found = queries.map((query, head) => attention(query, keys[head], values[head], { causal: true }));
    maps.push(found.map((one) => one.weights));
    const kept = (row, head) => (isOff(layer, head) ? row.map(() => 0) : row);
    const merged = x.map((_, token) => found.flatMap(({ context }, head) => kept(context[token], head)));
    add(linear(merged, of, "attention.out_proj"));
    const wide = linear(normalised(x, of, "feed_forward_norm"), of, "feed_forward.layers.0");
    add(linear(wide.map((row) => row.map(gelu)), of, "feed_forward.layers.2"));
  }
  return { states, maps, logits: said({ weights }, x) };
}

/** The logits that the end of the model makes of tokens, wherever on their way. */
export function said({ weights }, x) {
  const of = (name) => weights[name];
  return linear(normalised(x, of, "norm"), of, "head");
}

/** The number of tokens that a model has learned to read: one less than it has places for. In training, no token follows the last place. */
export const longest = ({ weights }) => weights["position_embedding.weight"].length - 1;

const sum = (row, other) => Array.from(row, (number, at) => number + other[at]);

/** Each token with mean 0 and variance 1, times scale, plus shift. */
function normalised(x, of, name) {
  const [scale, shift] = [of(`${name}.scale`), of(`${name}.shift`)];
  return x.map((row) => {
    const mean = row.reduce((all, number) => all + number, 0) / row.length;
    const root = Math.sqrt(variance(row, 0) + 1e-5);
    return row.map((number, at) => ((number - mean) / root) * scale[at] + shift[at]);
  });
}

/** x Wᵀ, plus the bias if there is one. */
function linear(x, of, name) {
  const [weight, bias] = [of(`${name}.weight`), of(`${name}.bias`)];
  return x.map((row) => weight.map((column, at) => dot(row, column) + (bias?.[at] ?? 0)));
}

/** The part of each row that belongs to each head. */
function split(x, heads) {
  const width = x[0].length / heads;
  return Array.from({ length: heads }, (_, head) => x.map((row) => row.slice(head * width, (head + 1) * width)));
}

const gelu = (x) => (x * (1 + erf(x / Math.SQRT2))) / 2;

/** The error function, to 1.5e-7 (Abramowitz and Stegun, 7.1.26). */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
}
