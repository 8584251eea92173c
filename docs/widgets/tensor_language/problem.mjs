/** A fault of a line, and its place in the text: from the character `from` up to, and without, `to`. */
export class Problem extends Error {
  constructor(message, place) {
    super(message);
    Object.assign(this, { from: place?.from, to: place?.to });
  }
}

/** Does something for a place of the text: a problem that does not know its place has this one. */
export function at({ from, to }, act) {
  try {
    return act();
  } catch (error) {
    if (error instanceof Problem && error.from === undefined) Object.assign(error, { from, to });
    throw error;
  }
}

/** The nearest of some names to one that is none of them, as a question; empty if none is near. */
export function didYouMean(name, names) {
  const least = Math.max(1, Math.floor(name.length / 3));
  const near = names
    .map((one) => [distance(name.toLowerCase(), one.toLowerCase()), one])
    .filter(([far]) => far <= least)
    .sort(([a], [b]) => a - b);
  return near.length ? ` Did you mean \`${near[0][1]}\`?` : "";
}

/** The number of letters to change, leave out, put in, or exchange with the next one between two words. */
function distance(one, other) {
  const rows = [Array.from({ length: other.length + 1 }, (_, place) => place)];
  for (let i = 1; i <= one.length; i += 1) {
    rows[i] = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = Number(one[i - 1] !== other[j - 1]);
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + change);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[one.length][other.length];
}
