/**
 * The TinyGPT of part 6 with the MultiHeadAttention of part 4, and everything that a text becomes on its way through it.
 *
 * A tensor (t, n) is a Float32Array, row by row. The tests check it against torch.
 */
import { softmax } from "./arithmetic.mjs";

/**
 * Reads tokens: `states` are the tokens as they enter the first block and as they leave each one, (t, width); `maps` are the weights
 * of each layer and head, (t, t); `logits` are one array for each token.
 *
 * model: of readModel. isOff(layer, head): whether that head adds nothing; its weights are still in the maps.
 */
export function run({ weights, heads }, tokens, isOff = () => false) {
  let x = embedded(weights, tokens);
  const [states, maps] = [[x], []];
  for (let layer = 0; `blocks.${layer}.attention_norm.scale` in weights; layer += 1) {
    const of = (name) => weights[`blocks.${layer}.${name}`];
    const attended = attention(normalised(x, of, "attention_norm"), of, heads, (head) => isOff(layer, head));
    x = sum(x, attended.added);
    x = sum(x, fed(normalised(x, of, "feed_forward_norm"), of));
    states.push(x);
    maps.push(attended.maps);
  }
  const of = (name) => weights[name];
  return { states, maps, logits: rows(linear(normalised(x, of, "norm"), of, "head"), of("head.weight").shape[0]) };
}

/** How many tokens a model has learned to read: one less than it has places for. In training, no token follows the last place. */
export const longest = ({ weights }) => weights["position_embedding.weight"].shape[0] - 1;

/** What each token is, plus where it stands. */
function embedded(weights, tokens) {
  const { numbers: what, shape } = weights["token_embedding.weight"];
  const { numbers: where } = weights["position_embedding.weight"];
  const width = shape[1];
  return new Float32Array(tokens.length * width).map((_, at) => {
    const [place, dimension] = [Math.floor(at / width), at % width];
    return what[tokens[place] * width + dimension] + where[at];
  });
}

/** Each token with mean 0 and variance 1, times scale, plus shift. */
function normalised(x, of, name) {
  const [{ numbers: scale }, { numbers: shift }] = [of(`${name}.scale`), of(`${name}.shift`)];
  const width = scale.length;
  const out = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    const token = x.subarray(start, start + width);
    const mean = token.reduce((total, number) => total + number, 0) / width;
    const variance = token.reduce((total, number) => total + (number - mean) ** 2, 0) / width;
    const root = Math.sqrt(variance + 1e-5);
    for (let at = 0; at < width; at += 1) out[start + at] = ((token[at] - mean) / root) * scale[at] + shift[at];
  }
  return out;
}

/** Causal attention of several heads: what it adds to each token, and the weights of each head. A head that is off has context 0. */
function attention(x, of, heads, isOff) {
  const [queries, keys, values] = ["W_query", "W_key", "W_value"].map((name) => linear(x, of, `attention.${name}`));
  const width = of("attention.W_query.weight").shape[0];
  const long = width / heads;
  const count = queries.length / width;
  const context = new Float32Array(queries.length);
  const maps = Array.from({ length: heads }, (_, head) => {
    const map = new Float32Array(count * count);
    for (let place = 0; place < count; place += 1) {
      const at = place * width + head * long;
      const scores = Array.from({ length: place + 1 }, (_, seen) => {
        const there = seen * width + head * long;
        return dot(queries, at, keys, there, long) / Math.sqrt(long);
      });
      softmax(scores).forEach((weight, seen) => {
        map[place * count + seen] = weight;
        if (isOff(head)) return;
        for (let one = 0; one < long; one += 1) context[at + one] += weight * values[seen * width + head * long + one];
      });
    }
    return map;
  });
  return { added: linear(context, of, "attention.out_proj"), maps };
}

/** The feed forward: widen, GELU, narrow. */
const fed = (x, of) =>
  linear(
    linear(x, of, "feed_forward.layers.0").map((number) => (number * (1 + erf(number / Math.SQRT2))) / 2),
    of,
    "feed_forward.layers.2",
  );

/** x Wᵀ, plus the bias if there is one. Four rows of W at a time, so that each number of x is fetched once for all of them. */
function linear(x, of, name) {
  const { numbers, shape } = of(`${name}.weight`);
  const bias = of(`${name}.bias`)?.numbers;
  const [high, wide] = shape;
  const out = new Float32Array((x.length / wide) * high);
  for (let from = 0, to = 0; from < x.length; from += wide, to += high) {
    for (let begin = 0; begin < high; begin += 4) {
      const row = Math.min(begin, high - 4); // the last four may overlap those before
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let at = 0, one = row * wide; at < wide; at += 1, one += 1) {
        const number = x[from + at];
        a += number * numbers[one];
        b += number * numbers[one + wide];
        c += number * numbers[one + 2 * wide];
        d += number * numbers[one + 3 * wide];
      }
      out.set([a, b, c, d], to + row);
    }
    if (bias) for (let row = 0; row < high; row += 1) out[to + row] += bias[row];
  }
  return out;
}

/** The dot product of so many numbers of two arrays. */
function dot(one, at, other, there, count) {
  let total = 0;
  for (let place = 0; place < count; place += 1) total += one[at + place] * other[there + place];
  return total;
}

const sum = (one, other) => one.map((number, at) => number + other[at]);

const rows = (numbers, wide) =>
  Array.from({ length: numbers.length / wide }, (_, row) => Array.from(numbers.subarray(row * wide, (row + 1) * wide)));

/** The error function, to 1.5e-7 (Abramowitz and Stegun, 7.1.26). */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
}
