/** A table of numbers with a bar in each row. */
import { headRow, numberTable } from "./number_table.mjs";
import { html, show } from "./widget.mjs";

/**
 * A row for each label and a column for each name in columns, of which the first names the labels; bars from 0 to 1 show the last.
 *
 * draw(numbers): one array of numbers for each other column.
 */
export function barTable({ caption, labels, columns, decimals = 4 }) {
  const rows = labels.map((text) => {
    const cells = columns.slice(1).map(() => html("td", { class: "number" }));
    const bar = html("div", { class: "widget-bar" });
    const track = html("td", { class: "widget-track", "aria-hidden": "true" }, bar);
    return { element: html("tr", {}, html("th", { scope: "row", text }), ...cells, track), cells, bar };
  });
  const heads = [headRow([...columns, ""])];
  return {
    element: numberTable({ caption, kind: "widget-bars", heads, rows: rows.map(({ element }) => element) }),
    draw: (numbers) =>
      rows.forEach(({ cells, bar }, place) => {
        cells.forEach((cell, column) => (cell.textContent = show(numbers[column][place], decimals)));
        bar.style.width = `${100 * numbers.at(-1)[place]}%`;
      }),
  };
}
