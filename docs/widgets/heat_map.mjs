/** Where one head looks, as a picture: a row for each token that looks, a column for each that it sees. */
import { svg } from "./widget.mjs";

/** A map of so many tokens. outlined: cells (query, key). draw(rows) shows other weights in the same cells. */
export function heatMap(count, outlined = []) {
  const place = ([query, key]) => ({ x: key + 0.04, y: query + 0.04, width: 0.92, height: 0.92 });
  const queries = Array.from({ length: count }, (_, query) => query);
  const cells = queries.map((query) => queries.slice(0, query + 1).map((key) => svg("rect", place([query, key]))));
  const frames = outlined.map((cell) => svg("rect", { class: "outline", ...place(cell) }));
  const ground = svg("path", { class: "ground", d: queries.map((row) => `M0 ${row}h${row + 1}v1H0z`).join("") });
  const all = [ground, ...cells.flat(), ...frames];
  return {
    element: svg("svg", { class: "widget-picture heat-map", viewBox: `0 0 ${count} ${count}`, "aria-hidden": "true" }, ...all),
    draw: (rows) =>
      rows.forEach((row, query) => row.forEach((weight, key) => cells[query][key].setAttribute("opacity", weight))),
  };
}
