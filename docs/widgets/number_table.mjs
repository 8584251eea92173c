/** Tables of numbers with a caption, and single numbers with what they count. */
import { html } from "./widget.mjs";

/** A table. heads, rows, foot: lists of its `tr` elements. kind: a class of its own. */
export const numberTable = ({ caption, kind = "", heads, rows, foot = [] }) =>
  html(
    "table",
    { class: `widget-numbers ${kind}` },
    html("caption", { text: caption }),
    html("thead", {}, ...heads),
    html("tbody", {}, ...rows),
    html("tfoot", {}, ...foot),
  );

/** The names of the columns. A column without a name has an empty cell. */
export const headRow = (names, kind = null) =>
  html("tr", {}, ...names.map((text) => (text ? html("th", { scope: "col", class: kind, text }) : html("td", {}))));

/** A row with its name. cells: each a text, or the attributes of a cell with its text. kind: its class. */
export const row = (name, cells, kind = null) =>
  html(
    "tr",
    { class: kind },
    html("th", { scope: "row", text: name }),
    ...cells.map((cell) => html("td", typeof cell === "string" ? { text: cell } : cell)),
  );

/** A list of single numbers, each with what it counts. draw({ words: text, … }) */
export function facts() {
  const element = html("dl", { class: "widget-facts" });
  const entry = ([words, text]) => html("div", {}, html("dt", { text: words }), html("dd", { text }));
  return { element, draw: (counts) => element.replaceChildren(...Object.entries(counts).map(entry)) };
}
