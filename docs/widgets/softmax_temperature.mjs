/**
 * What becomes of the softmax when all scores are multiplied by the same factor.
 *
 *     <softmax-temperature scores="[0.1, -0.2, …]" labels='["Your", …]'>
 */
import { softmax } from "./arithmetic.mjs";
import { barTable } from "./bars.mjs";
import { Widget, button, define, html, liveLine, say, show, slider, svg } from "./widget.mjs";

const MARKS = [0.25, 1, 8, 80]; // factors that the slider meets exactly
const STEPS_PER_DOUBLING = 5;
const FACTORS = ladder(MARKS, STEPS_PER_DOUBLING);

class SoftmaxTemperature extends Widget {
  static title = "Softmax of scores that grow";

  start() {
    this.scores = this.read("scores");
    this.labels = this.read("labels");
    this.table = barTable({ label: "Scores and weights", labels: this.labels, columns: ["score", "weight"] });
    this.curve = rateCurve();
    this.line = liveLine();
    this.slider = slider({
      label: "Scores times",
      min: 0,
      max: FACTORS.length - 1,
      step: 1,
      value: 0,
      describe: (place) => inWords(FACTORS[place]),
      onInput: (place) => this.multiply(FACTORS[place]),
    });
    this.buttons = MARKS.slice(1).map((factor) => button(inWords(factor), () => this.multiply(factor)));
    this.append(
      html("div", { class: "widget-controls" }, this.slider, ...this.buttons),
      html("div", { class: "widget-columns" }, this.table.element, this.curve.element),
      this.line,
    );
    this.multiply(1);
  }

  /** Shows the softmax of the scores times one of FACTORS. */
  multiply(factor) {
    const scores = this.scores.map((score) => score * factor);
    const weights = softmax(scores);
    const peak = Math.max(...weights);
    this.slider.moveTo(FACTORS.indexOf(factor));
    this.buttons.forEach((one, place) => one.setAttribute("aria-pressed", String(MARKS[place + 1] === factor)));
    this.table.draw([scores, weights]);
    this.curve.draw(peak);
    say(
      this.line,
      `Scores times ${show(factor, decimalsOf(factor))}: the largest weight is ${show(peak)}, ` +
        `for “${this.labels[weights.indexOf(peak)]}”. If its score grows by a little, the weight grows ` +
        `w\u00a0(1\u00a0−\u00a0w) = ${show(peak * (1 - peak))} times as much.`,
    );
  }
}

/** Factors from the first mark to the last, evenly spaced in their logarithm between each mark and the next. */
function ladder(marks, stepsPerDoubling) {
  const between = marks.slice(1).flatMap((high, place) => {
    const low = marks[place];
    const steps = Math.round(Math.log2(high / low) * stepsPerDoubling);
    return Array.from({ length: steps }, (_, step) => low * (high / low) ** (step / steps));
  });
  return [...between, marks.at(-1)];
}

const decimalsOf = (factor) => (MARKS.includes(factor) && factor >= 1 ? 0 : factor < 10 ? 2 : 1);
const inWords = (factor) => `×${show(factor, decimalsOf(factor))}`;

/** The rate w (1 − w) at which a weight follows its own score: the curve, and where the largest weight is on it. */
function rateCurve() {
  const [width, height, margin] = [260, 120, 26];
  const place = (w) => [margin + w * (width - 2 * margin), height - margin - 4 * w * (1 - w) * (height - 2 * margin)];
  const points = Array.from({ length: 51 }, (_, step) => place(step / 50));
  const dot = svg("circle", { class: "dot", r: 6 });
  const drop = svg("line", { class: "drop" });
  const [left, base] = place(0);
  const [right] = place(1);
  const picture = svg(
    "svg",
    { class: "widget-picture softmax-rate", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    svg("line", { class: "axis", x1: left, y1: base, x2: right, y2: base }),
    svg("polyline", { class: "curve", points: points.join(" ") }),
    svg("text", { x: left, y: base + 16, "text-anchor": "middle", text: "0" }),
    svg("text", { x: right, y: base + 16, "text-anchor": "middle", text: "1" }),
    svg("text", { x: (left + right) / 2, y: base + 16, "text-anchor": "middle", text: "weight w" }),
    svg("text", { x: (left + right) / 2, y: 18, "text-anchor": "middle", text: "at most ¼" }),
    drop,
    dot,
  );
  const caption = "How fast the largest weight follows its score, w\u00a0(1\u00a0−\u00a0w): near 0, learning stalls";
  const words = html("figcaption", { class: "widget-note", text: caption });
  return {
    element: html("figure", { class: "widget-figure" }, picture, words),
    draw(weight) {
      const [x, y] = place(weight);
      dot.setAttribute("transform", `translate(${x} ${y})`);
      for (const [name, value] of Object.entries({ x1: x, x2: x, y1: y, y2: base })) drop.setAttribute(name, value);
    },
  };
}

define("softmax-temperature", SoftmaxTemperature);
