/** What is wrong with a line, and where in its text: from the character `from` up to, and without, `to`. */
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

/** How many letters have to be changed, left out or put in to make one word of another (Levenshtein). */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[other.length];
}
