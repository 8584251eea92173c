/**
 * A box to write a line in: what is expected beside what comes out, as one types, and what is wrong in the grader's words.
 *
 *     <write-line ask="Write …" cases='[{"name": …, "given": …, "expected": …, "answers": …}, …]' says='["You divide …", …]'>
 *
 * autograder/site/written_line.py makes the cases: the first is drawn as long as the line is right for it. titles: of several outputs.
 * step: its name. without: names of torch's that it forbids. hints: each closer to the line, shown one at a time.
 */
import { drawing, roleOf } from "./line_drawing.mjs";
import { judged, prepared } from "./line_verdict.mjs";
import { Tensor, spell } from "./tensor_language/tensor.mjs";
import { Widget, button, controls, html } from "./widget.mjs";

const SIGNS = [" @ ", ".T", "()", "[]", " / ", " ** ", " = "];
const NOTHING = "Nothing is written yet. What comes out is drawn while you write.";

let boxes = 0;

class WriteLine extends Widget {
  static title = "A box to write a line of attention in";

  start() {
    this.cases = prepared(this.read("cases"));
    this.mistakes = this.read("says");
    [this.hints, this.titles, this.without] = ["hints", "titles", "without"].map((name) => this.read(name) ?? []);
    const [first] = Object.keys(this.cases[0].given);
    const id = `line-names-${(boxes += 1)}`;
    this.names = html("p", { class: "line-names", id });
    this.field = html("textarea", {
      rows: 1,
      placeholder: `such as ${first} + 1`,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      autocorrect: "off",
      "aria-describedby": id,
      oninput: () => this.judge(),
    });
    this.marks = html("pre", { "aria-hidden": "true" });
    this.verdict = html("div", { class: "line-verdict" }, this.says);
    this.tensors = html("div", { class: "line-tensors" });
    this.yours = side([]);
    this.inputs = html("div", { class: "line-tensors" });
    this.append(this.editor(), this.names, this.keys(), this.verdict, this.tensors);
    if (Object.values(this.cases[0].given).some((value) => value instanceof Tensor)) {
      const words = html("summary", { text: "The numbers that go in" });
      this.append(html("details", { class: "line-inputs" }, words, this.inputs));
    }
    this.judge();
  }

  /** The field, as high as its lines. Below it lies the same text, unseen, in which a problem is underlined. */
  editor() {
    const ask = html("span", { class: "line-ask" }, ...worded(this.getAttribute("ask")));
    return html("label", {}, ask, html("span", { class: "line-field" }, this.marks, this.field));
  }

  /** Puts a text into the field, and the caret at a place of it. */
  put(text, caret) {
    this.field.value = text;
    this.field.setSelectionRange(caret, caret);
    this.field.focus();
    this.judge();
  }

  /** Looks at the line as it is now, and shows what comes out. */
  judge() {
    const text = this.field.value;
    const found = judged(text, { cases: this.cases, says: this.mistakes, without: this.without });
    const { from, to } = found.problem ?? { from: 0, to: 0 };
    this.field.setAttribute("aria-invalid", String(Boolean(found.problem)));
    this.marks.replaceChildren(text.slice(0, from), html("mark", { text: text.slice(from, to) }), `${text.slice(to)}\n`);
    this.verdict.dataset.state = found.problem && !found.known ? "unready" : found.state;
    const words = found.state === "empty" ? NOTHING : found.words;
    this.say(words.replaceAll("`", ""));
    this.says.firstChild.replaceChildren(...worded(words)); // for the eye, names are code
    if (found.shown !== this.shown) this.showCase(found.shown);
    this.showValues(found.values);
  }

  /** The names that a line may use, with their shapes, where a press writes one; the numbers that go in, and what is expected. */
  showCase(shown) {
    this.shown = shown;
    const entries = Object.entries(shown.given);
    const chips = entries.map(([key, value]) => this.key(key, html("code", { text: key }), ` ${shapeOf(value)}`));
    const which = shown === this.cases[0] ? "" : ` in “${shown.name}”`;
    this.names.replaceChildren(html("span", { text: `You have${which} ` }), ...chips);
    const tensors = entries.filter(([, value]) => value instanceof Tensor);
    const given = ([key, value]) => side([drawing(key, roleOf(key), value, value, shown)]);
    this.inputs.replaceChildren(...tensors.map(given));
    const expected = shown.expected.map((value, one) => this.drawing("expected", value, one));
    this.tensors.replaceChildren(side(expected), this.yours);
  }

  /** The result of the line, beside the expected one. */
  showValues(values) {
    const drawings = values?.map((value, one) => this.drawing("yours", value, one));
    if (!drawings && this.yours.querySelector("table")) {
      this.yours.style.minHeight = `${this.yours.offsetHeight}px`; // what is below does not jump while a line is not whole
    } else if (drawings) this.yours.style.minHeight = "";
    this.yours.replaceChildren(...(drawings ?? [html("p", { class: "line-nothing", text: "yours: nothing yet" })]));
  }

  /** The drawing of an output, in the role of its own name or of the step. */
  drawing(whose, value, one) {
    const title = this.titles[one];
    const role = roleOf(title ?? this.getAttribute("step"));
    return drawing([whose, title].filter(Boolean).join(" "), role, value, this.shown.expected[one], this.shown);
  }

  /** A button that writes at the caret; between brackets the caret stays. Whoever has a keyboard need not pass it. */
  key(text, ...content) {
    const inside = /^(\(\)|\[\])$/.test(text) ? 1 : text.length;
    const press = () => {
      const { value, selectionStart, selectionEnd } = this.field;
      this.put(value.slice(0, selectionStart) + text + value.slice(selectionEnd), selectionStart + inside);
    };
    const keep = (event) => event.preventDefault(); // the caret stays in the line, and a phone's keyboard open
    const attributes = { type: "button", class: "line-key", tabindex: -1, onclick: press, onpointerdown: keep };
    return html("button", attributes, ...content);
  }

  /** Signs, which only touch screens show, hints one at a time, and a button that clears the line. */
  keys() {
    const signs = SIGNS.map((text) => this.key(text, html("code", { text: text.trim() })));
    const hints = html("ol", { class: "line-hints" });
    const next = button("Hint", () => {
      hints.append(html("li", {}, ...worded(this.hints[hints.children.length])));
      next.disabled = hints.children.length === this.hints.length;
    });
    const clear = button("Clear", () => this.put("", 0));
    next.hidden = !this.hints.length;
    const row = html("p", { class: "line-signs", "aria-label": "Signs", role: "group" }, ...signs);
    return html("div", {}, row, controls(next, clear), hints);
  }
}

/** Words with what stands between backticks as code. */
const worded = (words) => words.split("`").map((part, place) => (place % 2 ? html("code", { text: part }) : part));

const side = (drawings) => html("div", { class: "line-side" }, ...drawings);

const shapeOf = (value) => (value instanceof Tensor ? spell(value.shape) : `= ${value.number}`);

customElements.define("write-line", WriteLine);
