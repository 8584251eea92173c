/**
 * Rotary positions: each pair of numbers of a query and a key is a point that turns as its position grows.
 *
 *     <rotary-rotation query="[…]" key="[…]">
 *
 * Both have the same, even length. Pairs are counted from 0: pair i holds the numbers 2i and 2i + 1.
 */
import { dot, turn, turningSpeeds } from "./arithmetic.mjs";
import { headRow, numberTable, row } from "./number_table.mjs";
import { arrow, figure, lengthOf, plane } from "./plane.mjs";
import { Widget, choice, html, show, slider, svg } from "./widget.mjs";

const LAST = 63; // position
const RADIUS = 90; // of the longer of two arrows, in units of the picture

class RotaryRotation extends Widget {
  static title = "Queries and keys that rotate with their positions";
  table = html("div", {});
  plane = plane("rotary-plane", "-126 -112 252 224");

  start() {
    const [query, key] = [pairsOf(this.read("query")), pairsOf(this.read("key"))];
    this.pairs = turningSpeeds(2 * query.length).map((speed, pair) => ({ speed, query: query[pair], key: key[pair] }));
    this.state = { pair: 0, query: 5, key: 2 };
    const strip = choice({
      legend: "Radians that each pair rotates by, from one position to the next",
      options: this.pairs.map(({ speed }, pair) => `pair ${pair}: ${speedOf(speed)}`),
      kind: "rotary-strip",
      onChoose: (pair) => this.change({ pair }),
    });
    const position = (label, onInput) => slider({ label, max: LAST, onInput });
    this.queryAt = position("Query at", (at) => this.change({ query: at }));
    this.keyAt = position("Key at", (at) => this.change({ key: at }));
    this.both = position("Move both, first at", (first) => this.moveBoth(first));
    const sliders = html("div", { class: "rotary-sliders" }, this.queryAt, this.keyAt, this.both);
    const picture = figure("Faded: as they came. Strong: rotated by their positions", this.plane);
    const columns = html("div", { class: "widget-columns" }, picture, html("div", {}, sliders, this.table));
    this.append(strip, columns, this.says);
    this.change({});
  }

  /** Moves both by the same amount, so that the first of them stands at a position. */
  moveBoth(first) {
    const { query, key } = this.state;
    const by = first - Math.min(query, key);
    this.change({ query: query + by, key: key + by });
  }

  change(settings) {
    Object.assign(this.state, settings);
    const { pair, query, key } = this.state;
    this.queryAt.moveTo(query);
    this.keyAt.moveTo(key);
    this.both.querySelector("input").max = LAST - Math.abs(query - key);
    this.both.moveTo(Math.min(query, key));
    const turned = this.pairs.map((one) => turnedPair(one, query, key));
    this.plane.replaceChildren(...arrows(this.pairs[pair], turned[pair]));
    const { queryAngle, keyAngle, score } = turned[pair];
    const whole = show(turned.reduce((sum, one) => sum + one.score, 0));
    this.table.replaceChildren(scoreTable(turned, whole, pair));
    this.say(
      `Pair ${pair}: the query is rotated by ${query} × ${speedOf(this.pairs[pair].speed)} = ${show(queryAngle, 3)}, ` +
        `the key by ${show(keyAngle, 3)}. Its part of the score is ${show(score)}; ` +
        `the score is ${whole} wherever the query stands ${distance(query - key)}.`,
    );
  }
}

const pairsOf = (vector) => vector.filter((_, place) => place % 2 === 0).map((x, pair) => [x, vector[2 * pair + 1]]);

const speedOf = (speed) => String(Number(speed.toPrecision(2)));

function distance(difference) {
  if (difference === 0) return "where the key does";
  return `${Math.abs(difference)} ${difference > 0 ? "after" : "before"} the key`;
}

/** A pair at two positions: its arrows, turned, by which angles, and their dot product. */
function turnedPair({ speed, query, key }, queryPosition, keyPosition) {
  const [queryAngle, keyAngle] = [queryPosition * speed, keyPosition * speed];
  const [turnedQuery, turnedKey] = [turn(query, queryAngle), turn(key, keyAngle)];
  return { query: turnedQuery, key: turnedKey, queryAngle, keyAngle, score: dot(turnedQuery, turnedKey) };
}

/** All pairs as a table: how far query and key are turned, and what each adds to the score. whole: the score, as it is shown. */
function scoreTable(turned, whole, chosen) {
  const rows = turned.map(({ queryAngle, keyAngle, score }, pair) =>
    row(pair, [show(queryAngle, 3), show(keyAngle, 3), show(score)], pair === chosen && "chosen"),
  );
  return numberTable({
    caption: "Rotated, in radians",
    kind: "rotary-scores",
    heads: [headRow(["pair", "query by", "key by", "score"])],
    rows,
    foot: [row("sum", ["", "", whole])],
  });
}

/** The arrows of one pair: pale as they came, strong as they are turned, with the angle between them. */
function arrows({ query, key }, turned) {
  const unit = RADIUS / Math.max(lengthOf(query), lengthOf(key));
  const drawn = ([x, y], kind) => arrow([0, 0], [x * unit, -y * unit], kind, 3);
  const name = ([x, y], text) => {
    const far = unit + 14 / lengthOf([x, y]);
    return svg("text", { x: x * far, y: -y * far, "text-anchor": "middle", "dominant-baseline": "central", text });
  };
  return [
    svg("circle", { class: "axis", r: RADIUS }),
    sector(turned.key, turned.query),
    drawn(query, "query pale"),
    drawn(key, "key pale"),
    drawn(turned.query, "query"),
    drawn(turned.key, "key"),
    name(turned.query, "query"),
    name(turned.key, "key"),
  ];
}

/** The angle from key to query, the short way. SVG counts downwards. */
function sector(key, query) {
  const radius = RADIUS / 3;
  const edge = (vector) => vector.map((part, axis) => ((axis ? -radius : radius) * part) / lengthOf(vector)).join(" ");
  const sweep = key[0] * query[1] > key[1] * query[0] ? 0 : 1;
  return svg("path", { class: "sector", d: `M0 0L${edge(key)}A${radius} ${radius} 0 0 ${sweep} ${edge(query)}Z` });
}

customElements.define("rotary-rotation", RotaryRotation);
