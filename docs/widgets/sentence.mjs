/** Words become tokens, and tokens become embeddings of three numbers. */
import { uniform } from "./chance.mjs";

/** The words of a text: letters, digits, hyphens and apostrophes stay together. */
export const wordsOf = (text) => text.match(/[\p{L}\p{N}'’-]+/gu) ?? [];

/** Embeddings by word, in small letters, of examples { tokens, inputs }. A word in several has those of the first. */
export function vocabulary(examples) {
  const pairs = ({ tokens, inputs }) => tokens.map((token, place) => [token.toLowerCase(), inputs[place]]);
  return new Map(examples.flatMap(pairs).reverse());
}

/** A made-up embedding: three numbers from 0 to 1 that depend on nothing but the letters of the word. */
export function embedding(word) {
  const draw = uniform(hash(word.toLowerCase()));
  return [draw(), draw(), draw()].map((number) => Math.round(number * 100) / 100);
}

/** The 32-bit FNV-1a hash of a text (Fowler, Noll and Vo), over its code points. */
const hash = (text) =>
  [...text].reduce((bits, letter) => Math.imul(bits ^ letter.codePointAt(0), 0x01000193), 0x811c9dc5);
