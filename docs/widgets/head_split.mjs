/**
 * <head-split x="[[…], …]" labels='["token 1", …]' heads="2">: a tensor is cut into heads, grouped by head and merged
 * again, stage by stage. x holds one row of numbers for each token.
 */
import { contiguous, exchange, places, tuple } from "./memory.mjs";
import { headColour, named, tensorTables } from "./tensor_tables.mjs";
import { Widget, button, choice, define, html, liveLine, say, show, slider } from "./widget.mjs";

const STAGES = ["whole", "cut", "grouped by head", "each head alone", "grouped by token", "merged"];
const EXCHANGING_BACK_AT = 4;
const MERGED_AT = 5;

class HeadSplit extends Widget {
  static title = "Heads split and merged";
  says = liveLine();
  heading = html("p", { class: "head-heading" });
  screen = html("div", { class: "head-screen" });

  start() {
    this.x = this.read("x");
    this.labels = this.read("labels");
    this.state = { stage: 0, heads: Number(this.getAttribute("heads") ?? 2), exchangesBack: true };
    this.decimals = this.x.flat().every(Number.isInteger) ? 0 : 4;
    this.append(this.controls(), this.heading, this.screen, this.says);
    this.draw();
  }

  controls() {
    const size = this.x[0].length;
    this.slider = slider({
      label: "Stage",
      min: 1,
      max: STAGES.length,
      step: 1,
      value: 1,
      describe: (stage) => `${stage} of ${STAGES.length}: ${STAGES[stage - 1]}`,
      onInput: (stage) => this.change({ stage: stage - 1 }),
    });
    const divisors = this.x[0].map((_, place) => place + 1).filter((heads) => size % heads === 0);
    return html(
      "div",
      { class: "widget-controls" },
      this.slider,
      choice({
        legend: "Heads",
        options: divisors.map((heads) => [String(heads), String(heads)]),
        value: String(this.state.heads),
        onChoose: (heads) => this.change({ heads: Number(heads) }),
      }),
      this.forgetting(),
    );
  }

  /** The switch that leaves out the exchange before merging. Where that cannot be seen yet, it leads to the end. */
  forgetting() {
    const toggle = button(
      "Merge without exchanging back",
      () => {
        const { stage, exchangesBack } = this.state;
        this.change({ exchangesBack: !exchangesBack, stage: stage < EXCHANGING_BACK_AT ? MERGED_AT : stage });
        this.slider.moveTo(this.state.stage + 1);
        toggle.setAttribute("aria-pressed", !this.state.exchangesBack);
      },
      { "aria-pressed": "false" },
    );
    return toggle;
  }

  change(settings) {
    Object.assign(this.state, settings);
    this.draw();
  }

  draw() {
    const { stage, heads, exchangesBack } = this.state;
    const [tokens, size] = [this.x.length, this.x[0].length];
    const { shape, order, dimensions, words } = stagesOf(tokens, size, heads, exchangesBack)[stage];
    const apart = STAGES[stage] === "each head alone";
    const title = apart ? `${heads} × ${tuple(shape.slice(1))}` : tuple(shape);
    const meaning = [...(apart ? dimensions.slice(1) : dimensions), "number"].join(", ");
    const name = (dimension, index) => (dimension === "token" ? this.labels[index] : named(dimension, index));
    this.heading.replaceChildren(html("b", { text: title }), ` ${meaning}`);
    this.screen.classList.toggle("apart", apart);
    this.screen.replaceChildren(tensorTables({ shape, dimensions, cells: this.cells(order), name }));
    say(this.says, words);
  }

  /** The numbers in reading order, coloured by the head to which they belong. */
  cells(order) {
    const size = this.x[0].length;
    const numbers = this.x.flat();
    const isMerged = this.state.stage === MERGED_AT;
    return order.map((place, at) => ({
      place,
      text: show(numbers[place], this.decimals),
      owner: headColour(Math.floor(((place % size) * this.state.heads) / size)),
      astray: isMerged && place !== at,
    }));
  }
}

/** One entry for each of STAGES: shape, numbers in reading order, names of the dimensions, and what happened. */
function stagesOf(tokens, size, heads, exchangesBack) {
  const whole = contiguous([tokens, size]);
  const cut = contiguous([tokens, heads, size / heads]);
  const grouped = exchange(cut, 0, 1);
  const back = exchangesBack ? exchange(grouped, 0, 1) : grouped;
  const merged = places(back); // joined in the order in which they are read
  return [
    { ...read(whole, ["token"]), words: `One row of ${count(size, "number")} for each token.` },
    { ...read(cut, ["token", "head"]), words: cutting(heads, size / heads) },
    { ...read(grouped, ["head", "token"]), words: GROUPING },
    { ...read(grouped, ["head", "token"]), words: working(tokens) },
    exchangesBack
      ? { ...read(back, ["token", "head"]), words: EXCHANGING_BACK }
      : { ...read(back, ["head", "token"]), words: "Left out: the heads still stand in front." },
    { ...read(whole, ["token"]), order: merged, words: verdict(merged, size, exchangesBack) },
  ];
}

const read = (layout, dimensions) => ({ shape: layout.shape, order: places(layout), dimensions });

const GROUPING =
  "Transpose: the places of token and head are exchanged (1 and 2 when a batch stands in front). " +
  "Now each head holds all its tokens.";

const EXCHANGING_BACK =
  "Transpose once more: the same two places are exchanged back. Now each token holds all its heads.";

function cutting(heads, headDim) {
  return `View: each row is cut into ${count(heads, "piece")} of ${count(headDim, "number")}. No number moves.`;
}

function working(tokens) {
  return (
    `Each head compares only its own rows: its scores and its weights are ${tuple([tokens, tokens])}. ` +
    "Here it hands its numbers on as they are, so that they can be followed."
  );
}

/** The result of merging, compared with the input. */
function verdict(order, size, exchangesBack) {
  const astray = order.filter((place, at) => place !== at).length;
  if (astray > 0) {
    const tokens = [...new Set(order.slice(0, size).map((place) => Math.floor(place / size) + 1))];
    return (
      `The shape is right, but ${astray} of ${order.length} numbers are astray (≠): ` +
      `the first row now mixes tokens ${tokens.join(" and ")}.`
    );
  }
  const back = `All ${order.length} numbers are back where they were: exactly the input.`;
  return `View: the pieces of each token are joined. ${back}${exchangesBack ? "" : " One head has nothing to exchange."}`;
}

const count = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;

define("head-split", HeadSplit);
