/** A value of a line as tables, one for each matrix in it, with the numbers that differ from the expected ones marked. */
import { spelled, wrongPlaces } from "./line_verdict.mjs";
import { Tensor, indicesOf, product, spell } from "./tensor_language/tensor.mjs";
import { Num, described } from "./tensor_language/values.mjs";
import { decimalsFor, html } from "./widget.mjs";

const MOST_MATRICES = 6; // of a tensor of three dimensions or more

/** The role of a tensor, by words of the name of what it is or of the step that makes it. */
const ROLES = [
  [/scor|weights|softmax|maps/, "weight"],
  [/context|attention/i, "context"],
  [/quer/, "query"],
  [/key/, "key"],
  [/value/, "value"],
];

export const roleOf = (name) => ROLES.find(([words]) => words.test(name))?.[1] ?? "plain";

/**
 * The tables of a value for a case, in the colour of a role. Its labels are lists of names; a dimension as long as one of them has its names.
 */
export function drawing(title, role, value, expected, { labels, tolerance }) {
  if (!(value instanceof Tensor)) {
    const what = value instanceof Num ? String(value.number) : described(value ?? null);
    return html("p", { class: "line-nothing", text: `${title}: ${what.replaceAll("`", "")}` });
  }
  const ahead = value.shape.slice(0, -2);
  const slices = Array.from({ length: Math.min(product(ahead), MOST_MATRICES) }, (_, slice) => slice);
  const look = lookOf(value, expected, tolerance);
  const caption = (slice) =>
    slice ? indicesOf(slice, ahead) : `${title} ${spell(value.shape)}${ahead.length ? ` at ${indicesOf(0, ahead)}` : ""}`;
  const tables = slices.map((slice) => table(caption(slice), value, slice, look, labels));
  const rest = product(ahead) - slices.length;
  const more = rest > 0 ? [html("p", { class: "widget-note", text: `and ${rest} more` })] : [];
  const across = ahead.length > 1 ? `--across: ${ahead.at(-1)}` : null; // a row of them for each sentence of a batch of heads
  const matrices = html("div", { class: "line-matrices", style: across }, ...tables);
  return html("div", { class: `widget-scroll ${role}` }, matrices, ...more);
}

/** The look of each number: its text, its shade by the largest expected, a mark where it is wrong. */
function lookOf(value, expected, tolerance) {
  const comparable = expected instanceof Tensor && spell(value.shape) === spell(expected.shape);
  const wrong = comparable ? wrongPlaces(value, expected, tolerance) : new Set();
  const numbers = value.numbers();
  const scale = comparable ? expected.numbers() : numbers;
  const largest = Math.max(1e-9, ...Array.from(scale, Math.abs).filter(Number.isFinite));
  const decimals = decimalsFor(value.shape.at(-1));
  return (at) => ({
    text: spelled(numbers[at], value.kind, decimals),
    share: Number.isFinite(numbers[at]) ? Math.min(1, Math.abs(numbers[at]) / largest) : 0,
    kind: [signOf(numbers[at], value.kind), wrong.has(at) && "line-wrong"].filter(Boolean).join(" "),
    aloud: wrong.has(at) ? [html("span", { class: "widget-unseen", text: " differs" })] : [],
  });
}

/** Hidden numbers are hatched: True, and −∞. Other numbers below 0 have a colour of their own. */
function signOf(number, kind) {
  if (number === -Infinity || (kind === "bool" && number)) return "hidden";
  return number < 0 && "below";
}

/** The table of one matrix. A tensor without rows or columns is a matrix of one. */
function table(caption, { shape }, slice, look, labels) {
  const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  const named = (size) => labels.find((names) => names.length === size);
  const [across, down] = [shape.length && named(columns), shape.length > 1 && named(rows)];
  const looks = Array.from({ length: rows * columns }, (_, at) => look(slice * rows * columns + at));
  const wide = Math.max(...[...looks.map(({ text }) => text), ...(across || [])].map(({ length }) => length));
  const cells = looks.map(({ text, share, kind, aloud }) =>
    html("td", { class: kind || null, style: `--share: ${share.toFixed(3)}` }, text, ...aloud),
  );
  const lines = Array.from({ length: rows }, (_, row) => {
    const head = down ? [html("th", { scope: "row", text: down[row] })] : [];
    return html("tr", {}, ...head, ...cells.slice(row * columns, (row + 1) * columns));
  });
  const tops = (across || []).map((text) => html("th", { scope: "col", text }));
  const head = across ? [html("tr", {}, ...(down ? [html("td")] : []), ...tops)] : [];
  return html(
    "table",
    { class: "widget-numbers", style: `--wide: ${wide}` },
    html("caption", { text: caption }),
    html("tbody", {}, ...head, ...lines),
  );
}
