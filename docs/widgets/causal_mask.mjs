/**
 * <causal-mask scores="[[…], …]" labels='["Your", …]' d-k="2">: the triangle before and after softmax.
 *
 * Each way from scores to weights is a chain of stages. All stages stand side by side, shaded; the numbers of one query, chosen
 * beside them, are written out below.
 */
import { hideFuture, scale, softmax } from "./arithmetic.mjs";
import { headRow, numberTable, row } from "./number_table.mjs";
import { Widget, choice, controls, html, show } from "./widget.mjs";

const WAYS = {
  before: { words: "before softmax", stages: maskBefore, says: sayBefore },
  repaired: { words: "after, renormalised", stages: maskAndRepair, says: sayRepaired },
  after: { words: "after softmax only", stages: maskAfter, says: sayAfter },
  none: { words: "no mask", stages: noMask, says: sayNone },
};

class CausalMask extends Widget {
  static title = "The causal mask before and after softmax";
  stages = html("div", { class: "mask-stages" });
  numbers = html("div", {});

  start() {
    [this.scores, this.labels, this.dK] = ["scores", "labels", "d-k"].map((name) => this.read(name));
    this.stages.style.setProperty("--count", this.labels.length);
    const ways = choice({
      legend: "Mask",
      options: Object.values(WAYS).map(({ words }) => words),
      values: Object.keys(WAYS),
      onChoose: (way) => this.draw({ way }),
    });
    const queries = choice({ legend: "Query", options: this.labels, value: 1, onChoose: (query) => this.draw({ query }) });
    const chain = html("div", { class: "mask-chain" }, queries, this.stages);
    this.append(
      controls(ways),
      html("div", { class: "widget-scroll", role: "group", "aria-label": "All stages", tabindex: "0" }, chain),
      this.says,
      this.numbers,
    );
    this.draw({ way: "before", query: 1 });
  }

  draw(settings) {
    Object.assign(this, settings);
    const { way, query, labels } = this;
    const stages = WAYS[way].stages(this.scores, this.dK);
    const scores = stages.flatMap(({ rows, isWeights }) => (isWeights ? [] : rows.flat().filter(Number.isFinite)));
    const ends = [Math.min(...scores), Math.max(...scores)];
    this.stages.replaceChildren(...stages.map((stage) => this.matrix(stage, ends)));
    const lines = labels.map((label, key) => {
      const text = ({ rows }) => (rows[query][key] === 0 ? "0" : show(rows[query][key]));
      return row(label, stages.map((stage) => ({ ...look(stage, ends, query, key), text: text(stage) })));
    });
    const sums = stages.map(({ isWeights, rows }) => (isWeights ? show(total(rows[query])) : ""));
    const table = numberTable({
      caption: `The row of “${labels[query]}”`,
      kind: "mask-numbers",
      heads: [headRow(["key", ...stages.map(({ name }) => name)])],
      rows: lines,
      foot: [row("sum", sums)],
    });
    this.numbers.replaceChildren(table);
    this.say(`${labels[query]}: ${WAYS[way].says(stages, query)}`);
  }

  /** A stage as a shaded matrix: a row for each query, its sum beside it where the stage holds weights. */
  matrix(stage, ends) {
    const keys = this.labels.map((label) => html("span", { text: label }));
    const rows = stage.rows.map((numbers, query) => {
      const cells = numbers.map((_, key) => html("i", look(stage, ends, query, key)));
      const sum = stage.isWeights ? [html("b", { text: show(total(numbers)) })] : [];
      return html("div", { class: query === this.query ? "mask-row chosen" : "mask-row" }, ...cells, ...sum);
    });
    const name = `${stage.name}: a row for each query, a column for each key, darker where larger`;
    return html(
      "div",
      { class: "mask-matrix", role: "img", "aria-label": name },
      html("p", { text: stage.name }),
      html("div", { class: "mask-keys" }, ...keys, ...(stage.isWeights ? [html("b", { text: "sum" })] : [])),
      ...rows,
    );
  }
}

function maskBefore(scores, dK) {
  const hidden = hideFuture(scores);
  const scaled = scale(hidden, dK);
  return [
    raw("scores", scores),
    masked(raw("masked", hidden)),
    masked(raw(`÷ √${dK}`, scaled)),
    masked(softmaxed(scaled)),
  ];
}

function maskAndRepair(scores, dK) {
  const stages = maskAfter(scores, dK);
  const repaired = stages.at(-1).rows.map((weights) => weights.map((weight) => weight / total(weights)));
  return [...stages, masked({ name: "÷ sum", rows: repaired, isWeights: true })];
}

function maskAfter(scores, dK) {
  const stages = noMask(scores, dK);
  const kept = stages.at(-1).rows.map((weights, query) => weights.map((weight, key) => (key > query ? 0 : weight)));
  return [...stages, masked({ name: "cut", rows: kept, isWeights: true })];
}

function noMask(scores, dK) {
  const scaled = scale(scores, dK);
  return [raw("scores", scores), raw(`÷ √${dK}`, scaled), softmaxed(scaled)];
}

const raw = (name, rows) => ({ name, rows, isWeights: false });
const softmaxed = (scores) => ({ name: "softmax", rows: scores.map((numbers) => softmax(numbers)), isWeights: true });
const masked = (stage) => ({ ...stage, isMasked: true });

const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** A hidden place is hatched. Others are darker where larger: a weight from 0 to 1, a score from the least of all stages to the most. */
function look({ rows, isWeights, isMasked }, [least, most], query, key) {
  if (isMasked && key > query) return { class: "hidden" };
  const [low, high] = isWeights ? [0, 1] : [least, most];
  return { style: `--share: ${((rows[query][key] - low) / (high - low)).toFixed(3)}` };
}

function sayBefore(stages, query) {
  const visible = stages.at(-1).rows[query].slice(0, query + 1);
  return `${writtenOut(visible)}. The softmax shares 1 among the visible keys alone.`;
}

function sayRepaired(stages, query) {
  const [cut, repaired] = stages.slice(-2).map(({ rows }) => rows[query].slice(0, query + 1));
  return `${writtenOut(cut)} is left. Each divided by it: ${writtenOut(repaired)}, as when masked before.`;
}

function sayAfter(stages, query) {
  const weights = stages.at(-1).rows[query];
  const isLast = query === weights.length - 1;
  const lost = `not 1. The hidden keys took ${show(1 - total(weights))} away with them.`;
  return `${writtenOut(weights.slice(0, query + 1))}: ${isLast ? "the last query sees every key." : lost}`;
}

function sayNone(stages, query) {
  const weights = stages.at(-1).rows[query];
  return `${writtenOut(weights)}, of which ${show(total(weights.slice(query + 1)))} goes to tokens that come later.`;
}

/** A sum with its terms: 0.3986 + 0.6014 = 1.0000. */
function writtenOut(weights) {
  const terms = weights.map((weight) => show(weight)).join(" + ");
  return weights.length === 1 ? terms : `${terms} = ${show(total(weights))}`;
}

customElements.define("causal-mask", CausalMask);
