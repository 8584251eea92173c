/**
 * Steps through the matrix products of attention: inputs, queries, keys, values, scores, scaled, weights, context.
 *
 *     <matrix-products examples='[{"name": "…", "tokens": […], "inputs": [[…], …]}, …]'
 *                      w-query="[[…], …]" w-key="[[…], …]" w-value="[[…], …]">
 *
 * Readers may write a sentence of their own; its unknown words get made-up embeddings.
 */
import { STAGES, stages } from "./matrix_stages.mjs";
import { matrixTable } from "./matrix_table.mjs";
import { embedding, vocabulary, wordsOf } from "./sentence.mjs";
import { Widget, button, choice, define, html, liveLine, say } from "./widget.mjs";

const MOST_WORDS = 8;
const OWN = "own";
const FIRST_WORDS = "every step starts a journey";

class MatrixProducts extends Widget {
  static title = "Attention as matrix products, step by step";

  start() {
    this.examples = this.read("examples");
    this.projections = ["w-query", "w-key", "w-value"].map((attribute) => this.read(attribute));
    this.known = vocabulary(this.examples);
    this.ownWords = FIRST_WORDS;
    this.sentence = "0";
    this.stage = 0;
    this.cell = { row: 1, column: 1 };

    this.field = ownSentence(this.ownWords, (ownWords) => this.change({ ownWords }));
    this.steps = stepList((stage) => this.change({ stage }));
    this.says = html("p", { class: "widget-note" });
    this.matrices = html("div", { class: "widget-scroll matrices" });
    this.line = liveLine();
    const controls = html("div", { class: "widget-controls" }, this.steps.back, this.steps.next);
    this.result = html("div", {}, this.steps.list, controls, this.says, this.matrices, this.line);
    this.append(
      choice({
        legend: "Sentence",
        options: [...this.examples.map(({ name }, place) => [String(place), name]), [OWN, "your own words"]],
        value: this.sentence,
        onChoose: (sentence) => this.change({ sentence }),
      }),
      this.field.element,
      this.result,
    );
    this.change({});
  }

  /** Takes a new sentence or stage, and shows the matrices that follow from it. */
  change(changed) {
    Object.assign(this, changed);
    this.field.element.hidden = this.sentence !== OWN;
    const { tokens, inputs } = this.sentence === OWN ? this.embed(this.ownWords) : this.examples[Number(this.sentence)];
    this.result.hidden = tokens.length === 0;
    if (tokens.length === 0) return;
    this.shown = stages({ tokens, inputs, projections: this.projections })[this.stage];
    this.steps.draw(this.stage);
    this.says.textContent = this.shown.says;
    this.showMatrices();
    this.choose(this.cell);
  }

  /** The tokens of the reader's own text, with known or made-up embeddings. */
  embed(text) {
    const words = wordsOf(text);
    const tokens = words.slice(0, MOST_WORDS);
    this.field.remark.textContent = remark(words);
    return { tokens, inputs: tokens.map((token) => this.known.get(token.toLowerCase()) ?? embedding(token)) };
  }

  showMatrices() {
    const choose = (cell) => this.choose(cell);
    this.tables = [...this.shown.operands, this.shown.result].map((matrix) => matrixTable(matrix, choose));
    this.matrices.replaceChildren(...this.tables.map(({ element }) => element));
  }

  /** Chooses a cell of the result, by row, by column or by both, and says how its number is made. */
  choose(wanted) {
    const numbers = this.shown.result.numbers;
    const { row, column } = { ...this.cell, ...wanted };
    this.cell = { row: clamp(row, numbers.length), column: clamp(column, numbers[0].length) };
    for (const table of this.tables) table.light(this.cell);
    const tokens = this.shown.result.rows;
    const across = this.shown.result.columns?.[this.cell.column] ?? `number ${this.cell.column + 1}`;
    say(this.line, `${tokens[this.cell.row]}, ${across}: ${this.shown.written(this.cell.row, this.cell.column)}`);
  }
}

const clamp = (place, length) => Math.min(Math.max(place, 0), length - 1);

/** A remark on the reader's words if there are none, or too many. */
function remark(words) {
  if (words.length === 0) return "Write a word to see its numbers.";
  if (words.length <= MOST_WORDS) return "";
  return `The numbers are those of the first ${MOST_WORDS} words, up to “${words[MOST_WORDS - 1]}”.`;
}

/** A field for up to eight words, a remark on them, and a word about where their numbers come from. */
function ownSentence(words, onInput) {
  const field = html("input", { type: "text", value: words, spellcheck: "false", autocomplete: "off" });
  field.addEventListener("input", () => onInput(field.value));
  const remarkLine = html("p", { class: "own-remark", role: "status" });
  return {
    remark: remarkLine,
    element: html(
      "div",
      { class: "own-sentence" },
      html("label", {}, html("span", { text: `Your words (at most ${MOST_WORDS})` }), field),
      remarkLine,
      html("p", {
        class: "widget-note",
        text:
          "Words of the two sentences keep their embeddings. Any other word gets three made-up numbers from 0 to 1, " +
          "a hash of its letters: they flow as real ones would, and mean nothing.",
      }),
    ),
  };
}

/** Back, the names of all stages, and next. */
function stepList(onStep) {
  let current = 0;
  const go = (stage) => onStep(clamp(stage, STAGES.length));
  const steps = STAGES.map((text, place) => html("button", { type: "button", text, onclick: () => go(place) }));
  const list = html("ol", { class: "steps", "aria-label": "Stages" }, ...steps.map((step) => html("li", {}, step)));
  const back = button("Back", () => go(current - 1));
  const next = button("Next", () => go(current + 1));
  return {
    list,
    back,
    next,
    draw(stage) {
      current = stage;
      steps.forEach((step, place) => step.setAttribute("aria-current", place === stage ? "step" : "false"));
      back.disabled = stage === 0;
      next.disabled = stage === steps.length - 1;
    },
  };
}

define("matrix-products", MatrixProducts);
