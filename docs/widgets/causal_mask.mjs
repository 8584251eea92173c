/**
 * <causal-mask scores="[[…], …]" labels='["Your", …]' d-k="2">: the triangle before and after softmax.
 *
 * Each way from scores to weights is a chain of stages. All stages stand side by side, shaded, or one at a time on a
 * phone; the numbers of one query, chosen above, are written out below.
 */
import { hideFuture, scale, softmax } from "./arithmetic.mjs";
import { headRow, numberTable } from "./number_table.mjs";
import { Widget, choice, define, html, liveLine, say, show } from "./widget.mjs";

const WAYS = {
  before: { words: "before softmax", stages: maskBefore, says: sayBefore },
  repaired: { words: "after, renormalised", stages: maskAndRepair, says: sayRepaired },
  after: { words: "after softmax only", stages: maskAfter, says: sayAfter },
  none: { words: "no mask", stages: noMask, says: sayNone },
};

class CausalMask extends Widget {
  static title = "The causal mask before and after softmax";
  stages = html("div", { class: "mask-stages" });
  turns = html("div", { class: "widget-controls mask-turns" });
  numbers = html("div", {});
  says = liveLine();

  start() {
    this.scores = this.read("scores");
    this.labels = this.read("labels");
    this.dK = this.read("d-k");
    this.state = { query: 1 };
    this.stages.style.setProperty("--count", this.labels.length);
    this.queries = choice({
      legend: "Query",
      options: this.labels.map((label, query) => [String(query), label]),
      value: String(this.state.query),
      onChoose: (query) => this.change({ query: Number(query) }),
    });
    this.append(this.ways(), this.turns, this.overview(), this.says, this.numbers);
    this.follow("before");
  }

  ways() {
    const options = Object.entries(WAYS).map(([way, { words }]) => [way, words]);
    const onChoose = (way) => this.follow(way);
    const choosing = choice({ legend: "Mask", options, value: "before", onChoose });
    return html("div", { class: "widget-controls" }, choosing);
  }

  overview() {
    const stages = html("div", { class: "mask-chain" }, this.queries, this.stages);
    return html("div", { class: "widget-scroll", role: "group", "aria-label": "All stages", tabindex: "0" }, stages);
  }

  /** Takes a way from scores to weights. A phone shows its last stage first, and the others in turn. */
  follow(way) {
    const options = WAYS[way].stages(this.scores, this.dK).map(({ name }, stage) => [String(stage), name]);
    const last = options.length - 1;
    const onChoose = (stage) => this.change({ stage: Number(stage) });
    this.turns.replaceChildren(choice({ legend: "Stage", options, value: String(last), onChoose }));
    this.change({ way, stage: last });
  }

  change(settings) {
    Object.assign(this.state, settings);
    this.draw();
  }

  draw() {
    const { way, stage, query } = this.state;
    const stages = WAYS[way].stages(this.scores, this.dK);
    const ends = endsOf(stages);
    this.stages.replaceChildren(...stages.map((one) => this.matrix(one, ends)));
    this.stages.children[stage].classList.add("shown");
    this.numbers.replaceChildren(this.row(stages, ends));
    say(this.says, `${this.labels[query]}: ${WAYS[way].says(stages, query)}`);
  }

  /** A stage as a shaded matrix: a row for each query, its sum beside it where the stage holds weights. */
  matrix(stage, ends) {
    const keys = this.labels.map((label) => html("span", { text: label }));
    const rows = stage.rows.map((row, query) => {
      const cells = row.map((_, key) => html("i", look(stage, ends, query, key)));
      const sum = stage.isWeights ? [html("b", { text: show(total(row)) })] : [];
      const chosen = query === this.state.query ? "mask-row chosen" : "mask-row";
      return html("div", { class: chosen }, ...cells, ...sum);
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

  /** The numbers of the chosen query in all stages, a line for each key. */
  row(stages, ends) {
    const { query } = this.state;
    const rows = this.labels.map((label, key) => {
      const cells = stages.map((stage) => {
        const number = stage.rows[query][key];
        return html("td", { ...look(stage, ends, query, key), text: number === 0 ? "0" : show(number) });
      });
      return html("tr", {}, html("th", { scope: "row", text: label }), ...cells);
    });
    const sums = stages.map(({ isWeights, rows }) => html("td", { text: isWeights ? show(total(rows[query])) : "" }));
    return numberTable({
      caption: `The row of “${this.labels[query]}”`,
      kind: "mask-numbers",
      heads: [headRow(["key", ...stages.map(({ name }) => name)])],
      rows,
      foot: [html("tr", {}, html("th", { scope: "row", text: "sum" }), ...sums)],
    });
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
  const repaired = stages.at(-1).rows.map((row) => row.map((weight) => weight / total(row)));
  return [...stages, masked({ name: "÷ sum", rows: repaired, isWeights: true })];
}

function maskAfter(scores, dK) {
  const stages = noMask(scores, dK);
  const kept = stages.at(-1).rows.map((row, query) => row.map((weight, key) => (key > query ? 0 : weight)));
  return [...stages, masked({ name: "cut", rows: kept, isWeights: true })];
}

function noMask(scores, dK) {
  const scaled = scale(scores, dK);
  return [raw("scores", scores), raw(`÷ √${dK}`, scaled), softmaxed(scaled)];
}

const raw = (name, rows) => ({ name, rows, isWeights: false });
const softmaxed = (scores) => ({ name: "softmax", rows: scores.map((row) => softmax(row)), isWeights: true });
const masked = (stage) => ({ ...stage, isMasked: true });

const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** A hidden place is hatched. Others are darker where larger: a weight from 0 to 1, a score from the least of all stages to the most. */
function look({ rows, isWeights, isMasked }, [least, most], query, key) {
  if (isMasked && key > query) return { class: "hidden" };
  const [low, high] = isWeights ? [0, 1] : [least, most];
  return { style: `--share: ${((rows[query][key] - low) / (high - low)).toFixed(3)}` };
}

/** The least and the most of all scores, as they are and divided. */
function endsOf(stages) {
  const scores = stages.flatMap(({ rows, isWeights }) => (isWeights ? [] : rows.flat().filter(Number.isFinite)));
  return [Math.min(...scores), Math.max(...scores)];
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
  const row = stages.at(-1).rows[query];
  const isLast = query === row.length - 1;
  const lost = `not 1. The hidden keys took ${show(1 - total(row))} away with them.`;
  return `${writtenOut(row.slice(0, query + 1))}: ${isLast ? "the last query sees every key." : lost}`;
}

function sayNone(stages, query) {
  const row = stages.at(-1).rows[query];
  return `${writtenOut(row)}, of which ${show(total(row.slice(query + 1)))} goes to tokens that come later.`;
}

/** A sum with its terms: 0.3986 + 0.6014 = 1.0000. */
function writtenOut(weights) {
  const terms = weights.map((weight) => show(weight)).join(" + ");
  return weights.length === 1 ? terms : `${terms} = ${show(total(weights))}`;
}

define("causal-mask", CausalMask);
