/**
 * The frame of all widgets: a custom element that takes its numbers from JSON in its attributes.
 *
 * The content of the element in the page is for readers without JavaScript; a widget that starts replaces it.
 * It starts when it comes near the window, so that a page does not build what nobody has scrolled to.
 * Custom elements notice by themselves where they are inserted, so instant navigation needs no further code.
 * The classes that the builders below give are described in stylesheets/widgets.css.
 */

export class Widget extends HTMLElement {
  /** The accessible name, unless the page gives an aria-label of its own. */
  static title = "";

  /** A line of words about the picture. */
  says = liveLine();

  /** Starts the widget the first time it is near the window. */
  connectedCallback() {
    if (this.started) return;
    if (approach) approach.observe(this);
    else this.begin();
  }

  /** Makes way for the widget, and starts it. */
  begin() {
    this.started = true;
    this.replaceChildren();
    this.classList.add("widget");
    this.setAttribute("role", "group");
    if (!this.hasAttribute("aria-label")) this.setAttribute("aria-label", this.constructor.title);
    this.start();
  }

  /** Says words in the line: seen at once, and heard after a pause. A slider in motion is not read aloud at every step. */
  say(words) {
    const [seen, heard] = this.says.children;
    seen.textContent = words;
    clearTimeout(this.pausing);
    if (heard.textContent) this.pausing = setTimeout(() => (heard.textContent = words), PAUSE);
    else heard.textContent = words;
  }

  /** The JSON of an attribute. */
  read(attribute) {
    return JSON.parse(this.getAttribute(attribute));
  }

  /** Loads a file beside this module, called `what` in words, and calls receive with the answer. */
  async load(what, address, receive) {
    this.say(`The ${what} is loading.`);
    this.replaceChildren(this.says);
    try {
      const answer = await fetch(new URL(address, import.meta.url));
      if (!answer.ok) throw new Error(answer.statusText);
      await receive(answer);
    } catch {
      this.say(`The ${what} could not be loaded. Load the page again when you are online.`);
    }
  }
}

/** An HTML element. Attributes that are functions become listeners (`oninput`), `text` becomes its text. */
export const html = (name, attributes = {}, ...children) => build(document.createElement(name), attributes, children);

/** An SVG element, made in the same way. */
export const svg = (name, attributes = {}, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** A number as the lectures print it: four decimals unless told otherwise, with a true minus. */
export function show(number, decimals = 4) {
  if (number === -Infinity) return "−∞";
  const text = number.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** The decimals of numbers in so many columns: a phone has room for more than four of them with two decimals only. */
export const decimalsFor = (columns) => (columns > 4 && matchMedia("(max-width: 480px)").matches ? 2 : 4);

/** A button that does something at once. */
export const button = (text, onclick, attributes = {}) =>
  html("button", { type: "button", class: "widget-button", text, onclick, ...attributes });

/**
 * A labelled slider whose value is said in words: `describe` turns the number into what is shown and read aloud.
 *
 * Its method moveTo(number) shows a number that was set elsewhere, without calling onInput.
 */
export function slider({ label, min = 0, max, step = 1, value = min, describe = String, onInput }) {
  const input = html("input", { type: "range", min, max, step });
  // Hidden from screen readers: they hear the same words as the value of the slider.
  const output = html("output", { "aria-hidden": "true" });
  const moveTo = (number) => {
    input.value = number;
    input.setAttribute("aria-valuetext", describe(number));
    output.value = describe(number);
  };
  input.addEventListener("input", () => {
    const number = Number(input.value);
    moveTo(number);
    onInput(number);
  });
  moveTo(value);
  const field = html("label", { class: "widget-slider" }, html("span", { text: label }), input, output);
  return Object.assign(field, { moveTo });
}

/**
 * One of several options, as a group of radio buttons. options: the words of each; its value is its place, from 0.
 *
 * values: others in place of these. value: the one that is chosen at first. kind: a class of its own.
 */
export function choice({ legend, options, values = [...options.keys()], value = values[0], kind = "", onChoose }) {
  const name = `choice-${(choices += 1)}`;
  const labels = options.map((text, at) => {
    const one = values[at];
    const input = html("input", { type: "radio", name, value: one, checked: one === value, onchange: () => onChoose(one) });
    return html("label", {}, input, html("span", { text }));
  });
  return html("fieldset", { class: `widget-choice ${kind}` }, html("legend", { text: legend }), ...labels);
}

/** A row of sliders, choices and buttons. */
export const controls = (...fields) => html("div", { class: "widget-controls" }, ...fields);

/** A line of words that are seen, and a copy of them that screen readers hear when it changes. */
function liveLine() {
  const seen = html("span", { "aria-hidden": "true" });
  const heard = html("span", { class: "widget-unseen", role: "status" });
  return html("p", { class: "widget-says" }, seen, heard);
}

/** Begins each widget that comes near the window; undefined where browsers cannot tell. */
const approach =
  globalThis.IntersectionObserver &&
  new IntersectionObserver(
    (entries, observer) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        target.begin();
      }
    },
    { rootMargin: "600px 0px" },
  );

const PAUSE = 250; // milliseconds
let choices = 0;

function build(element, { text, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}
