/**
 * <head-split x="[[…], …]" labels='["token 1", …]' heads="2">: a tensor is cut into heads, grouped by head and merged
 * again, stage by stage. x holds one row of numbers for each token.
 */
import { spell } from "./tensor_language/tensor.mjs";
import { headColour, memory, named, tensorTables } from "./tensor_tables.mjs";
import { Widget, button, choice, controls, html, show, slider } from "./widget.mjs";

const STAGES = ["whole", "cut", "grouped by head", "each head alone", "grouped by token", "merged"];
const ALONE_AT = 3;
const EXCHANGING_BACK_AT = 4;
const MERGED_AT = 5;

class HeadSplit extends Widget {
  static title = "Heads split and merged";
  heading = html("p", { class: "head-heading" });
  screen = html("div", { class: "head-screen" });

  start() {
    [this.x, this.labels, this.heads] = ["x", "labels", "heads"].map((name) => this.read(name));
    const size = this.x[0].length;
    const divisors = this.x[0].map((_, place) => place + 1).filter((heads) => size % heads === 0);
    this.slider = slider({
      label: "Stage",
      min: 1,
      max: STAGES.length,
      describe: (stage) => `${stage} of ${STAGES.length}: ${STAGES[stage - 1]}`,
      onInput: (stage) => this.draw({ stage: stage - 1 }),
    });
    const heads = choice({
      legend: "Heads",
      options: divisors,
      values: divisors,
      value: this.heads,
      onChoose: (number) => this.draw({ heads: number }),
    });
    // Where leaving out the exchange cannot be seen yet, the switch leads to the end.
    const toggle = button(
      "Merge without exchanging back",
      () => {
        this.draw({ forgets: !this.forgets, stage: this.stage < EXCHANGING_BACK_AT ? MERGED_AT : this.stage });
        this.slider.moveTo(this.stage + 1);
        toggle.setAttribute("aria-pressed", this.forgets);
      },
      { "aria-pressed": "false" },
    );
    this.append(controls(this.slider, heads, toggle), this.heading, this.screen, this.says);
    this.draw({ stage: 0, forgets: false });
  }

  draw(settings) {
    Object.assign(this, settings);
    const { stage, heads, forgets, x } = this;
    const [size, numbers] = [x[0].length, x.flat()];
    const { layout, dimensions, words, merged } = stagesOf(x.length, size, heads, forgets)[stage];
    const apart = stage === ALONE_AT;
    const title = apart ? `${heads} × ${spell(layout.shape.slice(1))}` : spell(layout.shape);
    const name = (dimension, index) => (dimension === "token" ? this.labels[index] : named(dimension, index));
    const cellOf = (place, at) => {
      const from = merged ? merged[at] : place;
      return {
        text: show(numbers[from]),
        owner: headColour(Math.floor(((from % size) * heads) / size)),
        astray: from !== place,
      };
    };
    const meaning = [...dimensions.slice(apart ? 1 : 0), "number"].join(", ");
    this.heading.replaceChildren(html("b", { text: title }), ` ${meaning}`);
    this.screen.classList.toggle("apart", apart);
    this.screen.replaceChildren(tensorTables(layout, dimensions, cellOf, name));
    this.say(words);
  }
}

/** One entry for each of STAGES: how memory is read, names of the dimensions, and what happened; of the last, what it holds. */
function stagesOf(tokens, size, heads, forgets) {
  const whole = memory(tokens, size);
  const cut = memory(tokens, heads, size / heads);
  const grouped = cut.exchanged(0, 1);
  const back = forgets ? grouped : cut;
  const merged = back.places(); // joined in the order in which they are read
  const byHead = { layout: grouped, dimensions: ["head", "token"] };
  return [
    { layout: whole, dimensions: ["token"], words: `One row of ${count(size, "number")} for each token.` },
    {
      layout: cut,
      dimensions: ["token", "head"],
      words: `View: each row is cut into ${count(heads, "piece")} of ${count(size / heads, "number")}. No number moves.`,
    },
    { ...byHead, words: GROUPING },
    { ...byHead, words: `Each head compares only its own rows: its weights are ${spell([tokens, tokens])}. ${AS_THEY_ARE}` },
    forgets
      ? { ...byHead, words: "Left out: the heads still stand in front." }
      : { layout: back, dimensions: ["token", "head"], words: EXCHANGING_BACK },
    { layout: whole, dimensions: ["token"], merged, words: verdict(merged, size, forgets) },
  ];
}

const GROUPING =
  "Transpose: the places of token and head are exchanged (1 and 2 when a batch stands in front). " +
  "Now each head holds all its tokens.";

const AS_THEY_ARE = "Here it hands its numbers on as they are, so that they can be followed.";

const EXCHANGING_BACK =
  "Transpose once more: the same two places are exchanged back. Now each token holds all its heads.";

/** The result of merging, compared with the input. */
function verdict(order, size, forgets) {
  const astray = order.filter((place, at) => place !== at).length;
  if (astray > 0) {
    const tokens = [...new Set(order.slice(0, size).map((place) => Math.floor(place / size) + 1))];
    return (
      `The shape is right, but ${astray} of ${order.length} numbers are astray (≠): ` +
      `the first row now mixes tokens ${tokens.join(" and ")}.`
    );
  }
  const back = `All ${order.length} numbers are back where they were: exactly the input.`;
  return `View: the pieces of each token are joined. ${back}${forgets ? " One head has nothing to exchange." : ""}`;
}

const count = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;

customElements.define("head-split", HeadSplit);
