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
export const headRow = (names) =>
  html("tr", {}, ...names.map((text) => (text ? html("th", { scope: "col", text }) : html("td", {}))));

/** An entry of a list of facts (`widget-facts`). */
export const fact = (words, text) => html("div", {}, html("dt", { text: words }), html("dd", { text }));
