/**
 * Steps through the matrix products of attention: inputs, queries, keys, values, scores, scaled, weights, context.
 *
 *     <matrix-products examples='[{"name": "…", "tokens": […], "inputs": [[…], …]}, …]'
 *                      w-query="[[…], …]" w-key="[[…], …]" w-value="[[…], …]">
 */
import { STAGES, stages } from "./matrix_stages.mjs";
import { matrixTable } from "./matrix_table.mjs";
import { Widget, choice, controls, html } from "./widget.mjs";

class MatrixProducts extends Widget {
  static title = "Attention as matrix products, step by step";

  start() {
    this.examples = this.read("examples");
    this.projections = ["w-query", "w-key", "w-value"].map((attribute) => this.read(attribute));
    Object.assign(this, { sentence: 0, stage: 0, cell: { row: 1, column: 1 } });
    this.note = html("p", { class: "widget-note" });
    this.matrices = html("div", { class: "widget-scroll matrices" });
    const sentences = this.examples.map(({ name }) => name);
    this.append(
      controls(
        choice({ legend: "Sentence", options: sentences, onChoose: (sentence) => this.change({ sentence }) }),
        choice({ legend: "Stage", options: STAGES, onChoose: (stage) => this.change({ stage }) }),
      ),
      this.note,
      this.matrices,
      this.says,
    );
    this.change({});
  }

  /** Takes a new sentence or stage, and shows the matrices that follow from it. */
  change(changed) {
    Object.assign(this, changed);
    this.shown = stages({ ...this.examples[this.sentence], projections: this.projections })[this.stage];
    this.note.textContent = this.shown.says;
    const matrices = [...this.shown.operands, this.shown.result];
    this.tables = matrices.map((matrix) => matrixTable(matrix, (cell) => this.choose(cell)));
    this.matrices.replaceChildren(...this.tables.map(({ element }) => element));
    this.choose(this.cell);
  }

  /** Chooses a cell of the result, by row, by column or by both, and says how its number is made. */
  choose(wanted) {
    const { numbers, rows, columns } = this.shown.result;
    const { row, column } = { ...this.cell, ...wanted };
    this.cell = { row: clamp(row, numbers.length), column: clamp(column, numbers[0].length) };
    for (const table of this.tables) table.light(this.cell);
    const across = columns?.[this.cell.column] ?? `number ${this.cell.column + 1}`;
    this.say(`${rows[this.cell.row]}, ${across}: ${this.shown.written(this.cell.row, this.cell.column)}`);
  }
}

const clamp = (place, length) => Math.min(Math.max(place, 0), length - 1);

customElements.define("matrix-products", MatrixProducts);
