/**
 * The spread of dot products of random vectors, by the length of a key: unscaled, divided by √dₖ, or divided by dₖ.
 *
 *     <dot-product-variance dimension="5" seed="123">
 */
import { dot, variance } from "./arithmetic.mjs";
import { facts } from "./number_table.mjs";
import { Widget, button, choice, controls, html, show, slider, svg } from "./widget.mjs";

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
  histogram = histogram();
  facts = facts();

  start() {
    Object.assign(this, { seed: this.read("seed"), dimension: this.read("dimension"), way: "unscaled" });
    this.says.classList.add("widget-unseen"); // the facts show the same numbers
    const length = slider({
      label: "Numbers of a key, dₖ",
      min: 1,
      max: LONGEST,
      value: this.dimension,
      onInput: (dimension) => this.change({ dimension }),
    });
    const ways = choice({
      legend: "Dot products",
      options: Object.values(WAYS).map(({ words }) => words),
      values: Object.keys(WAYS),
      onChoose: (way) => this.change({ way }),
    });
    const again = button("Draw again", () => this.change({ seed: this.seed + 1 }));
    this.append(controls(length, again), controls(ways), this.histogram.element, this.facts.element, this.says);
    this.change({});
  }

  /** Takes a new dimension, way or seed, and draws what follows from it. */
  change(changed) {
    Object.assign(this, changed);
    const { words, divisor, theory } = WAYS[this.way];
    const products = dotProducts(this.seed, this.dimension).map((product) => product / divisor(this.dimension));
    const expected = theory(this.dimension);
    const [measured, foretold] = [show(variance(products)), show(expected, Number.isInteger(expected) ? 0 : 4)];
    this.histogram.draw(products);
    this.facts.draw({ "variance, measured": measured, "variance, in theory": foretold });
    const vectors = `${PAIRS} dot products of vectors with ${this.dimension} numbers, ${words}`;
    this.say(`${vectors}: variance ${measured}, where theory says ${foretold}.`);
  }
}

/** Numbers from a standard normal distribution (Box and Muller 1958), always the same for a seed, by a generator of 32 bits. */
function standardNormal(seed) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes
    return state / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

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

customElements.define("dot-product-variance", DotProductVariance);
