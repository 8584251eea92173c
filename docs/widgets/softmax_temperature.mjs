/**
 * The softmax of scores that are all multiplied by the same factor.
 *
 *     <softmax-temperature scores="[0.1, -0.2, …]" labels='["Your", …]'>
 */
import { softmax } from "./arithmetic.mjs";
import { barTable } from "./bars.mjs";
import { Widget, button, define, html, liveLine, say, show, slider } from "./widget.mjs";

const MARKS = [0.25, 1, 8, 80]; // factors that the slider meets exactly
const STEPS_PER_DOUBLING = 5;
const FACTORS = ladder(MARKS, STEPS_PER_DOUBLING);

class SoftmaxTemperature extends Widget {
  static title = "Softmax of scores that grow";

  start() {
    this.scores = this.read("scores");
    this.labels = this.read("labels");
    this.table = barTable({ label: "Scores and weights", labels: this.labels, columns: ["score", "weight"] });
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
      this.table.element,
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

define("softmax-temperature", SoftmaxTemperature);
