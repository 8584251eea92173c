/** The next token of a model: probabilities from logits, and a draw. */
import { softmax } from "./arithmetic.mjs";

/**
 * The probability of each token. temperature: 0 leaves the likeliest alone. top: how many of the likeliest may be drawn; the others have 0.
 */
export function probabilities(logits, { temperature, top }) {
  const order = likeliest(logits);
  const allowed = new Set(order.slice(0, temperature === 0 ? 1 : top));
  return softmax(
    logits.map((logit, token) => (allowed.has(token) ? logit : -Infinity)),
    temperature || 1,
  );
}

/** All tokens, the likeliest first. */
export const likeliest = (numbers) => [...numbers.keys()].sort((one, other) => numbers[other] - numbers[one]);

/** A token drawn by its probability. number: from 0 up to 1. */
export function drawn(shares, number) {
  let below = 0;
  const token = shares.findIndex((share) => number < (below += share));
  return token < 0 ? likeliest(shares)[0] : token;
}
