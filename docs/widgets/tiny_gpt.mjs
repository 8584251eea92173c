/**
 * The TinyGPT of part 6 with the MultiHeadAttention of part 4, and everything that a text becomes on its way through it.
 *
 * A tensor (t, n) is a Float32Array, row by row. The tests check it against torch.
 */
import { softmax } from "./arithmetic.mjs";

/**
 * Reads tokens: `states` are the tokens as they enter the first block and after each of its two additions, block by block, (t, width);
 * `maps` are the weights of each layer and head, a row for each token up to itself; `logits` are one array for each token.
 *
 * model: of readModel. isOff(layer, head): whether that head adds nothing; its weights are still in the maps.
 */
export function run({ weights, heads }, tokens, isOff = () => false) {
  let x = embedded(weights, tokens);
  const [states, maps] = [[x], []];
  for (let layer = 0; `blocks.${layer}.attention_norm.scale` in weights; layer += 1) {
    const of = (name) => weights[`blocks.${layer}.${name}`];
    const off = Array.from({ length: heads }, (_, head) => isOff(layer, head));
    const { values, map } = looks(normalised(x, of, "attention_norm"), of, heads);
    maps.push(map);
    x = sum(x, linear(contexts(values, map, off), of, "attention.out_proj"));
    states.push(x);
    x = sum(x, fed(normalised(x, of, "feed_forward_norm"), of));
    states.push(x);
  }
  return { states, maps, logits: said({ weights }, x) };
}

/** The logits that the end of the model makes of tokens, wherever on their way: an array for each. */
export function said({ weights }, x) {
  const of = (name) => weights[name];
  return rows(linear(normalised(x, of, "norm"), of, "head"), of("head.weight").shape[0]);
}

/** The number of tokens that a model has learned to read: one less than it has places for. In training, no token follows the last place. */
export const longest = ({ weights }) => weights["position_embedding.weight"].shape[0] - 1;

/** The embedding of each token, plus that of its position. */
function embedded(weights, tokens) {
  const { numbers: what, shape } = weights["token_embedding.weight"];
  const { numbers: where } = weights["position_embedding.weight"];
  const width = shape[1];
  const out = where.slice(0, tokens.length * width);
  for (let at = 0; at < out.length; at += 1) out[at] += what[tokens[Math.floor(at / width)] * width + (at % width)];
  return out;
}

/** Each token with mean 0 and variance 1, times scale, plus shift. */
function normalised(x, of, name) {
  const [{ numbers: scale }, { numbers: shift }] = [of(`${name}.scale`), of(`${name}.shift`)];
  const width = scale.length;
  const out = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    let mean = 0;
    let variance = 0;
    for (let at = 0; at < width; at += 1) mean += x[start + at] / width;
    for (let at = 0; at < width; at += 1) variance += (x[start + at] - mean) ** 2 / width;
    const root = Math.sqrt(variance + 1e-5);
    for (let at = 0; at < width; at += 1) out[start + at] = ((x[start + at] - mean) / root) * scale[at] + shift[at];
  }
  return out;
}

/** Where the heads of a layer look: a map for each head, and the values of all tokens. */
function looks(x, of, heads) {
  const [queries, keys, values] = ["W_query", "W_key", "W_value"].map((name) => linear(x, of, `attention.${name}`));
  const width = of("attention.W_query.weight").shape[0];
  const long = width / heads;
  const count = keys.length / width;
  const map = Array.from({ length: heads }, (_, head) =>
    Array.from({ length: count }, (_row, place) => {
      const scores = new Float32Array(place + 1); // no later token
      for (let seen = 0; seen <= place; seen += 1) {
        scores[seen] = dotProduct(queries, place * width + head * long, keys, seen * width + head * long, long);
      }
      return softmax(scores, Math.sqrt(long));
    }),
  );
  return { values, map };
}

/** The contexts of a layer's heads, side by side. off: of each head, whether its context is 0. */
function contexts(values, maps, off) {
  const width = values.length / (maps[0].length || 1);
  const long = width / maps.length;
  const all = new Float32Array(values.length);
  maps.forEach((map, head) => {
    if (off[head]) return;
    map.forEach((row, place) =>
      row.forEach((weight, seen) => {
        for (let at = head * long; at < (head + 1) * long; at += 1) {
          all[place * width + at] += weight * values[seen * width + at];
        }
      }),
    );
  });
  return all;
}

/** The feed forward: widen, GELU, narrow. */
function fed(x, of) {
  const wide = linear(x, of, "feed_forward.layers.0");
  for (let at = 0; at < wide.length; at += 1) wide[at] *= (1 + erf(wide[at] / Math.SQRT2)) / 2;
  return linear(wide, of, "feed_forward.layers.2");
}

/** x Wᵀ, plus the bias if there is one. */
function linear(x, of, name) {
  const { numbers, shape } = of(`${name}.weight`);
  const out = product(x, numbers, shape[1]);
  const bias = of(`${name}.bias`)?.numbers;
  if (bias) for (let at = 0; at < out.length; at += 1) out[at] += bias[at % bias.length];
  return out;
}

/** The dot products of each row of x with each row of other, both so wide: x otherᵀ. */
function product(x, other, wide) {
  const [count, high] = [x.length / wide, other.length / wide];
  const out = new Float32Array(count * high);
  for (let i = 0; i < count; i += 1) {
    for (let k = 0; k < high; k += 1) out[i * high + k] = dotProduct(x, i * wide, other, k * wide, wide);
  }
  return out;
}

/** The dot product of so many numbers of each, from a place on. */
function dotProduct(one, from, other, start, count) {
  let total = 0;
  for (let at = 0; at < count; at += 1) total += one[from + at] * other[start + at];
  return total;
}

function sum(one, other) {
  const out = one.slice();
  for (let at = 0; at < out.length; at += 1) out[at] += other[at];
  return out;
}

const rows = (numbers, wide) =>
  Array.from({ length: numbers.length / wide }, (_, row) => Array.from(numbers.subarray(row * wide, (row + 1) * wide)));

/** The error function, to 1.5e-7 (Abramowitz and Stegun, 7.1.26). */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
}
