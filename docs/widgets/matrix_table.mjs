/** A matrix as a table of numbers, shaded by size, that shows what belongs to a chosen cell. */
import { decimalsFor, html, show } from "./widget.mjs";

const BY = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const LONGEST = 10; // letters of a token that are shown: all are still read aloud

/** Which part of a matrix a pointed-at place stands for, by what the matrix lights. */
const PARTS = {
  row: ({ row }) => ({ row }),
  column: ({ column }) => ({ column }),
  cell: (place) => place,
};

/**
 * A table for a matrix of matrix_stages.mjs. Pointing at a part chooses it: onChoose({ row, column }), or only one.
 *
 * A choosable matrix is a grid: its chosen cell can be focused, and the arrow keys choose another.
 * light({ row, column }) marks what belongs to the chosen cell of the result.
 */
export function matrixTable({ name, sign, role, numbers, rows, columns, lights, choosable }, onChoose) {
  const largest = Math.max(...numbers.flat().map(Math.abs));
  const cells = shaded(numbers, largest);
  const heads = rows?.map((token) => heading("row", token));
  const tops = columns?.map((token) => heading("col", token));
  const size = `(${numbers.length}, ${numbers[0].length})`;
  const element = html(
    "table",
    { class: `widget-numbers widget-matrix ${role}`, role: choosable ? "grid" : null },
    html("caption", {}, html("span", { class: "sign", text: sign }), ` ${name} `, html("span", { text: size })),
    html("thead", { hidden: !tops }, html("tr", {}, html("td", { hidden: !heads }), ...(tops ?? []))),
    html("tbody", {}, ...cells.map((line, row) => html("tr", {}, ...(heads ? [heads[row]] : []), ...line))),
  );

  eachCell(cells, (cell, place) => {
    const choose = () => onChoose(PARTS[lights](place));
    cell.addEventListener("pointerover", choose);
    cell.addEventListener("click", choose);
  });
  heads?.forEach((head, row) => lights !== "column" && head.addEventListener("pointerover", () => onChoose({ row })));

  let chosen = { row: 0, column: 0 };
  if (choosable) {
    element.addEventListener("keydown", (event) => {
      if (!(event.key in BY)) return;
      event.preventDefault();
      const [down, right] = BY[event.key];
      onChoose({ row: chosen.row + down, column: chosen.column + right });
      cells[chosen.row][chosen.column].focus();
    });
  }

  return {
    element,
    light(cell) {
      chosen = cell;
      const part = Object.entries(PARTS[lights](cell));
      eachCell(cells, (one, place) => {
        const lit = part.every(([axis, value]) => place[axis] === value);
        one.classList.toggle("lit", lit);
        if (choosable) {
          one.tabIndex = lit ? 0 : -1;
          one.setAttribute("aria-selected", String(lit));
        }
      });
      heads?.forEach((head, row) => head.classList.toggle("lit", lights !== "column" && row === cell.row));
      tops?.forEach((top, column) => top.classList.toggle("lit", lights !== "row" && column === cell.column));
    },
  };
}

/** The name of a row or a column. The style sheet cuts a long one; pointing at it shows the whole. */
const heading = (scope, token) =>
  html("th", { scope, title: token.length > LONGEST ? token : null }, html("span", { text: token }));

/** Cells of numbers, each shaded by its share of the largest. */
function shaded(numbers, largest) {
  const decimals = decimalsFor(numbers[0].length);
  const cell = (number) =>
    html("td", {
      text: show(number, decimals),
      class: number < 0 ? "below" : null,
      style: `--share: ${Math.abs(number) / largest}`,
    });
  return numbers.map((row) => row.map(cell));
}

const eachCell = (cells, act) =>
  cells.forEach((line, row) => line.forEach((cell, column) => act(cell, { row, column })));
