/**
 * <induction-birth>: a training, step by step: the loss, where each head looks, and what the model guesses.
 *
 * induction_birth.json is loaded when the widget starts; workbench/explorer.py makes it.
 */
import { chart } from "./birth_chart.mjs";
import { bestOf, namesOf, ofHead, rowsOf, verdicts } from "./birth_moments.mjs";
import { heatMap } from "./heat_map.mjs";
import { LoadingWidget, button, choice, define, html, say, show, slider } from "./widget.mjs";

const PACE = 150; // milliseconds from one moment to the next
const CALM_PACE = 1000; // for readers who want less motion

class InductionBirth extends LoadingWidget {
  static title = "The birth of an induction head";

  /** Instant navigation takes the page away. */
  disconnectedCallback() {
    clearInterval(this.timer);
  }

  start() {
    this.load("training", "induction_birth.json", async (answer) => this.show(await answer.json()));
  }

  show({ every, tokens, fall, moments }) {
    Object.assign(this, { every, tokens, moments, last: every * (moments.length - 1) });
    this.maps = moments.map(({ maps }) => maps.map((layer) => layer.map(rowsOf)));
    this.names = namesOf(moments[0].maps);
    this.before = bestOf(moments.at(-1).previous);
    this.behind = bestOf(moments.at(-1).induction);
    this.step = fall[0];
    this.head = this.behind;
    this.chart = this.drawChart(fall);
    this.slider = slider({
      label: "Training step",
      min: 0,
      max: this.last,
      step: every,
      value: this.step,
      describe: (step) => `${step} of ${this.last}`,
      onInput: (step) => this.seek(step),
    });
    this.playButton = button("Play", () => (this.timer ? this.pause() : this.play()));
    const heads = this.chooseHead();
    this.replaceChildren(
      this.chart.element,
      this.slider,
      html("div", { class: "widget-controls" }, this.playButton),
      this.says,
      html("div", { class: "birth-heads" }, heads, this.drawLarge()),
      note(),
    );
    this.draw();
  }

  get moment() {
    return this.moments[this.step / this.every];
  }

  drawChart([from, to]) {
    const line = (style, words, table, head) => ({
      style,
      words,
      numbers: this.moments.map((moment) => ofHead(moment[table], head)),
    });
    const losses = this.moments.map(({ loss }) => loss);
    const nothing = Math.log(32);
    return chart({
      lanes: [
        {
          title: "loss",
          ticks: [0, 2, 4],
          lines: [{ style: "loss", words: "loss", numbers: losses }],
          level: { at: nothing, words: `${show(nothing, 2)}: knows nothing` },
        },
        {
          title: "weight",
          ticks: [0, 1],
          lines: [
            line("before", `head ${this.before} on the token before`, "previous", this.before),
            line("behind", `head ${this.behind} right after the last occurrence`, "induction", this.behind),
          ],
        },
      ],
      marked: { from: from / this.every, to: to / this.every, words: "the loss falls" },
    });
  }

  /** A small map of every head, a row for each layer. */
  chooseHead() {
    this.small = this.names.map(() => heatMap(this.tokens.length));
    const options = this.names.map((name) => [name, name]);
    const field = choice({ legend: "Heads", options, value: this.head, onChoose: (head) => this.choose(head) });
    field.classList.add("birth-choice");
    field.style.setProperty("--heads", this.moments[0].maps[0].length);
    field.querySelectorAll("span").forEach((span, place) => span.append(this.small[place].element));
    return field;
  }

  /** The chosen head's map; at the end of each row what the model guesses after that token. */
  drawLarge() {
    const period = this.tokens.length / 2;
    const sought = this.tokens.map((_, place) => [place, place - period + 1]).slice(period);
    const signs = (name) => this.tokens.map((text) => html("span", { class: name, text }));
    this.large = heatMap(this.tokens.length, sought);
    this.caption = html("p", { class: "birth-caption" });
    this.guesses = this.tokens.map(() => html("li", {}));
    const label = "A row for each token that looks, a column for each that is looked at, darker where it puts more weight";
    const list = html("ol", { "aria-label": "What the model guesses after each token" }, ...this.guesses);
    return html(
      "div",
      { class: "birth-large", style: `--count: ${this.tokens.length}` },
      this.caption,
      html("div", { class: "birth-columns", "aria-hidden": "true" }, ...signs("")),
      html("div", { class: "birth-guess-title", "aria-hidden": "true", text: "guess" }),
      html("div", { class: "birth-rows", "aria-hidden": "true" }, ...signs("")),
      html("div", { role: "img", "aria-label": label }, this.large.element),
      list,
    );
  }

  seek(step) {
    this.pause();
    this.step = step;
    this.draw();
  }

  choose(head) {
    this.head = head;
    this.draw();
  }

  /** Plays on; from the start if the end was reached. Silent for screen readers until it rests. */
  play() {
    if (this.step === this.last) this.step = 0;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.says.lastChild.setAttribute("aria-live", "off");
    this.playButton.textContent = "Pause";
    this.timer = setInterval(
      () => {
        this.step += this.every;
        if (this.step === this.last) this.pause();
        this.draw();
      },
      calm ? CALM_PACE : PACE,
    );
    this.draw();
  }

  pause() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = "Play";
    this.says.lastChild.removeAttribute("aria-live");
  }

  draw() {
    const { moment, tokens, head } = this;
    const maps = this.maps[this.step / this.every];
    this.chart.moveTo(this.step / this.every);
    this.slider.moveTo(this.step);
    this.small.forEach((map, place) => map.draw(ofHead(maps, this.names[place])));
    this.large.draw(ofHead(maps, head));
    this.caption.textContent = `Head ${head}`;
    this.querySelector(`.birth-choice [value="${head}"]`).checked = true;
    const right = verdicts(tokens, moment.guesses);
    this.guesses.forEach((one, place) => {
      const wrong = right[place] === false ? ` ≠${tokens[(place + 1) % tokens.length]}` : "";
      one.className = right[place] ? "right" : "";
      one.replaceChildren(
        html("span", { class: "widget-unseen", text: `after ${tokens[place]}: ` }),
        html("b", { text: visible(moment.guesses[place]) }),
        ` ${moment.percent[place]}%${wrong}`,
        html("span", { class: "widget-unseen", text: right[place] ? ", right" : "" }),
      );
    });
    say(this.says, this.sentence(right));
  }

  sentence(right) {
    const { step, moment, head } = this;
    const [before, behind] = ["previous", "induction"].map((which) => show(ofHead(moment[which], head), 2));
    const known = right.filter((one) => one !== undefined);
    return (
      `Step ${step}: loss ${show(moment.loss, 2)}. Head ${head} puts ${before} on the token before, and ${behind} right ` +
      `after the last occurrence. In the second round, ${known.filter(Boolean).length} of ${known.length} guesses are right.`
    );
  }
}

const note = () =>
  html("p", {
    class: "widget-note",
    text:
      "Outlined is where an induction head looks: right after the last occurrence. The guess at the end of a row is the " +
      "likeliest next token, with its probability. In the second round it is marked where it is right; where it is not, the right " +
      "one stands behind ≠. The numbers of the heads are means over 32 other texts.",
  });

const visible = (token) => (token === " " ? "␣" : token);

define("induction-birth", InductionBirth);
