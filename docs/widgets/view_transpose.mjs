/**
 * <view-transpose tokens="3" heads="2" head-dim="3">: where each number of 1, 2, 3, … goes, in memory order, when the
 * rows are cut into heads and the two dimensions exchanged, and when `view` is asked for the last shape at once.
 */
import { contiguous, exchange, places, tuple } from "./memory.mjs";
import { headColour, named, tensorTables, tokenColour } from "./tensor_tables.mjs";
import { Widget, define, html, liveLine, say, slider } from "./widget.mjs";

const RIGHT = "Nothing moves in memory: the first two strides change places, and so does the order of reading.";

class ViewTranspose extends Widget {
  static title = "View then exchange, and view alone, cell by cell";
  says = liveLine();

  start() {
    const size = (name, usual) => Number(this.getAttribute(name) ?? usual);
    [this.tokens, this.heads, this.headDim] = [size("tokens", 3), size("heads", 2), size("head-dim", 3)];
    this.count = this.tokens * this.heads * this.headDim;
    this.layouts = layoutsOf(this.tokens, this.heads, this.headDim);
    this.right = places(this.layouts.exchanged);
    this.wrong = places(this.layouts.alone);
    this.addEventListener("click", (event) => this.pick(event.target.closest("[data-place]")));
    this.append(this.input(), this.controls(), this.says, this.ways());
    this.light(0);
  }

  /** The tensor as it comes, and its numbers in memory. */
  input() {
    const strip = Array.from({ length: this.count }, (_, place) =>
      html("span", { "data-place": place, class: this.owner(place), text: place + 1 }),
    );
    const name = `memory: 1 to ${this.count} in one line`;
    return html(
      "div",
      {},
      this.picture("the tensor", this.layouts.whole, ["token"]),
      html("p", { class: "view-title", text: "its memory" }),
      html("div", { class: "memory-strip", style: `--count: ${this.count}`, role: "img", "aria-label": name }, ...strip),
    );
  }

  controls() {
    this.slider = slider({
      label: "Number",
      min: 1,
      max: this.count,
      step: 1,
      value: 1,
      describe: (number) => `${number} of ${this.count}`,
      onInput: (number) => this.light(number - 1),
    });
    return html("div", { class: "widget-controls" }, this.slider);
  }

  ways() {
    const { split, exchanged, alone } = this.layouts;
    const steps = [
      this.picture("view", split, ["token", "head"]),
      this.picture("exchanged", exchanged, ["head", "token"]),
    ];
    return html(
      "div",
      { class: "view-ways" },
      way("Right: view, then exchange", html("div", { class: "view-steps" }, ...steps), RIGHT),
      way("Wrong: view alone", this.picture("view", alone, ["head", "token"]), this.complaint()),
    );
  }

  picture(title, layout, dimensions) {
    const { shape, strides } = layout;
    const cells = places(layout).map((place, at) => ({
      place,
      text: place + 1,
      owner: this.owner(place),
      astray: layout === this.layouts.alone && place !== this.right[at],
    }));
    return html(
      "div",
      { class: "view-picture", role: "group", "aria-label": `${title}, shape ${tuple(shape)}` },
      html("p", { class: "view-title" }, `${title} `, html("b", { text: tuple(shape) })),
      html("p", { class: "view-strides", text: `strides ${tuple(strides)}` }),
      tensorTables({ shape, dimensions, cells }),
    );
  }

  /** The fault of `view` alone, shown on the row that it calls token 2 of head 1. */
  complaint() {
    const astray = this.wrong.filter((place, at) => place !== this.right[at]).length;
    if (astray === 0) return "With these sizes nothing goes astray.";
    const row = this.wrong.slice(this.headDim, 2 * this.headDim);
    const { token, head } = this.home(row[0]);
    const numbers = row.map((place) => place + 1).join(" ");
    return (
      `${astray} of ${this.count} numbers are astray (≠). What it calls head 1, token 2 is ${numbers}: ` +
      `in truth ${named("head", head)} of ${named("token", token)}.`
    );
  }

  /** The colours of a number: its token shades the cell, its head marks it. */
  owner(place) {
    const { token, head } = this.home(place);
    return `${tokenColour(token)} ${headColour(head)}`;
  }

  /** The token and the head of the number at a place in memory. */
  home(place) {
    const size = this.heads * this.headDim;
    return { token: Math.floor(place / size), head: Math.floor((place % size) / this.headDim) };
  }

  /** Lights the number at a place in memory wherever it is drawn, and says where each way puts it. */
  light(place) {
    this.place = place;
    for (const cell of this.querySelectorAll("[data-place]")) {
      cell.classList.toggle("lit", Number(cell.dataset.place) === place);
    }
    this.slider.moveTo(place + 1);
    say(this.says, this.sentence(place));
  }

  sentence(place) {
    const { token, head } = this.home(place);
    const at = this.wrong.indexOf(place);
    const [wrongHead, wrongToken] = [Math.floor(at / (this.tokens * this.headDim)), Math.floor(at / this.headDim)];
    const verdict =
      at === this.right.indexOf(place)
        ? "View alone puts it there too."
        : `View alone puts it under ${named("head", wrongHead)}, ${named("token", wrongToken % this.tokens)}: wrong.`;
    return (
      `Number ${place + 1} is in ${named("token", token)}, in the part of ${named("head", head)}. ` +
      `Exchanged, it stands under ${named("head", head)}, ${named("token", token)}. ${verdict}`
    );
  }

  pick(cell) {
    if (cell) this.light(Number(cell.dataset.place));
  }
}

function way(title, picture, note) {
  const heading = html("p", { class: "view-way", text: title });
  return html("section", {}, heading, picture, html("p", { class: "widget-note", text: note }));
}

/** The layouts of the four pictures. */
function layoutsOf(tokens, heads, headDim) {
  const split = contiguous([tokens, heads, headDim]);
  return {
    whole: contiguous([tokens, heads * headDim]),
    split,
    exchanged: exchange(split, 0, 1),
    alone: contiguous([heads, tokens, headDim]),
  };
}

define("view-transpose", ViewTranspose);
