/** A matrix as a table of numbers, shaded by size, that shows what belongs to a chosen cell. */
import { decimalsFor, html, show } from "./widget.mjs";

const BY = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

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
  const decimals = decimalsFor(numbers[0].length);
  const cellOf = (number, place) => {
    const choose = () => onChoose(PARTS[lights](place));
    return html("td", {
      text: show(number, decimals),
      class: number < 0 ? "below" : null,
      style: `--share: ${Math.abs(number) / largest}`,
      onpointerover: choose,
      onclick: choose,
    });
  };
  const cells = numbers.map((line, row) => line.map((number, column) => cellOf(number, { row, column })));
  const heads = rows?.map((text) => html("th", { scope: "row", text }));
  const tops = columns?.map((text) => html("th", { scope: "col", text }));
  const element = html(
    "table",
    { class: `widget-numbers widget-matrix ${role}`, role: choosable ? "grid" : null },
    html("caption", { text: `${sign} ${name} (${numbers.length}, ${numbers[0].length})` }),
    html("thead", { hidden: !tops }, html("tr", {}, html("td", { hidden: !heads }), ...(tops ?? []))),
    html("tbody", {}, ...cells.map((line, row) => html("tr", {}, ...(heads ? [heads[row]] : []), ...line))),
  );

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
      cells.forEach((line, row) =>
        line.forEach((one, column) => {
          const lit = part.every(([axis, value]) => ({ row, column })[axis] === value);
          one.classList.toggle("lit", lit);
          if (choosable) {
            one.tabIndex = lit ? 0 : -1;
            one.setAttribute("aria-selected", String(lit));
          }
        }),
      );
      heads?.forEach((head, row) => head.classList.toggle("lit", lights !== "column" && row === cell.row));
      tops?.forEach((top, column) => top.classList.toggle("lit", lights !== "row" && column === cell.column));
    },
  };
}
