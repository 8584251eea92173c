/**
 * Attention tile by tile, with a running maximum, sum and context for each query.
 *
 *     <flash-tiles queries="[[x, y], …]" keys="[[x, y], …]" values="[[x, y], …]" labels='["Your", …]'>
 *
 * A tile is all queries with some of the keys. Its scores exist only while it is looked at.
 */
import { attention, hideFuture, tilesOfRow } from "./arithmetic.mjs";
import { facts, headRow, numberTable, row } from "./number_table.mjs";
import { Widget, choice, controls, html, show, slider } from "./widget.mjs";

const SIZES = [1, 2, 4]; // of a tile, in keys; and all keys at once
const MASKS = ["none", "causal"];

class FlashTiles extends Widget {
  static title = "Attention tile by tile";
  pictures = html("div", { class: "widget-row" });
  steps = controls();
  facts = facts();

  start() {
    const [queries, keys, values, labels] = ["queries", "keys", "values", "labels"].map((name) => this.read(name));
    Object.assign(this, { values, labels });
    this.ways = { none: attention(queries, keys, values), causal: attention(queries, keys, values, { causal: true }) };
    this.state = { size: 1, mask: "none", query: 1, step: 0 };
    const count = this.labels.length;
    this.append(
      controls(
        choice({
          legend: "Keys in a tile",
          options: [...SIZES, `all ${count}`],
          values: [...SIZES, count],
          onChoose: (size) => this.cut(size),
        }),
        choice({ legend: "Mask", options: MASKS, values: MASKS, onChoose: (mask) => this.change({ mask }) }),
      ),
      this.steps,
      choice({ legend: "Query", options: this.labels, value: 1, onChoose: (query) => this.change({ query }) }),
      this.pictures,
      this.facts.element,
      this.says,
    );
    this.cut(1);
    this.change({ step: 1 }); // the first that has something to correct
    this.stepper.moveTo(1);
  }

  /** Cuts the keys into tiles of a size, and begins with the first. After the last tile comes the division. */
  cut(size) {
    const count = Math.ceil(this.labels.length / size);
    this.stepper = slider({
      label: "Tile",
      max: count,
      describe: (step) => (step < count ? `${step + 1} of ${count}` : "÷ sum"),
      onInput: (step) => this.change({ step }),
    });
    this.steps.replaceChildren(this.stepper);
    this.change({ size, step: 0 });
  }

  change(settings) {
    Object.assign(this.state, settings);
    const { size, mask, step, query } = this.state;
    const { scaled, context } = this.ways[mask];
    const scores = mask === "causal" ? hideFuture(scaled) : scaled;
    const tiles = tilesOfRow(scores[query], this.values, size);
    const title = `The row of “${this.labels[query]}”`;
    const isLast = step === tiles.length;
    const known = isLast ? dividedTable(tiles.at(-1).after, context[query], title) : runningTable(tiles[step], title);
    this.pictures.replaceChildren(this.matrix(scores), known);
    const tokens = this.labels.length;
    const width = Math.max(0, Math.min(size, tokens - step * size));
    const long = this.values[0].length;
    this.facts.draw({
      "scores that exist now": `${tokens} × ${width} = ${tokens * width}`,
      "without tiles": `${tokens} × ${tokens} = ${tokens * tokens}`,
      "kept for a query: maximum, sum, context": `1 + 1 + ${long} = ${2 + long}`,
    });
    this.say(isLast ? this.sayEnd(context[query]) : this.sayTile(tiles[step]));
  }

  /** The scores that exist now, among those that are forgotten and those that are yet to come. */
  matrix(scores) {
    const { size, step, query } = this.state;
    const visible = scores.flat().filter(Number.isFinite);
    const [low, high] = [Math.min(...visible), Math.max(...visible)];
    const cellOf = (score, key) => {
      const tile = Math.floor(key / size);
      if (tile < step) return { class: "forgotten", "aria-label": "forgotten" };
      if (tile > step) return { class: "later", "aria-label": "not yet" };
      if (score === -Infinity) return { class: "hidden", text: "−∞" };
      return { style: `--share: ${((score - low) / (high - low)).toFixed(3)}`, text: show(score, 2) };
    };
    const rows = scores.map((line, place) => row(this.labels[place], line.map(cellOf), place === query && "chosen"));
    const heads = [headRow(["", ...this.labels], "upright")];
    return numberTable({ caption: "Scores: grey ones are forgotten", kind: "flash-scores", heads, rows });
  }

  sayTile({ start, before, tile, correction, after }) {
    const names = this.labels.slice(start, start + this.state.size).map((label) => `“${label}”`).join(", ");
    const where = `Row “${this.labels[this.state.query]}”, tile ${names}`;
    const [was, is] = [show(before.maximum), show(after.maximum)];
    if (start === 0) return `${where}: the first tile. Its largest score, ${is}, is the maximum so far.`;
    if (tile.maximum === -Infinity) return `${where}: hidden from this query. Nothing changes.`;
    if (is === was) return `${where}: no score is larger than ${was}, so nothing needs a correction.`;
    return (
      `${where}: the maximum rises from ${was} to ${is}. What was added up so far was relative to the old one: ` +
      `times exp(${was} − ${is}) = ${show(correction)}.`
    );
  }

  sayEnd(context) {
    const numbers = context.map((number) => show(number)).join(", ");
    const row = `Row “${this.labels[this.state.query]}”`;
    return `${row}, the context divided by the sum: ${numbers}, as with one softmax over the whole row.`;
  }
}

/** So far, times the correction, plus this tile: what a row knows now. */
function runningTable({ before, tile, correction, after }, caption) {
  const line = (name, numberOf, factor) => [name, numberOf(before), factor, numberOf(tile), numberOf(after)];
  const contexts = after.context.map((_, place) =>
    line(`context ${place + 1}`, ({ context }) => context[place], correction),
  );
  const sums = [line("maximum", ({ maximum }) => maximum, null), line("sum", ({ sum }) => sum, correction)];
  return rowTable(caption, ["", "so far", "× correction", "tile", "now"], [...sums, ...contexts]);
}

/** The running context divided by the sum, beside what one softmax over the whole row gives. */
function dividedTable({ sum, context }, right, caption) {
  const lines = context.map((number, place) => [`context ${place + 1}`, number, sum, number / sum, right[place]]);
  return rowTable(caption, ["", "so far", "÷ sum", "now", "at once"], lines);
}

/** A table in which null is nothing, and a sum of nothing a plain 0. */
function rowTable(caption, names, lines) {
  const written = (number) => (number === null ? "" : number === 0 ? "0" : show(number));
  const rows = lines.map(([name, ...numbers]) => row(name, numbers.map(written)));
  return numberTable({ caption, kind: "flash-row", heads: [headRow(names)], rows });
}

customElements.define("flash-tiles", FlashTiles);
