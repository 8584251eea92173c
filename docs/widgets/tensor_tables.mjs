/**
 * A tensor of two or three dimensions as tables: one table for each matrix in it.
 *
 * Each number keeps the name of its place in memory (`data-place`), so that it can be found again in another picture.
 */
import { Tensor } from "./tensor_language/tensor.mjs";
import { html } from "./widget.mjs";

/** A tensor of a shape whose numbers stand in memory in reading order. Only its places matter. */
export const memory = (...shape) => new Tensor("int", shape, []);

/**
 * The tables. layout: a tensor of `memory`, read in some way. cellOf(place, at): what the page shows of the place in memory that is
 * read as number `at`, { text, owner, astray }. owner: a class, for its colour. astray: it stands where another number belongs.
 * dimensions: the names of all but the last, such as ["head", "token"]. name: what each entry of a dimension is called.
 */
export function tensorTables(layout, dimensions, cellOf, name = named) {
  const { shape } = layout;
  const cells = layout.places().map((place, at) => cell(place, cellOf(place, at)));
  const lines = cut(cells, shape.at(-1)).map((row, at) =>
    html("tr", {}, html("th", { scope: "row", text: name(dimensions.at(-1), at % shape.at(-2)) }), ...row),
  );
  const tables = cut(lines, shape.at(-2)).map((rows, index) => {
    const caption = shape.length > 2 ? [html("caption", { text: name(dimensions[0], index) })] : [];
    return html("table", { class: "tensor-table", style: `--columns: ${shape.at(-1)}` }, ...caption, ...rows);
  });
  return html("div", { class: "tensor" }, ...tables);
}

/** The classes that colour what belongs to a head, or to a token: six and three of them, in turn. */
export const headColour = (head) => `head-${(head % 6) + 1}`;
export const tokenColour = (token) => `token-${(token % 3) + 1}`;

/** People count from 1. */
export const named = (dimension, index) => `${dimension} ${index + 1}`;

function cell(place, { text, owner, astray }) {
  const remark = astray ? [html("span", { class: "widget-unseen", text: " in the wrong place" })] : [];
  return html("td", { "data-place": place, class: astray ? `${owner} astray` : owner, text }, ...remark);
}

const cut = (list, length) =>
  Array.from({ length: list.length / length }, (_, index) => list.slice(index * length, (index + 1) * length));
