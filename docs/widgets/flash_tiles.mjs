/**
 * Attention tile by tile, with a running maximum, sum and context for each query.
 *
 *     <flash-tiles queries="[[x, y], …]" keys="[[x, y], …]" values="[[x, y], …]" labels='["Your", …]'>
 *
 * A tile is all queries with some of the keys. Its scores exist only while it is looked at.
 */
import { attention, hideFuture, tilesOfRow } from "./arithmetic.mjs";
import { fact, headRow, numberTable } from "./number_table.mjs";
import { stepper } from "./stepper.mjs";
import { Widget, choice, define, html, liveLine, say, show } from "./widget.mjs";

const SIZES = [1, 2, 4]; // of a tile, in keys; and all keys at once

class FlashTiles extends Widget {
  static title = "Attention tile by tile";
  steps = html("div", {});
  scores = html("div", {});
  row = html("div", {});
  facts = html("dl", { class: "widget-facts" });
  says = liveLine();

  start() {
    const [queries, keys, values] = ["queries", "keys", "values"].map((attribute) => this.read(attribute));
    this.labels = this.read("labels");
    this.values = values;
    this.ways = { none: attention(queries, keys, values), causal: attention(queries, keys, values, { causal: true }) };
    this.state = { size: 1, mask: "none", query: 1, step: 0 };
    const pictures = html("div", { class: "widget-row" }, this.scores, this.row);
    this.append(this.controls(), this.steps, this.queries, pictures, this.facts, this.says);
    this.cut(this.state.size);
    this.change({ step: 1 }); // the first that has something to correct
  }

  controls() {
    const count = this.labels.length;
    const sizes = choice({
      legend: "Keys in a tile",
      options: [...SIZES, count].map((size) => [String(size), size === count ? `all ${count}` : String(size)]),
      value: String(this.state.size),
      onChoose: (size) => this.cut(Number(size)),
    });
    const masks = choice({
      legend: "Mask",
      options: [
        ["none", "none"],
        ["causal", "causal"],
      ],
      value: this.state.mask,
      onChoose: (mask) => this.change({ mask }),
    });
    this.queries = choice({
      legend: "Query",
      options: this.labels.map((label, query) => [String(query), label]),
      value: String(this.state.query),
      onChoose: (query) => this.change({ query: Number(query) }),
    });
    return html("div", { class: "widget-controls" }, sizes, masks);
  }

  /** Cuts the keys into tiles of a size, and begins with the first. After the last tile comes the division. */
  cut(size) {
    this.count = Math.ceil(this.labels.length / size);
    this.stepper = stepper({
      label: "Tile",
      count: this.count + 1,
      describe: (step) => (step < this.count ? `${step + 1} of ${this.count}` : "÷ sum"),
      onStep: (step) => this.change({ step }),
    });
    this.steps.replaceChildren(this.stepper.element);
    this.change({ size, step: 0 });
  }

  change(settings) {
    Object.assign(this.state, settings);
    const { size, mask, step, query } = this.state;
    const { scaled, context } = this.ways[mask];
    const scores = mask === "causal" ? hideFuture(scaled) : scaled;
    const tiles = tilesOfRow(scores[query], this.values, size);
    this.stepper.moveTo(step);
    this.scores.replaceChildren(this.matrix(scores));
    this.row.replaceChildren(
      step < this.count
        ? runningTable(tiles[step], this.title())
        : dividedTable(tiles.at(-1).after, context[query], this.title()),
    );
    this.facts.replaceChildren(...this.counts());
    say(this.says, step < this.count ? this.sayTile(tiles[step]) : this.sayEnd(context[query]));
  }

  title() {
    return `The row of “${this.labels[this.state.query]}”`;
  }

  /** The scores that exist now, among those that are forgotten and those that are yet to come. */
  matrix(scores) {
    const { size, step } = this.state;
    const visible = scores.flat().filter(Number.isFinite);
    const [low, high] = [Math.min(...visible), Math.max(...visible)];
    const cellOf = (score, key) => {
      const tile = Math.floor(key / size);
      if (tile < step) return html("td", { class: "forgotten" }, unseen("forgotten"));
      if (tile > step) return html("td", { class: "later" }, unseen("not yet"));
      if (score === -Infinity) return html("td", { class: "hidden", text: "−∞" });
      return html("td", { style: `--share: ${((score - low) / (high - low)).toFixed(3)}`, text: show(score, 2) });
    };
    const rows = scores.map((row, place) =>
      html(
        "tr",
        { class: place === this.state.query && "chosen" },
        html("th", { scope: "row", text: this.labels[place] }),
        ...row.map(cellOf),
      ),
    );
    const keys = this.labels.map((label) => html("th", { scope: "col", class: "upright", text: label }));
    const heads = [html("tr", {}, html("td", {}), ...keys)];
    return numberTable({ caption: "Scores: grey ones are forgotten", kind: "flash-scores", heads, rows });
  }

  /** The counts of numbers that exist now, and that would without tiles. */
  counts() {
    const { size, step } = this.state;
    const tokens = this.labels.length;
    const width = Math.max(0, Math.min(size, tokens - step * size));
    return [
      fact("scores that exist now", `${tokens} × ${width} = ${tokens * width}`),
      fact("without tiles", `${tokens} × ${tokens} = ${tokens * tokens}`),
      fact("kept for a query: maximum, sum, context", `1 + 1 + ${this.values[0].length} = ${2 + this.values[0].length}`),
    ];
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
    return `Row “${this.labels[this.state.query]}”, the context divided by the sum: ${pairOf(context)}, as with one softmax over the whole row.`;
  }
}

const unseen = (text) => html("span", { class: "widget-unseen", text });

const pairOf = (vector) => vector.map((number) => show(number)).join(", ");

/** So far, times the correction, plus this tile: what a row knows now. */
function runningTable({ before, tile, correction, after }, caption) {
  const contexts = after.context.map((_, place) => [
    `context ${place + 1}`,
    before.context[place],
    correction,
    tile.context[place],
    after.context[place],
  ]);
  const lines = [
    ["maximum", before.maximum, null, tile.maximum, after.maximum],
    ["sum", before.sum, correction, tile.sum, after.sum],
    ...contexts,
  ];
  return rowTable(caption, ["", "so far", "× correction", "tile", "now"], lines);
}

/** The running context divided by the sum, beside what one softmax over the whole row gives. */
function dividedTable({ sum, context }, right, caption) {
  const lines = context.map((number, place) => [`context ${place + 1}`, number, sum, number / sum, right[place]]);
  return rowTable(caption, ["", "so far", "÷ sum", "now", "at once"], lines);
}

function rowTable(caption, names, lines) {
  const rows = lines.map(([name, ...numbers]) => {
    const cells = numbers.map((number) => html("td", { text: written(number) }));
    return html("tr", {}, html("th", { scope: "row", text: name }), ...cells);
  });
  return numberTable({ caption, kind: "flash-row", heads: [headRow(names)], rows });
}

/** Nothing where a line has no number; a plain 0 where nothing has been added up. */
function written(number) {
  if (number === null) return "";
  return number === 0 ? "0" : show(number);
}

define("flash-tiles", FlashTiles);
