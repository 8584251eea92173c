/**
 * The softmax of scores that are all multiplied by the same factor.
 *
 *     <softmax-temperature scores="[0.1, -0.2, …]" labels='["Your", …]'>
 */
import { softmax } from "./arithmetic.mjs";
import { barTable } from "./bars.mjs";
import { Widget, controls, show, slider } from "./widget.mjs";

const FACTORS = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80];

class SoftmaxTemperature extends Widget {
  static title = "Softmax of scores that grow";

  start() {
    [this.scores, this.labels] = ["scores", "labels"].map((name) => this.read(name));
    this.table = barTable({ caption: "Scores and weights", labels: this.labels, columns: ["key", "score", "weight"] });
    const factor = slider({
      label: "Scores times",
      max: FACTORS.length - 1,
      value: FACTORS.indexOf(1),
      describe: (place) => `×${FACTORS[place]}`,
      onInput: (place) => this.multiply(FACTORS[place]),
    });
    this.append(controls(factor), this.table.element, this.says);
    this.multiply(1);
  }

  /** Shows the softmax of the scores times a factor. */
  multiply(factor) {
    const scores = this.scores.map((score) => score * factor);
    const weights = softmax(scores);
    const peak = Math.max(...weights);
    this.table.draw([scores, weights]);
    this.say(
      `Scores times ${factor}: the largest weight is ${show(peak)}, ` +
        `for “${this.labels[weights.indexOf(peak)]}”. If its score grows by a little, the weight grows ` +
        `w\u00a0(1\u00a0−\u00a0w) = ${show(peak * (1 - peak))} times as much.`,
    );
  }
}

customElements.define("softmax-temperature", SoftmaxTemperature);
