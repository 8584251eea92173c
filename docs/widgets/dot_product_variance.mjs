/**
 * The spread of dot products of random vectors, by the length of a key: unscaled, divided by √dₖ, or divided by dₖ.
 *
 *     <dot-product-variance dimensions="[5, 20, 100]" seed="123">
 */
import { dot, variance } from "./arithmetic.mjs";
import { standardNormal } from "./chance.mjs";
import { fact } from "./number_table.mjs";
import { Widget, button, choice, define, html, liveLine, say, show, slider, svg } from "./widget.mjs";

const PAIRS = 2000;
const LONGEST = 128;
const REACH = 40; // of the axis, both ways: the same for every choice, so that the spread is seen to change
const BINS = 81; // odd: one stands around 0

/** Each way to scale: its words, its divisor, and the variance that theory foretells. */
const WAYS = {
  unscaled: { words: "unscaled", divisor: () => 1, theory: (d) => d },
  root: { words: "÷ √dₖ", divisor: Math.sqrt, theory: () => 1 },
  whole: { words: "÷ dₖ", divisor: (d) => d, theory: (d) => 1 / d },
};

class DotProductVariance extends Widget {
  static title = "Variance of dot products, by the length of a key";

  start() {
    const dimensions = this.read("dimensions");
    this.seed = this.read("seed");
    this.dimension = dimensions[0];
    this.way = "unscaled";
    this.histogram = histogram();
    this.facts = html("dl", { class: "widget-facts" });
    this.line = liveLine();
    this.line.classList.add("widget-unseen"); // the facts show the same numbers
    this.slider = slider({
      label: "Numbers of a key, dₖ",
      min: 1,
      max: LONGEST,
      step: 1,
      value: this.dimension,
      onInput: (dimension) => this.change({ dimension }),
    });
    this.buttons = dimensions.map((one) => [one, button(`dₖ = ${one}`, () => this.change({ dimension: one }))]);
    const again = button("Draw again", () => this.change({ seed: this.seed + 1 }));
    this.append(
      html("div", { class: "widget-controls" }, this.slider, ...this.buttons.map(([, one]) => one), again),
      html(
        "div",
        { class: "widget-controls" },
        choice({
          legend: "Dot products",
          options: Object.entries(WAYS).map(([way, { words }]) => [way, words]),
          value: this.way,
          onChoose: (way) => this.change({ way }),
        }),
      ),
      this.histogram.element,
      this.facts,
      this.line,
    );
    this.change({});
  }

  /** Takes a new dimension, way or seed, and draws what follows from it. */
  change(changed) {
    Object.assign(this, changed);
    const { words, divisor, theory } = WAYS[this.way];
    const products = dotProducts(this.seed, this.dimension).map((product) => product / divisor(this.dimension));
    const measured = variance(products);
    const expected = theory(this.dimension);
    this.slider.moveTo(this.dimension);
    for (const [one, press] of this.buttons) press.setAttribute("aria-pressed", String(one === this.dimension));
    this.histogram.draw(products);
    this.facts.replaceChildren(
      fact("variance, measured", show(measured)),
      fact("variance, in theory", show(expected, decimalsOf(expected))),
    );
    say(
      this.line,
      `${PAIRS} dot products of vectors with ${this.dimension} numbers, ${words}: ` +
        `variance ${show(measured)}, where theory says ${show(expected, decimalsOf(expected))}.`,
    );
  }
}

const decimalsOf = (number) => (Number.isInteger(number) ? 0 : 4);

/** One dot product for each pair of vectors whose numbers are drawn from a standard normal distribution. */
export function dotProducts(seed, dimension) {
  const draw = standardNormal(seed);
  const vector = () => Array.from({ length: dimension }, draw);
  return Array.from({ length: PAIRS }, () => dot(vector(), vector()));
}

/** A histogram of the products. Each drawing is as high as its highest bar; the axis never moves. */
function histogram() {
  const bars = Array.from({ length: BINS }, (_, x) => svg("rect", { x: x + 0.05, width: 0.9 }));
  const size = { viewBox: `0 0 ${BINS} 1`, preserveAspectRatio: "none" };
  const ticks = [-REACH, -REACH / 2, 0, REACH / 2, REACH].map((tick) => html("span", { text: show(tick, 0) }));
  return {
    element: html(
      "div",
      { class: "dot-products", "aria-hidden": "true" },
      svg("svg", size, ...bars),
      html("div", { class: "ticks" }, ...ticks),
    ),
    draw(products) {
      const counts = countByBin(products);
      const highest = Math.max(...counts);
      bars.forEach((bar, place) => {
        bar.setAttribute("y", 1 - counts[place] / highest);
        bar.setAttribute("height", counts[place] / highest);
      });
    },
  };
}

function countByBin(products) {
  const counts = new Array(BINS).fill(0);
  for (const product of products) {
    const bin = Math.round(((product / REACH + 1) * (BINS - 1)) / 2);
    counts[Math.min(BINS - 1, Math.max(0, bin))] += 1;
  }
  return counts;
}

define("dot-product-variance", DotProductVariance);
