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
 * model: of readModel. isOff(layer, head): whether that head adds nothing; its weights are still in the maps. Nothing that is known is
 * computed again. before: what this function has returned for another text with the same heads; where both begin alike, the later tokens
 * have changed nothing, so keys and values are kept, as in a KV cache. whole: what it has returned for this text with all heads on.
 */
export function run({ weights, heads }, tokens, isOff = () => false, before = { tokens: [], states: [], layers: [] }, whole) {
  const same = alike(before.tokens, tokens);
  const width = weights["token_embedding.weight"].shape[1];
  const tail = (state) => state.subarray(same * width);
  let x = whole ? tail(whole.states[0]) : embedded(weights, tokens, same);
  let asWhole = Boolean(whole);
  const [added, layers] = [[x], []];
  for (let layer = 0; `blocks.${layer}.attention_norm.scale` in weights; layer += 1) {
    const of = (name) => weights[`blocks.${layer}.${name}`];
    const off = Array.from({ length: heads }, (_, head) => isOff(layer, head));
    layers.push(asWhole ? whole.layers[layer] : looks(normalised(x, of, "attention_norm"), of, heads, same, before.layers[layer]));
    asWhole &&= !off.includes(true);
    if (asWhole) {
      added.push(...whole.states.slice(2 * layer + 1, 2 * layer + 3).map(tail));
    } else {
      x = sum(x, linear(contexts(layers[layer], off, same), of, "attention.out_proj"));
      added.push(x);
      added.push(sum(x, fed(normalised(x, of, "feed_forward_norm"), of)));
    }
    x = added.at(-1);
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
  const out = where.slice(from * width, tokens.length * width);
  for (let at = 0; at < out.length; at += 1) out[at] += what[tokens[from + Math.floor(at / width)] * width + (at % width)];
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

/** Where the heads of a layer look: keys, values and maps of all tokens. x: the tokens from a place on; kept: those of the tokens before. */
function looks(x, of, heads, from, kept) {
  const [queries, freshKeys, freshValues] = ["W_query", "W_key", "W_value"].map((name) => linear(x, of, `attention.${name}`));
  const width = of("attention.W_query.weight").shape[0];
  const long = width / heads;
  const keys = behind(kept?.keys, from * width, freshKeys);
  const values = behind(kept?.values, from * width, freshValues);
  const count = keys.length / width;
  const maps = Array.from({ length: heads }, (_, head) => {
    const [query, key] = [queries, keys].map((all) => columns(all, width, head * long, long));
    const scores = product(query, key, long);
    const map = from ? kept.maps[head].slice(0, from) : [];
    for (let begin = 0; begin < scores.length; begin += count) {
      map.push(softmax(scores.subarray(begin, begin + map.length + 1), Math.sqrt(long))); // no later token
    }
    return map;
  });
  return { keys, values, maps };
}

/** The contexts of a layer's heads, side by side, for the tokens from a place on. off: of each head, whether its context is 0. */
function contexts({ values, maps }, off, from) {
  const count = maps[0].length;
  const width = values.length / count;
  const long = width / maps.length;
  const all = new Float32Array((count - from) * width);
  maps.forEach((map, head) => {
    if (off[head]) return;
    const weights = new Float32Array((count - from) * count);
    map.slice(from).forEach((row, place) => weights.set(row, place * count));
    const own = product(weights, transposed(columns(values, width, head * long, long), long), count);
    for (let at = 0; at < own.length; at += 1) all[Math.floor(at / long) * width + head * long + (at % long)] = own[at];
  });
  return all;
}

/** Some columns of rows that are so wide, from one on. */
function columns(all, wide, first, count) {
  const out = new Float32Array((all.length / wide) * count);
  for (let at = 0; at < out.length; at += 1) out[at] = all[Math.floor(at / count) * wide + first + (at % count)];
  return out;
}

/** Rows become columns. */
function transposed(x, wide) {
  const high = x.length / wide;
  const out = new Float32Array(x.length);
  for (let at = 0; at < x.length; at += 1) out[(at % wide) * high + Math.floor(at / wide)] = x[at];
  return out;
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

/**
 * The dot products of each row of x with each row of other, both so wide: x otherᵀ. Three rows of x and four of the other at a time, so
 * that each number is fetched once for several products; where fewer are left, the last one comes several times.
 */
function product(x, other, wide) {
  const count = x.length / wide;
  const high = other.length / wide;
  const out = new Float32Array(count * high);
  for (let i = 0; i < count; i += 3) {
    const j = Math.min(i + 1, count - 1);
    const h = Math.min(i + 2, count - 1);
    for (let k = 0; k < high; k += 4) {
      const l = Math.min(k + 1, high - 1);
      const m = Math.min(k + 2, high - 1);
      const n = Math.min(k + 3, high - 1);
      // Twelve sums by name: an array of them would cost more than the products.
      let ak = 0, al = 0, am = 0, an = 0, bk = 0, bl = 0, bm = 0, bn = 0, ck = 0, cl = 0, cm = 0, cn = 0;
      for (let at = 0; at < wide; at += 1) {
        const a = x[i * wide + at];
        const b = x[j * wide + at];
        const c = x[h * wide + at];
        const p = other[k * wide + at];
        const q = other[l * wide + at];
        const r = other[m * wide + at];
        const s = other[n * wide + at];
        ak += a * p;
        al += a * q;
        am += a * r;
        an += a * s;
        bk += b * p;
        bl += b * q;
        bm += b * r;
        bn += b * s;
        ck += c * p;
        cl += c * q;
        cm += c * r;
        cn += c * s;
      }
      out[i * high + k] = ak;
      out[i * high + l] = al;
      out[i * high + m] = am;
      out[i * high + n] = an;
      out[j * high + k] = bk;
      out[j * high + l] = bl;
      out[j * high + m] = bm;
      out[j * high + n] = bn;
      out[h * high + k] = ck;
      out[h * high + l] = cl;
      out[h * high + m] = cm;
      out[h * high + n] = cn;
    }
  }
  return out;
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
