/**
 * <view-transpose tokens="3" heads="2" head-dim="3">: where each number of 1, 2, 3, … goes, in memory order, when the
 * rows are cut into heads and the two dimensions exchanged, and when `view` is asked for the last shape at once.
 */
import { spell } from "./tensor_language/tensor.mjs";
import { headColour, memory, named, tensorTables, tokenColour } from "./tensor_tables.mjs";
import { Widget, controls, html, slider } from "./widget.mjs";

const RIGHT = "Nothing moves in memory: the first two strides change places, and so does the order of reading.";

class ViewTranspose extends Widget {
  static title = "View then exchange, and view alone, cell by cell";

  start() {
    [this.tokens, this.heads, this.headDim] = ["tokens", "heads", "head-dim"].map((name) => this.read(name));
    const { tokens, heads, headDim } = this;
    const cut = memory(tokens, heads, headDim);
    const exchanged = cut.exchanged(0, 1);
    this.count = cut.size;
    this.right = exchanged.places();
    this.slider = slider({
      label: "Number",
      min: 1,
      max: this.count,
      describe: (number) => `${number} of ${this.count}`,
      onInput: (number) => this.light(number - 1),
    });
    this.addEventListener("click", ({ target }) => {
      const cell = target.closest("[data-place]");
      if (cell) this.light(Number(cell.dataset.place));
    });
    const strip = this.right.map((_, place) =>
      html("span", { "data-place": place, class: this.owner(place), text: place + 1 }),
    );
    const name = `memory: 1 to ${this.count} in one line`;
    const steps = [this.picture("view", cut, ["token", "head"]), this.picture("exchanged", exchanged, ["head", "token"])];
    const alone = this.picture("view", memory(heads, tokens, headDim), ["head", "token"], true);
    this.append(
      this.picture("the tensor", memory(tokens, heads * headDim), ["token"]),
      html("p", { class: "view-title", text: "its memory" }),
      html("div", { class: "memory-strip", style: `--count: ${this.count}`, role: "img", "aria-label": name }, ...strip),
      controls(this.slider),
      this.says,
      html(
        "div",
        { class: "view-ways" },
        way("Right: view, then exchange", html("div", { class: "view-steps" }, ...steps), RIGHT),
        way("Wrong: view alone", alone, this.complaint()),
      ),
    );
    this.light(0);
  }

  picture(title, layout, dimensions, isWrong = false) {
    const shape = spell(layout.shape);
    const isAstray = (place, at) => isWrong && place !== this.right[at];
    const cellOf = (place, at) => ({ text: place + 1, owner: this.owner(place), astray: isAstray(place, at) });
    return html(
      "div",
      { class: "view-picture", role: "group", "aria-label": `${title}, shape ${shape}` },
      html("p", { class: "view-title" }, `${title} `, html("b", { text: shape })),
      html("p", { class: "view-strides", text: `strides ${spell(layout.strides)}` }),
      tensorTables(layout, dimensions, cellOf),
    );
  }

  /** The fault of `view` alone, shown on the row that it calls token 2 of head 1. */
  complaint() {
    const astray = this.right.filter((place, at) => place !== at).length;
    const row = Array.from({ length: this.headDim }, (_, at) => this.headDim + at);
    const { token, head } = this.home(row[0]);
    return (
      `${astray} of ${this.count} numbers are astray (≠). What it calls head 1, token 2 is ${row.map((place) => place + 1).join(" ")}: ` +
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
    for (const cell of this.querySelectorAll("[data-place]")) {
      cell.classList.toggle("lit", Number(cell.dataset.place) === place);
    }
    this.slider.moveTo(place + 1);
    const { token, head } = this.home(place);
    const row = Math.floor(place / this.headDim); // of the tensor that view alone makes
    const [wrongHead, wrongToken] = [Math.floor(row / this.tokens), row % this.tokens];
    const verdict =
      this.right[place] === place
        ? "View alone puts it there too."
        : `View alone puts it under ${named("head", wrongHead)}, ${named("token", wrongToken)}: wrong.`;
    this.say(
      `Number ${place + 1} is in ${named("token", token)}, in the part of ${named("head", head)}. ` +
        `Exchanged, it stands under ${named("head", head)}, ${named("token", token)}. ${verdict}`,
    );
  }
}

function way(title, picture, note) {
  const heading = html("p", { class: "view-way", text: title });
  return html("section", {}, heading, picture, html("p", { class: "widget-note", text: note }));
}

customElements.define("view-transpose", ViewTranspose);
