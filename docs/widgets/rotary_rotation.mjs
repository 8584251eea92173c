/**
 * Rotary positions: each pair of numbers of a query and a key is a point that turns as its position grows.
 *
 *     <rotary-rotation query="[…]" key="[…]">
 *
 * Both have the same, even length. Pairs are counted from 0: pair i holds the numbers 2i and 2i + 1.
 */
import { dot, turn, turningSpeeds } from "./arithmetic.mjs";
import { headRow, numberTable } from "./number_table.mjs";
import { Widget, choice, define, html, liveLine, say, show, slider, svg } from "./widget.mjs";

const LAST = 63; // position

class RotaryRotation extends Widget {
  static title = "Queries and keys that rotate with their positions";
  table = html("div", {});
  says = liveLine();

  start() {
    const [query, key] = [pairsOf(this.read("query")), pairsOf(this.read("key"))];
    this.pairs = turningSpeeds(2 * query.length).map((speed, pair) => ({ speed, query: query[pair], key: key[pair] }));
    this.state = { pair: 0, query: 5, key: 2 };
    this.plane = plane();
    this.append(
      this.strip(),
      html(
        "div",
        { class: "widget-columns" },
        this.plane.element,
        html("div", {}, html("div", { class: "rotary-sliders" }, ...this.sliders()), this.table),
      ),
      this.says,
    );
    this.change({});
  }

  /** The pairs to choose from. */
  strip() {
    const strip = choice({
      legend: "Radians that each pair rotates by, from one position to the next",
      options: this.pairs.map(({ speed }, pair) => [String(pair), `pair ${pair}: ${speedOf(speed)}`]),
      value: "0",
      onChoose: (pair) => this.change({ pair: Number(pair) }),
    });
    strip.classList.add("rotary-strip");
    return strip;
  }

  sliders() {
    const position = (label, onInput) => slider({ label, min: 0, max: LAST, step: 1, value: 0, onInput });
    this.queryAt = position("Query at", (query) => this.change({ query }));
    this.keyAt = position("Key at", (key) => this.change({ key }));
    this.both = position("Move both, first at", (first) => this.moveBoth(first));
    return [this.queryAt, this.keyAt, this.both];
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
    this.plane.draw(this.pairs[pair], turned[pair]);
    this.table.replaceChildren(scoreTable(turned, pair));
    say(this.says, this.sentence(turned));
  }

  sentence(turned) {
    const { pair, query, key } = this.state;
    const { queryAngle, keyAngle, score } = turned[pair];
    const whole = turned.reduce((sum, one) => sum + one.score, 0);
    return (
      `Pair ${pair}: the query is rotated by ${query} × ${speedOf(this.pairs[pair].speed)} = ${show(queryAngle, 3)}, ` +
      `the key by ${show(keyAngle, 3)}. Its part of the score is ${show(score)}; ` +
      `the score is ${show(whole)} wherever the query stands ${distance(query - key)}.`
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

/** All pairs as a table: how far query and key are turned, and what each adds to the score. */
function scoreTable(turned, chosen) {
  const rows = turned.map(({ queryAngle, keyAngle, score }, pair) =>
    html(
      "tr",
      { class: pair === chosen && "chosen" },
      html("th", { scope: "row", text: pair }),
      html("td", { text: show(queryAngle, 3) }),
      html("td", { text: show(keyAngle, 3) }),
      html("td", { text: show(score) }),
    ),
  );
  const whole = show(turned.reduce((sum, { score }) => sum + score, 0));
  const sum = [html("th", { scope: "row", colspan: 3, text: "together" }), html("td", { text: whole })];
  return numberTable({
    caption: "Rotated, in radians",
    kind: "rotary-scores",
    heads: [headRow(["pair", "query by", "key by", "score"])],
    rows,
    foot: [html("tr", {}, ...sum)],
  });
}

/** The arrows of one pair in the plane: pale as they came, strong as they are turned, with the angle between them. */
function plane() {
  const picture = svg("svg", {
    class: "widget-picture rotary-plane",
    viewBox: "-1.4 -1.25 2.8 2.5",
    "aria-hidden": "true",
  });
  const words = "Faded: as they came. Strong: rotated by their positions";
  const caption = html("figcaption", { class: "widget-note", text: words });
  return {
    element: html("figure", { class: "widget-figure" }, picture, caption),
    draw({ query, key }, turned) {
      const unit = 1 / Math.max(Math.hypot(...query), Math.hypot(...key));
      picture.replaceChildren(
        svg("circle", { class: "axis", r: 1 }),
        sector(turned.key, turned.query),
        arrow(query, unit, "query pale"),
        arrow(key, unit, "key pale"),
        arrow(turned.query, unit, "query"),
        arrow(turned.key, unit, "key"),
        name(turned.query, unit, "query"),
        name(turned.key, unit, "key"),
      );
    },
  };
}

const directionOf = ([x, y]) => Math.atan2(y, x);

/** A point at a distance from the origin; SVG counts downwards. */
const at = (angle, radius) => `${(radius * Math.cos(angle)).toFixed(4)} ${(-radius * Math.sin(angle)).toFixed(4)}`;

/** The angle from key to query, the short way. */
function sector(key, query) {
  const start = directionOf(key);
  const between = Math.atan2(Math.sin(directionOf(query) - start), Math.cos(directionOf(query) - start));
  const sweep = between > 0 ? 0 : 1;
  const edge = `L ${at(start, 0.35)} A 0.35 0.35 0 0 ${sweep} ${at(start + between, 0.35)}`;
  return svg("path", { class: "sector", d: `M 0 0 ${edge} Z` });
}

/** An arrow from the origin. It is drawn along the axis and turned. */
function arrow(vector, unit, kind) {
  const length = Math.hypot(...vector) * unit;
  const head = Math.min(length, 0.14);
  const degrees = (-directionOf(vector) * 180) / Math.PI;
  return svg(
    "g",
    { class: `arrow ${kind}`, transform: `rotate(${degrees.toFixed(3)})` },
    svg("line", { x2: length - head }),
    svg("polygon", { points: `${length},0 ${length - head},0.06 ${length - head},-0.06` }),
  );
}

/** The name of an arrow, beyond its tip. */
function name(vector, unit, text) {
  const length = Math.hypot(...vector) * unit + 0.16;
  const [x, y] = at(directionOf(vector), length).split(" ");
  return svg("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", text });
}

define("rotary-rotation", RotaryRotation);
