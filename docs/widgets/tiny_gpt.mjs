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
 * model: of readModel. isOff(layer, head): whether that head adds nothing; its weights are still in the maps. before: what this
 * function has returned for another text with the same heads. Where both begin alike nothing is computed again: later tokens change
 * nothing in earlier ones, so their keys and values are kept, as in a KV cache.
 */
export function run({ weights, heads }, tokens, isOff = () => false, before = { tokens: [], states: [], layers: [] }) {
  const same = alike(before.tokens, tokens);
  const width = weights["token_embedding.weight"].shape[1];
  let x = embedded(weights, tokens, same);
  const [added, layers] = [[x], []];
  for (let layer = 0; `blocks.${layer}.attention_norm.scale` in weights; layer += 1) {
    const of = (name) => weights[`blocks.${layer}.${name}`];
    const asked = normalised(x, of, "attention_norm");
    layers.push(attention(asked, of, heads, (head) => isOff(layer, head), same, before.layers[layer]));
    x = sum(x, linear(layers[layer].context, of, "attention.out_proj"));
    added.push(x);
    x = sum(x, fed(normalised(x, of, "feed_forward_norm"), of));
    added.push(x);
  }
  const states = added.map((fresh, one) => behind(before.states[one], same * width, fresh));
  const logits = [...(before.logits ?? []).slice(0, same), ...said({ weights }, x)];
  return { tokens, states, layers, maps: layers.map((layer) => layer.maps), logits };
}

/** The logits that the end of the model makes of tokens, wherever on their way: an array for each. */
export function said({ weights }, x) {
  const of = (name) => weights[name];
  return rows(linear(normalised(x, of, "norm"), of, "head"), of("head.weight").shape[0]);
}

/** How many tokens a model has learned to read: one less than it has places for. In training, no token follows the last place. */
export const longest = ({ weights }) => weights["position_embedding.weight"].shape[0] - 1;

/** How many tokens two texts begin with alike. */
function alike(one, other) {
  const place = other.findIndex((token, at) => token !== one[at]);
  return place < 0 ? other.length : place;
}

/** So many kept numbers, and new ones behind them. */
function behind(kept, count, fresh) {
  if (!count) return fresh;
  const all = new Float32Array(count + fresh.length);
  all.set(kept.subarray(0, count));
  all.set(fresh, count);
  return all;
}

/** What each token is, plus where it stands. from: the place of the first. */
function embedded(weights, tokens, from) {
  const { numbers: what, shape } = weights["token_embedding.weight"];
  const { numbers: where } = weights["position_embedding.weight"];
  const width = shape[1];
  return new Float32Array((tokens.length - from) * width).map((_, at) => {
    const [place, dimension] = [from + Math.floor(at / width), at % width];
    return what[tokens[place] * width + dimension] + where[place * width + dimension];
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

/**
 * Causal attention of several heads, for the tokens from a place on: their contexts, side by side, and the keys, values and maps of all
 * tokens. kept: those of the tokens before. The context of a head that is off is 0.
 */
function attention(x, of, heads, isOff, from, kept) {
  const [queries, freshKeys, freshValues] = ["W_query", "W_key", "W_value"].map((name) => linear(x, of, `attention.${name}`));
  const width = of("attention.W_query.weight").shape[0];
  const keys = behind(kept?.keys, from * width, freshKeys);
  const values = behind(kept?.values, from * width, freshValues);
  const long = width / heads;
  const context = new Float32Array(queries.length);
  const maps = Array.from({ length: heads }, (_, head) => {
    const map = from ? kept.maps[head].slice(0, from) : [];
    for (let at = head * long; at < queries.length; at += width) {
      const row = weightsOf(queries, at, keys, head * long, width, long, map.length + 1);
      map.push(row);
      if (isOff(head)) continue;
      for (let seen = 0, there = head * long; seen < row.length; seen += 1, there += width) {
        for (let one = 0; one < long; one += 1) context[at + one] += row[seen] * values[there + one];
      }
    }
    return map;
  });
  return { context, keys, values, maps };
}

/** The weights of one query with so many keys. at, there: where it and the first key begin; width: from key to key. */
function weightsOf(queries, at, keys, there, width, long, count) {
  const scores = new Float32Array(count);
  for (let seen = 0; seen < count; seen += 1) {
    scores[seen] = dot(queries, at, keys, there + seen * width, long) / Math.sqrt(long);
  }
  return softmax(scores);
}

/** The feed forward: widen, GELU, narrow. */
const fed = (x, of) =>
  linear(
    linear(x, of, "feed_forward.layers.0").map((number) => (number * (1 + erf(number / Math.SQRT2))) / 2),
    of,
    "feed_forward.layers.2",
  );

/**
 * x Wᵀ, plus the bias if there is one. Two tokens and four rows of W at a time, so that each number is fetched once for several
 * products; the last of them may overlap those before.
 */
function linear(x, of, name) {
  const { numbers, shape } = of(`${name}.weight`);
  const bias = of(`${name}.bias`)?.numbers;
  const [high, wide] = shape;
  const count = x.length / wide;
  const out = new Float32Array(count * high);
  for (let token = 0; token < count; token += 2) {
    const other = Math.min(token + 1, count - 1);
    for (let begin = 0; begin < high; begin += 4) {
      const row = Math.min(begin, high - 4);
      // Eight numbers by name: an array of them would cost more than the products.
      let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
      for (let at = 0, from = row * wide; at < wide; at += 1, from += 1) {
        const p = x[token * wide + at];
        const q = x[other * wide + at];
        const s = numbers[from];
        const t = numbers[from + wide];
        const u = numbers[from + 2 * wide];
        const v = numbers[from + 3 * wide];
        a += p * s;
        b += p * t;
        c += p * u;
        d += p * v;
        e += q * s;
        f += q * t;
        g += q * u;
        h += q * v;
      }
      out.set([a, b, c, d], token * high + row);
      out.set([e, f, g, h], other * high + row);
    }
  }
  if (bias) for (let at = 0; at < out.length; at += 1) out[at] += bias[at % high];
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
