/** A table of numbers with a bar in each row. */
import { html, show } from "./widget.mjs";

/**
 * A row for each label and a column for each name in columns; bars from 0 to 1 stand for the last column.
 *
 * draw(numbers): one array of numbers for each column.
 */
export function barTable({ label, labels, columns }) {
  const rows = labels.map((name) => row(name, columns));
  const heads = ["key", ...columns].map((text) => html("th", { scope: "col", text }));
  return {
    element: html(
      "div",
      {},
      html(
        "table",
        { class: "widget-numbers widget-bars", "aria-label": label },
        html("thead", {}, html("tr", {}, ...heads, html("td"))),
        html("tbody", {}, ...rows.map(({ element }) => element)),
      ),
    ),
    draw: (numbers) =>
      rows.forEach(({ cells, bar }, place) => {
        cells.forEach((cell, column) => (cell.textContent = show(numbers[column][place])));
        bar.style.width = `${100 * numbers.at(-1)[place]}%`;
      }),
  };
}

function row(name, columns) {
  const cells = columns.map(() => html("td", { class: "number" }));
  const bar = html("div", { class: "widget-bar" });
  const track = html("td", { class: "widget-track", "aria-hidden": "true" }, bar);
  return { element: html("tr", {}, html("th", { scope: "row", text: name }), ...cells, track), cells, bar };
}
