/** Random numbers that are always the same for a seed. */

/** Draws numbers in [0, 1) by 32-bit arithmetic: a Weyl sequence through the finaliser of MurmurHash3 (Appleby). */
export function uniform(seed) {
  let state = Math.imul(seed, WEYL);
  return () => {
    state = (state + WEYL) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** Draws numbers from a standard normal distribution (Box and Muller 1958). */
export function standardNormal(seed) {
  const draw = uniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

const WEYL = 0x9e3779b9; // 2³² by the golden ratio
