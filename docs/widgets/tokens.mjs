/** Tokens of a text: how pages write one, and a choice of one. */
import { choice } from "./widget.mjs";

const WRITTEN = { " ": "␣", "\n": "↵", "\t": "⇥" };

export const visible = (token) => WRITTEN[token] ?? token;

/** A token with its place, counted from 1: several may be alike. */
export const named = (tokens, place) => `“${visible(tokens[place])}” (${place + 1})`;

/** A choice of one of some tokens. Its method shade(shares) shades each by a number from 0 to 1. */
export function tokenChoice({ legend, tokens, place, onChoose }) {
  const field = choice({ legend, options: tokens.map(visible), value: place, kind: "explorer-tokens", onChoose });
  field.querySelectorAll("input").forEach((input, at) => (input.ariaLabel = named(tokens, at)));
  const spans = field.querySelectorAll("span");
  const shade = (shares) => spans.forEach((span, at) => span.style.setProperty("--share", shares[at]));
  return Object.assign(field, { shade });
}
