/** A text as tokens, as Python has them: { kind, text, from, to }. */
import { Problem } from "./problem.mjs";

const KINDS = [
  ["space", /[ \t\u00a0]+|#[^\n]*|\\\n/y],
  ["end", /\r?\n|;/y],
  ["number", /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ["name", /[\p{L}_][\p{L}\p{N}_]*/uy],
  ["text", /"[^"\n]*"|'[^'\n]*'/y],
  ["sign", /\*\*=?|\/\/=?|[-+*/%@&|^]=|[<>=!]=|\.\.\.|[-+*/%@&|^~<>=.,:()[\]{}]/y],
];

/** The tokens of a text, the last of them of the kind "end". Brackets may go over several lines. Raises Problem. */
export function tokens(text) {
  const found = [];
  let open = 0;
  for (let from = 0; from < text.length;) {
    const token = next(text, from);
    open = Math.max(0, open + ("([{".includes(token.text) ? 1 : ")]}".includes(token.text) ? -1 : 0));
    if (token.kind !== "space" && !(token.kind === "end" && open && token.text !== ";")) found.push(token);
    from = token.to;
  }
  found.push({ kind: "end", text: "", from: text.length, to: text.length });
  return found;
}

function next(text, from) {
  for (const [kind, pattern] of KINDS) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (found) return { kind, text: found[0], from, to: pattern.lastIndex };
  }
  const sign = String.fromCodePoint(text.codePointAt(from));
  throw new Problem(`Python has no \`${sign}\`.`, { from, to: from + sign.length });
}
