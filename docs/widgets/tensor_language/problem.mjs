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
  const most = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
  const far = (one) => distance(name.toLowerCase(), one.toLowerCase(), most);
  const [nearest] = [...names].sort((one, other) => far(one) - far(other));
  return far(nearest) <= most ? ` Did you mean \`${nearest}\`?` : "";
}

/** The number of letters to change, leave out, put in, or exchange with the next one between two words; Infinity if over a number. */
function distance(one, other, most) {
  if (most < 0) return Infinity;
  if (!one || !other) return one.length + other.length;
  if (one[0] === other[0]) return distance(one.slice(1), other.slice(1), most);
  const edits = [[1, 0], [0, 1], [1, 1]];
  if (one[0] === other[1] && one[1] === other[0]) edits.push([2, 2]);
  return 1 + Math.min(...edits.map(([from, to]) => distance(one.slice(from), other.slice(to), most - 1)));
}
