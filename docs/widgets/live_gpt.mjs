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
import { drawn, likeliest, probabilities } from "./next_token.mjs";
import { readModel } from "./packed_model.mjs";
import { longest, run, said } from "./tiny_gpt.mjs";
import { LoadingWidget, button, define, html, say, show, slider, svg } from "./widget.mjs";

const BEGIN = "gpitswmzngpits"; // a text that <head-explorer> shows, up to a token after which each head matters
const LISTED = 6; // tokens that may come next
const SHADES = 16;
const WRITING = { "Write a token": 1, "Write eight": 8, "Write forty": 40 };

class LiveGpt extends LoadingWidget {
  static title = "A small trained model, and what it makes of a text";

  start() {
    const ask = this.getAttribute("ask");
    if (ask) this.append(button(ask, () => this.readModel().then(() => this.field?.focus()))); // the button that was pressed is gone
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
    this.plain = { temperature: 1, top: model.signs.length };
    this.settings = { ...this.plain };
    this.turn = undefined;
    this.field = textField((text) => {
      this.turn = undefined; // what a reader writes ends what the model is writing
      this.read(text);
    });
    this.opening = openButton((file) => this.open(file));
    this.remark = html("p", { class: "widget-note live-remark", role: "status" });
    this.tokens = tokenChoice((place) => this.choose(place));
    const layers = run(model, [0]).maps.map((heads, layer) => heads.map((_, head) => this.head(layer, head)));
    this.heads = layers.flat();
    this.strips = ["As it enters", ...layers.flatMap(() => ["After its heads", "After its feed forward"])].map(strip);
    this.allOn = button("All heads on", () => this.switchAll());
    this.next = html("div", { class: "live-next" });
    this.insides = this.inside(layers);
    this.writing = Object.entries(WRITING).map(([words, count]) => button(words, () => this.write(count)));
    this.replaceChildren(
      html("div", { class: "own-sentence" }, html("label", {}, html("span", { text: "What the model reads" }), this.field), this.remark),
      controls("Let the model go on", ...this.writing),
      this.sliders(),
      this.tokens.element,
      this.says,
      this.next,
      this.insides,
      note(OWN),
      this.opening,
    );
    const begin = this.getAttribute("begin") ?? BEGIN;
    this.put([...begin].every((sign) => model.signs.includes(sign)) ? begin : model.signs.slice(0, LISTED).join("").repeat(2));
  }

  /** Shows a reader's own model in place of the present one. */
  async open(file) {
    try {
      const model = readModel(await file.arrayBuffer());
      run(model, [0]);
      this.show(model);
      this.remark.textContent = `This is ${file.name}.`;
    } catch {
      this.remark.textContent = `${file.name} is no model of attn train: open the file that ends in .packed.safetensors.`;
    }
    this.opening.querySelector("button").focus();
  }

  /** The numbers of the chosen token on their way through the layers, and the heads of each. */
  inside(layers) {
    const [enters, ...strips] = this.strips.map(({ element }) => element);
    return html(
      "details",
      { class: "live-inside", open: !this.isOfWords, ontoggle: () => this.drawInside() },
      html("summary", { text: "Inside the model" }),
      note(BARS),
      enters,
      note(MAPS),
      ...layers.flatMap((heads, layer) => [layerOf(heads, layer), ...strips.slice(2 * layer, 2 * layer + 2)]),
      html("div", { class: "widget-controls" }, this.allOn),
    );
  }

  get isOfWords() {
    return this.hasAttribute("begin");
  }

  sliders() {
    const temperature = slider({
      label: "Temperature",
      min: 0,
      max: 3,
      step: 0.1,
      value: this.plain.temperature,
      describe: (number) => (number ? show(number, 1) : "0: the likeliest"),
      onInput: (number) => this.set({ temperature: number }),
    });
    const top = slider({
      label: "Top k",
      min: 1,
      max: this.plain.top,
      step: 1,
      value: this.plain.top,
      describe: (number) => (number === this.plain.top ? `${number}: all` : String(number)),
      onInput: (number) => this.set({ top: number }),
    });
    return html("div", { class: "widget-controls live-sliders" }, temperature, top);
  }

  /** A head that is switched by a press, with a place for its map, and for where the chosen token looks most. */
  head(layer, head) {
    const name = `${layer + 1}.${head + 1}`;
    const shades = Array.from({ length: SHADES }, (_, shade) => svg("path", { "fill-opacity": (shade + 1) / SHADES }));
    const frame = svg("rect", { x: 0, height: 1 });
    const map = svg("svg", { class: "live-map", "aria-hidden": "true" }, ...shades, frame);
    const label = html("span", { class: "live-name" }, html("b", { text: name }), html("i", { class: "live-switch" }));
    const most = html("span", { class: "live-most" });
    const element = html("button", { type: "button", role: "switch", class: "live-head" }, label, map, most);
    element.addEventListener("click", () => {
      if (!this.off.delete(name)) this.off.add(name);
      this.think();
    });
    const draw = (weights, count, place) => {
      const seen = place < 0 ? undefined : largestOf(weights[place]);
      const looks = seen === undefined ? "" : `${named(this.text, seen)}, ${show(weights[place][seen], 2)}`;
      element.ariaChecked = !this.off.has(name);
      element.ariaLabel = looks ? `Head ${name}: ${named(this.text, place)} looks most at ${looks}` : `Head ${name}`;
      most.textContent = looks.replaceAll(/[“”,]/g, "");
      map.setAttribute("viewBox", `0 0 ${count} ${count}`);
      cells(weights).forEach((d, shade) => shades[shade].setAttribute("d", d));
      frame.setAttribute("y", place);
      frame.setAttribute("width", count);
    };
    return { element, draw };
  }

  switchAll() {
    this.off.clear();
    this.think();
    this.heads[0].element.focus(); // the button that was pressed can be pressed no more
  }

  /** Writes a text into the field, and reads it. */
  put(text) {
    this.field.value = text;
    this.read(text);
  }

  /** Another text: its last token is chosen. */
  read(text) {
    const { signs } = this.model;
    const letters = [...text];
    const known = letters.map((letter) => signFor(letter, signs)).filter(Boolean);
    this.text = known.slice(-longest(this.model));
    this.numbers = this.text.map((sign) => signs.indexOf(sign));
    this.place = this.text.length - 1;
    this.remark.textContent = this.remarkOn(letters.length - known.length, known.length - this.text.length);
    this.tokens.spell(this.text, this.place);
    this.whole = run(this.model, this.numbers);
    this.think();
  }

  remarkOn(unknown, before) {
    const remarks = [
      unknown && `${unknown} left out. The model knows only these: ${this.model.signs.map(visible).join("")}`,
      before && `It reads the last ${longest(this.model)} tokens.`,
    ];
    return remarks.filter(Boolean).join(" ");
  }

  choose(place) {
    this.place = place;
    this.draw();
  }

  set(settings) {
    Object.assign(this.settings, settings);
    this.draw();
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

  draw() {
    const { logits } = this.found;
    const count = this.text.length;
    this.drawInside();
    this.tokens.shade(this.numbers.map((token, place) => (place ? softmax(logits[place - 1])[token] : 0)));
    this.allOn.disabled = this.off.size === 0;
    this.writing.forEach((one) => (one.disabled = count === 0));
    this.next.replaceChildren(...(count ? [this.table()] : []));
    say(this.says, count ? this.sentence() : "Write something for the model to read.");
  }

  /** Draws what is inside the model, where it is not folded. */
  drawInside() {
    if (!this.insides.open) return;
    const { states, maps } = this.found;
    const count = this.text.length;
    const width = states[0].length / count;
    const vectors = states.map((state) => state.subarray(this.place * width, (this.place + 1) * width));
    this.strips.forEach(({ draw }, one) => draw(vectors[one], count ? this.lens(vectors[one]) : ""));
    maps.flat().forEach((weights, one) => this.heads[one].draw(weights, count, this.place));
  }

  /** The likeliest next token if the model ended here (the logit lens). */
  lens(vector) {
    const [logits] = said(this.model, vector);
    const first = largestOf(logits);
    return `“${visible(this.model.signs[first])}”, ${show(softmax(logits)[first], 2)}`;
  }

  /** A table of the tokens that may come after the chosen one, as likely as the settings make it, with all heads and with those that are on. */
  table() {
    const [now, whole] = [this.found, this.whole].map(({ logits }) => probabilities(logits[this.place], this.settings));
    const either = now.map((share, token) => Math.max(share, whole[token]));
    const rows = likeliest(either).slice(0, LISTED).map((token) => {
      const bar = html("div", { class: "widget-bar", style: `width: ${100 * now[token]}%` });
      const width = `width: ${100 * whole[token]}%`;
      const before = html("div", { class: "live-before", hidden: this.off.size === 0, style: width }); // an outline
      return html(
        "tr",
        {},
        html("th", { scope: "row", text: visible(this.model.signs[token]) }),
        html("td", { class: "number", text: show(whole[token], 2) }),
        html("td", { class: "number", text: show(now[token], 2) }),
        html("td", { class: "widget-track", "aria-hidden": "true" }, html("div", { class: "live-bars" }, bar, before)),
      );
    });
    const heads = ["next", "all heads", "now"].map((text) => html("th", { scope: "col", text }));
    return html(
      "table",
      { class: "widget-numbers widget-bars" },
      html("caption", { text: `What may come after ${named(this.text, this.place)}` }),
      html("thead", {}, html("tr", {}, ...heads, html("td"))),
      html("tbody", {}, ...rows),
    );
  }

  /** Which heads are off, what becomes of induction, and what the model says. */
  sentence() {
    const off = [...this.off].sort();
    const are = { 0: "All heads are on.", 1: `Head ${off[0]} is off.` }[off.length] ?? `Heads ${listed(off)} are off.`;
    const places = this.text.map((_, place) => place).filter((place) => this.comesAgain(place));
    const right = ({ logits }) => places.filter((place) => largestOf(logits[place - 1]) === this.numbers[place]).length;
    const before = off.length ? `, and ${right(this.whole)} with all heads on` : "";
    const knowable = places.length
      ? `The model predicts ${right(this.found)} of ${places.length} repeated letters${before}.`
      : "No letters come again in the same order here.";
    const [first] = likeliest(this.found.logits[this.place]);
    const share = probabilities(this.found.logits[this.place], this.settings)[first];
    const says = `After ${named(this.text, this.place)} it says “${visible(this.model.signs[first])}”, ${show(share, 2)}.`;
    return this.isOfWords ? `${are} ${says}` : `${are} ${knowable} ${says}`; // a text tells more than what repeats in it
  }

  /** Find out if a token follows the same token as the last time. */
  comesAgain(place) {
    const earlier = place > 1 ? this.text.lastIndexOf(this.text[place - 1], place - 2) : -1;
    return earlier >= 0 && this.text[earlier + 1] === this.text[place];
  }
}

/** The tokens as a choice of one. spell(text, place) changes only what has changed; shade(shares) shades them. */
function tokenChoice(onChoose) {
  const name = `live-tokens-${(choices += 1)}`;
  const legend = html("legend", { text: "Tokens, shaded where the model expected them" });
  const element = html("fieldset", { class: "widget-choice explorer-tokens" }, legend);
  const labels = [];
  const label = (place) => {
    const input = html("input", { type: "radio", name, onchange: () => onChoose(place) });
    const span = html("span", {});
    return { input, span, element: html("label", {}, input, span) };
  };
  const spell = (text, chosen) => {
    while (labels.length > text.length) labels.pop().element.remove();
    text.forEach((sign, place) => {
      if (place === labels.length) element.append(labels[labels.push(label(place)) - 1].element);
      const { input, span } = labels[place];
      input.checked = place === chosen;
      if (span.textContent === visible(sign)) return;
      span.textContent = visible(sign);
      input.ariaLabel = named(text, place);
    });
  };
  const shade = (shares) =>
    shares.forEach((one, place) => {
      const share = Math.round(one * SHADES) / SHADES; // one that keeps its shade costs nothing
      if (labels[place].share === share) return; // a property that is set again costs as much as another one
      labels[place].share = share;
      labels[place].span.style.setProperty("--share", share);
    });
  return { element, spell, shade };
}

function textField(onInput) {
  const field = html("textarea", { rows: 1, spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
  field.addEventListener("input", () => onInput(field.value));
  return field;
}

/** A button that lets a reader choose a file. */
function openButton(onFile) {
  const input = html("input", { type: "file", accept: ".safetensors", hidden: true });
  input.addEventListener("change", () => input.files[0] && onFile(input.files[0]));
  return html("div", { class: "widget-controls" }, button("Open your own model", () => input.click()), input);
}

const BARS =
  "The bars are the numbers of the chosen token, here and on its way; the longest is as far from 0 as it says at the end. " +
  "In words: what the model would say if it ended there.";
const MAPS =
  "A map is a head. Its rows are tokens that look, its columns tokens that are looked at. " +
  "The row of the chosen token is framed; below it stands where it looks most.";
const OWN = "attn train writes a file of your own model, which you can open here: it stays on your machine.";

const note = (text) => html("p", { class: "widget-note", text });

/** Buttons in a row, behind words that say what they have in common. */
const controls = (words, ...buttons) =>
  html("div", { class: "widget-controls", role: "group", "aria-label": words }, html("span", { class: "live-words", text: words }), ...buttons);

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

/** The numbers of a token as bars, up and down from a line, and what they say; the longest is as long as there is room. */
function strip(words) {
  const heard = html("span", {});
  const picture = svg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
  const scale = html("small", { "aria-hidden": "true" });
  const draw = (numbers, says) => {
    const reach = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    heard.textContent = says ? `${words} it says ${says}` : words;
    scale.textContent = numbers.length ? `±${show(reach, 1)}` : "";
    picture.setAttribute("viewBox", `0 -1 ${Math.max(numbers.length, 1)} 2`);
    const bars = Array.from(numbers, (number, at) => `M${at + 0.1} 0v${(-number / reach).toFixed(3)}h.8V0z`);
    picture.replaceChildren(svg("path", { d: bars.join("") }));
  };
  return { draw, element: html("div", { class: "live-strip" }, heard, picture, scale) };
}

/** The cells of a map, as one path of each shade. Rows look, columns are looked at. */
function cells(weights) {
  const shades = Array.from({ length: SHADES + 1 }, () => "");
  weights.forEach((row, place) =>
    row.forEach((weight, seen) => {
      const shade = Math.round(weight * SHADES);
      if (shade) shades[shade] += `M${seen} ${place}h1v1h-1z`;
    }),
  );
  return shades.slice(1);
}

const WRITTEN = { " ": "␣", "\n": "↵", "\t": "⇥" };

let choices = 0;

const largestOf = (numbers) => numbers.reduce((most, number, at) => (number > numbers[most] ? at : most), 0);

const visible = (token) => WRITTEN[token] ?? token;

const listed = (names) => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** A token with its place, counted from 1: several may be alike. */
const named = (tokens, place) => `“${visible(tokens[place])}” (${place + 1})`;

define("live-gpt", LiveGpt);
