/**
 * <induction-birth>: a training, step by step: the loss, where each head looks, and what the model guesses.
 *
 * induction_birth.json is loaded when the widget starts; workbench/explorer.py makes it.
 */
import { chart } from "./birth_chart.mjs";
import { heatMap, labelledMap } from "./heat_map.mjs";
import { visible } from "./tokens.mjs";
import { Widget, button, choice, controls, html, show, slider } from "./widget.mjs";

const PACE = 150; // milliseconds from one moment to the next
const CALM_PACE = 1000; // for readers who want less motion
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

class InductionBirth extends Widget {
  static title = "The birth of an induction head";

  /** Instant navigation takes the page away. */
  disconnectedCallback() {
    clearInterval(this.timer);
  }

  start() {
    this.load("training", "induction_birth.json", async (answer) => this.show(await answer.json()));
  }

  show({ every, tokens, fall, moments }) {
    const last = every * (moments.length - 1);
    this.moments = moments.map(({ maps, previous, induction, ...moment }) => ({
      ...moment,
      maps: maps.flat().map(rowsOf),
      previous: previous.flat(),
      induction: induction.flat(),
    }));
    const end = this.moments.at(-1);
    const [before, behind] = [end.previous, end.induction].map((scores) => scores.indexOf(Math.max(...scores)));
    this.names = moments[0].maps.flatMap((layer, l) => layer.map((_, h) => `${l + 1}.${h + 1}`));
    Object.assign(this, { every, tokens, last, step: fall[0], head: behind });
    this.drawChart(fall, before, behind);
    this.slider = slider({
      label: "Training step",
      max: last,
      step: every,
      value: this.step,
      describe: (step) => `${step} of ${last}`,
      onInput: (step) => {
        this.pause();
        this.draw({ step });
      },
    });
    this.playButton = button("Play", () => (this.timer ? this.pause() : this.play()));
    this.guesses = tokens.map(() => html("li", {}));
    const guesses = html("ol", { "aria-label": "What the model guesses after each token" }, ...this.guesses);
    this.large = labelledMap(tokens, guesses);
    this.replaceChildren(
      this.chart.element,
      this.slider,
      controls(this.playButton),
      this.says,
      html("div", { class: "birth-heads" }, this.chooseHead(moments[0].maps[0].length), this.large.element),
      html("p", { class: "widget-note", text: NOTE }),
    );
    this.draw();
  }

  drawChart([from, to], before, behind) {
    const line = (style, words, table, head) => ({
      style,
      words: `head ${this.names[head]} ${words}`,
      numbers: this.moments.map((moment) => moment[table][head]),
    });
    const losses = this.moments.map(({ loss }) => loss);
    const weights = [
      line("before", "on the token before", "previous", before),
      line("behind", "right after the last occurrence", "induction", behind),
    ];
    this.chart = chart({
      lanes: [
        { title: "loss", ticks: [0, 2, 4], lines: [{ style: "loss", words: "loss", numbers: losses }] },
        { title: "weight", ticks: [0, 1], lines: weights },
      ],
      marked: { from: from / this.every, to: to / this.every, words: "the loss falls" },
    });
  }

  /** A small map of every head, a row for each layer. */
  chooseHead(heads) {
    this.small = this.names.map(() => heatMap());
    const onChoose = (head) => this.draw({ head });
    const field = choice({ legend: "Heads", options: this.names, value: this.head, kind: "birth-choice", onChoose });
    field.style.setProperty("--heads", heads);
    field.querySelectorAll("span").forEach((span, head) => span.append(this.small[head].element));
    return field;
  }

  /** Plays on; from the start if the end was reached. Silent for screen readers until it rests. */
  play() {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.says.lastChild.setAttribute("aria-live", "off");
    this.playButton.textContent = "Pause";
    this.timer = setInterval(
      () => {
        const step = this.step + this.every;
        if (step === this.last) this.pause();
        this.draw({ step });
      },
      calm ? CALM_PACE : PACE,
    );
    this.draw({ step: this.step === this.last ? 0 : this.step });
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = "Play";
    this.says.lastChild.removeAttribute("aria-live");
  }

  draw(changed = {}) {
    Object.assign(this, changed);
    const { tokens, head, step, every } = this;
    const moment = this.moments[step / every];
    const period = tokens.length / 2;
    const sought = tokens.map((_, place) => [place, place - period + 1]).slice(period);
    this.chart.moveTo(step / every);
    this.slider.moveTo(step);
    this.small.forEach((map, one) => map.draw(moment.maps[one]));
    this.large.draw(moment.maps[head], { outlined: sought });
    const next = (place) => tokens[(place + 1) % tokens.length];
    const right = tokens.map((_, place) => place >= period && moment.guesses[place] === next(place));
    this.guesses.forEach((one, place) => {
      const wrong = place >= period && !right[place] ? ` ≠${next(place)}` : "";
      one.className = right[place] ? "right" : "";
      one.replaceChildren(
        html("span", { class: "widget-unseen", text: `after ${tokens[place]}: ` }),
        html("b", { text: visible(moment.guesses[place]) }),
        ` ${moment.percent[place]}%${wrong}`,
        html("span", { class: "widget-unseen", text: right[place] ? ", right" : "" }),
      );
    });
    const [before, behind] = [moment.previous, moment.induction].map((scores) => show(scores[head], 2));
    this.say(
      `Step ${step}: loss ${show(moment.loss, 2)}. Head ${this.names[head]} puts ${before} on the token before, and ${behind} right ` +
        `after the last occurrence. In the second round, ${right.filter(Boolean).length} of ${period} guesses are right.`,
    );
  }
}

/** The rows of a map, each up to the token that looks. A character is a weight, in 63rds. */
function rowsOf(map) {
  const weights = [...map].map((digit) => DIGITS.indexOf(digit) / (DIGITS.length - 1));
  const rows = [];
  while (weights.length > 0) rows.push(weights.splice(0, rows.length + 1));
  return rows;
}

const NOTE =
  "Outlined is where an induction head looks: right after the last occurrence. The guess at the end of a row is the " +
  "likeliest next token, with its probability. In the second round it is marked where it is right; where it is not, the right " +
  "one stands behind ≠. The numbers of the heads are means over 32 other texts.";

customElements.define("induction-birth", InductionBirth);
