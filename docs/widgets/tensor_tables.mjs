/**
 * A tensor of two or three dimensions as tables: one table for each matrix in it.
 *
 * Each number keeps the name of its place in memory (`data-place`), so that it can be found again in another picture.
 */
import { html } from "./widget.mjs";

/**
 * The tables. cells: what is in the tensor in reading order, each cell a place and what the page shows of it:
 * { place, text, owner, astray }. owner: a class, for its colour. astray: it stands where another number belongs.
 * dimensions: the names of all but the last, such as ["head", "token"]. name: what each entry of a dimension is called.
 */
export function tensorTables({ shape, dimensions, cells, name = named }) {
  const rows = cut(cells, shape.at(-1));
  const matrices = cut(rows, shape.at(-2));
  const tables = matrices.map((matrix, index) => {
    const caption = shape.length > 2 ? [html("caption", { text: name(dimensions[0], index) })] : [];
    const lines = matrix.map((row, at) => line(name(dimensions.at(-1), at), row));
    return html("table", { class: "tensor-table", style: `--columns: ${shape.at(-1)}` }, ...caption, ...lines);
  });
  return html("div", { class: "tensor" }, ...tables);
}

/** The classes that colour what belongs to a head, or to a token: six and three of them, in turn. */
export const headColour = (head) => `head-${(head % 6) + 1}`;
export const tokenColour = (token) => `token-${(token % 3) + 1}`;

/** People count from 1. */
export const named = (dimension, index) => `${dimension} ${index + 1}`;

function line(name, row) {
  return html("tr", {}, html("th", { scope: "row", text: name }), ...row.map(cell));
}

function cell({ place, text, owner, astray }) {
  const remark = astray ? [html("span", { class: "widget-unseen", text: " in the wrong place" })] : [];
  return html("td", { "data-place": place, class: astray ? `${owner} astray` : owner, text }, ...remark);
}

const cut = (list, length) =>
  Array.from({ length: list.length / length }, (_, index) => list.slice(index * length, (index + 1) * length));
