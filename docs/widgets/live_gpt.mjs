/**
 * <live-gpt model="text_model.safetensors" begin="In the middle" ask="Load the model">: a small trained model that reads what one types,
 * whose heads can be switched off.
 *
 * model: the address of a packed file, as seen from this module; a reader may open a file of `attn train` in its place, and nothing
 * leaves their machine. begin: what it reads first, where a page is about its words: its heads are folded.
 * ask: words of a button that loads it; without, it is loaded when the widget starts.
 * tiny_gpt.mjs computes what it does.
 */
import { softmax } from "./arithmetic.mjs";
import { barTable } from "./bars.mjs";
import { heatMap } from "./heat_map.mjs";
import { drawn, likeliest, probabilities } from "./next_token.mjs";
import { readModel } from "./packed_model.mjs";
import { longest, run, said } from "./tiny_gpt.mjs";
import { named, tokenChoice, visible } from "./tokens.mjs";
import { Widget, button, controls, html, show, slider } from "./widget.mjs";

const BEGIN = "gpitswmzngpits"; // a text that <head-explorer> shows, up to a token after which each head matters
const LISTED = 6; // tokens that may come next
const WRITING = { "Write a token": 1, "Write eight": 8, "Write forty": 40 };

class LiveGpt extends Widget {
  static title = "A small trained model, and what it makes of a text";

  start() {
    const ask = this.getAttribute("ask");
    const press = () => this.readModel().then(() => this.field?.focus()); // the button that was pressed is gone
    if (ask) this.append(button(ask, press));
    else this.readModel();
  }

  async readModel() {
    const address = this.getAttribute("model") ?? "trained_model.safetensors";
    await this.load("model", address, async (answer) => this.show(readModel(await answer.arrayBuffer())));
    this.ariaBusy = "false"; // what the stylesheet keeps free for it is kept no longer
  }

  show(model) {
    this.model = model;
    this.off = new Set();
    this.settings = { temperature: 1, top: model.signs.length };
    this.field = html("textarea", { rows: 1, spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    this.field.addEventListener("input", () => {
      this.turn = undefined; // what a reader writes ends what the model is writing
      this.read();
    });
    this.remark = html("p", { class: "widget-note live-remark", role: "status" });
    this.choosing = html("div", {});
    this.next = html("div", { class: "live-next" });
    this.writing = Object.entries(WRITING).map(([words, count]) => button(words, () => this.write(count)));
    const label = html("label", {}, html("span", { text: "What the model reads" }), this.field);
    this.replaceChildren(
      html("div", { class: "own-sentence" }, label, this.remark),
      controls(...this.writing),
      this.sliders(),
      this.choosing,
      this.says,
      this.next,
      this.inside(),
      note("attn train writes a file of your own model, which you can open here: it stays on your machine."),
      this.opening(),
    );
    const begin = this.getAttribute("begin") ?? BEGIN;
    const isKnown = [...begin].every((sign) => model.signs.includes(sign));
    this.put(isKnown ? begin : model.signs.slice(0, LISTED).join("").repeat(2));
  }

  sliders() {
    const top = this.settings.top;
    return controls(
      slider({
        label: "Temperature",
        max: 3,
        step: 0.1,
        value: this.settings.temperature,
        describe: (number) => (number ? show(number, 1) : "0: the likeliest"),
        onInput: (temperature) => this.draw({ settings: { ...this.settings, temperature } }),
      }),
      slider({
        label: "Top k",
        min: 1,
        max: top,
        value: top,
        describe: (number) => (number === top ? `${number}: all` : String(number)),
        onInput: (number) => this.draw({ settings: { ...this.settings, top: number } }),
      }),
    );
  }

  /** The heads of each layer, and what the model would say if it ended before or after them. */
  inside() {
    const layers = run(this.model, [0]).maps.map((heads, layer) => heads.map((_, head) => this.head(layer, head)));
    this.heads = layers.flat();
    this.when = ["As it enters", ...layers.flatMap(() => ["After its heads", "After its feed forward"])];
    this.lenses = this.when.map(() => note(""));
    const [enters, ...lenses] = this.lenses;
    this.insides = html(
      "details",
      { class: "live-inside", open: !this.isOfWords, ontoggle: () => this.drawInside() },
      html("summary", { text: "Inside the model" }),
      note(MAPS),
      enters,
      ...layers.flatMap((heads, layer) => [layerOf(heads, layer), ...lenses.slice(2 * layer, 2 * layer + 2)]),
    );
    return this.insides;
  }

  get isOfWords() {
    return this.hasAttribute("begin");
  }

  /** A head that is switched by a press, with its map, and where the chosen token looks most. */
  head(layer, head) {
    const name = `${layer + 1}.${head + 1}`;
    const map = heatMap();
    const label = html("span", { class: "live-name" }, html("b", { text: name }), html("i", { class: "live-switch" }));
    const most = html("span", { class: "live-most" });
    const press = () => {
      if (!this.off.delete(name)) this.off.add(name);
      this.think();
    };
    const element = button("", press, { role: "switch", class: "live-head" });
    element.append(label, map.element, most);
    const draw = (weights, place) => {
      const [seen] = likeliest(weights[place]);
      const looks = `${named(this.text, seen)}, ${show(weights[place][seen], 2)}`;
      element.ariaChecked = !this.off.has(name);
      element.ariaLabel = `Head ${name}: ${named(this.text, place)} looks most at ${looks}`;
      most.textContent = looks.replaceAll(/[“”,]/g, "");
      map.draw(weights, { framed: place });
    };
    return { element, draw };
  }

  /** A button that lets a reader choose a file of their own model, which is shown in place of the present one. */
  opening() {
    const input = html("input", { type: "file", accept: ".safetensors", hidden: true });
    const press = button("Open your own model", () => input.click());
    input.addEventListener("change", async () => {
      const [file] = input.files;
      try {
        const model = readModel(await file.arrayBuffer());
        run(model, [0]);
        this.show(model);
        this.remark.textContent = `This is ${file.name}.`;
      } catch {
        const wanted = "open the file that ends in .packed.safetensors";
        this.remark.textContent = `${file.name} is no model of attn train: ${wanted}.`;
      }
      this.querySelector("input[type=file]").previousSibling.focus();
    });
    return controls(press, input);
  }

  /** Writes a text into the field, and reads it. */
  put(text) {
    this.field.value = text;
    this.read();
  }

  /** Reads what is in the field: its last token is chosen. */
  read() {
    const { signs } = this.model;
    const letters = [...this.field.value];
    const known = letters.map((letter) => signFor(letter, signs)).filter(Boolean);
    this.text = known.slice(-longest(this.model));
    this.numbers = this.text.map((sign) => signs.indexOf(sign));
    const unknown = letters.length - known.length;
    const remarks = [
      unknown && `${unknown} left out. The model knows only these: ${signs.map(visible).join("")}`,
      known.length > this.text.length && `It reads the last ${longest(this.model)} tokens.`,
    ];
    this.remark.textContent = remarks.filter(Boolean).join(" ");
    this.place = this.text.length - 1;
    this.tokens = tokenChoice({
      legend: "Tokens, shaded where the model expected them",
      tokens: this.text,
      place: this.place,
      onChoose: (place) => this.draw({ place }),
    });
    this.choosing.replaceChildren(this.tokens);
    const isEmpty = this.text.length === 0;
    this.insides.hidden = this.next.hidden = isEmpty;
    this.writing.forEach((one) => (one.disabled = isEmpty));
    if (isEmpty) return this.say("Write something for the model to read.");
    this.whole = run(this.model, this.numbers);
    return this.think();
  }

  /** Runs the model with the heads that are on. */
  think() {
    const isOff = (layer, head) => this.off.has(`${layer + 1}.${head + 1}`);
    this.found = this.off.size ? run(this.model, this.numbers, isOff) : this.whole;
    this.draw();
  }

  /** Lets the model write, a token a frame, until a reader writes. Each is drawn by its probability. */
  async write(count) {
    const turn = (this.turn = {});
    for (let more = count; more > 0 && this.turn === turn; more -= 1) {
      const shares = probabilities(this.found.logits.at(-1), this.settings);
      this.put(this.field.value + this.model.signs[drawn(shares, Math.random())]);
      await new Promise(requestAnimationFrame);
    }
  }

  /** Draws everything for another place or other settings. */
  draw(changed = {}) {
    Object.assign(this, changed);
    if (!this.text.length) return;
    const { logits } = this.found;
    this.drawInside();
    this.tokens.shade(this.numbers.map((token, place) => (place ? softmax(logits[place - 1])[token] : 0)));
    const [whole, now] = [this.whole, this.found].map((found) => probabilities(found.logits[this.place], this.settings));
    const order = likeliest(now.map((share, token) => Math.max(share, whole[token]))).slice(0, LISTED);
    const table = barTable({
      caption: `What may come after ${named(this.text, this.place)}`,
      labels: order.map((token) => visible(this.model.signs[token])),
      columns: ["next", "all heads", "now"],
      decimals: 2,
    });
    table.draw([whole, now].map((shares) => order.map((token) => shares[token])));
    this.next.replaceChildren(table.element);
    this.say(this.sentence(now));
  }

  /** Draws what is inside the model, where it is not folded: the maps, and the likeliest next token (the logit lens). */
  drawInside() {
    if (!this.insides.open) return;
    const { states, maps } = this.found;
    this.lenses.forEach((line, one) => {
      const [logits] = said(this.model, [states[one][this.place]]);
      line.textContent = `${this.when[one]} it says ${this.first(softmax(logits))}`;
    });
    maps.flat().forEach((weights, one) => this.heads[one].draw(weights, this.place));
  }

  /** The likeliest token, with its share. */
  first(shares) {
    const [first] = likeliest(shares);
    return `“${visible(this.model.signs[first])}”, ${show(shares[first], 2)}`;
  }

  /** Which heads are off, what becomes of induction, and what the model says. */
  sentence(shares) {
    const off = [...this.off].sort();
    const are = { 0: "All heads are on.", 1: `Head ${off[0]} is off.` }[off.length] ?? `Heads ${listed(off)} are off.`;
    const places = this.text.map((_, place) => place).filter((place) => this.comesAgain(place));
    const right = ({ logits }) => places.filter((place) => likeliest(logits[place - 1])[0] === this.numbers[place]).length;
    const before = off.length ? `, and ${right(this.whole)} with all heads on` : "";
    const knowable = places.length
      ? `The model predicts ${right(this.found)} of ${places.length} repeated letters${before}.`
      : "No letters come again in the same order here.";
    const says = `After ${named(this.text, this.place)} it says ${this.first(shares)}.`;
    return this.isOfWords ? `${are} ${says}` : `${are} ${knowable} ${says}`; // a text tells more than what repeats in it
  }

  /** Find out if a token follows the same token as the last time. */
  comesAgain(place) {
    const earlier = place > 1 ? this.text.lastIndexOf(this.text[place - 1], place - 2) : -1;
    return earlier >= 0 && this.text[earlier + 1] === this.text[place];
  }
}

const MAPS =
  "A map is a head. Its rows are tokens that look, its columns tokens that are looked at. " +
  "The row of the chosen token is framed; below it stands where it looks most. Between the layers stands what the model would say " +
  "if it ended there.";

const note = (text) => html("p", { class: "widget-note", text });

/** The sign of a vocabulary for a letter: as it is, or small, or large; undefined if it does not know it. */
const signFor = (letter, signs) =>
  [letter, letter.toLowerCase(), letter.toUpperCase()].find((sign) => signs.includes(sign));

const layerOf = (heads, layer) =>
  html(
    "div",
    { class: "live-layer", role: "group", "aria-label": `Heads of layer ${layer + 1}` },
    html("p", { text: `Layer ${layer + 1}. Press a head to switch it off or on.` }),
    ...heads.map(({ element }) => element),
  );

const listed = (names) => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

customElements.define("live-gpt", LiveGpt);
