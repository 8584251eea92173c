/**
 * A training that was looked at every few steps, as workbench/explorer.py writes it: what its texts and numbers mean.
 *
 * Heads are called as on the pages: "2.1" is the first head of the second layer.
 */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The rows of a map, each up to the token that looks. A character is a weight, in 63rds. */
export function rowsOf(map) {
  const weights = [...map].map((digit) => DIGITS.indexOf(digit) / (DIGITS.length - 1));
  const rows = [];
  while (weights.length > 0) rows.push(weights.splice(0, rows.length + 1));
  return rows;
}

/** The entry of one head in a table of layers and heads. */
export function ofHead(table, head) {
  const [layer, place] = head.split(".");
  return table[layer - 1][place - 1];
}

/** The names of all heads of a table of layers and heads. */
export const namesOf = (table) => table.flatMap((layer, l) => layer.map((_, h) => `${l + 1}.${h + 1}`));

/** The head with the largest score. */
export const bestOf = (scores) =>
  namesOf(scores).reduce((best, head) => (ofHead(scores, head) > ofHead(scores, best) ? head : best));

/** A verdict on the guess after each token of a text that is read twice: true, false, or undefined in the first round. */
export function verdicts(tokens, guesses) {
  const period = tokens.length / 2;
  return tokens.map((_, place) =>
    place < period ? undefined : guesses[place] === tokens[(place + 1) % tokens.length],
  );
}
