/**
 * A sentence is written, and the cache of keys and values grows with it.
 *
 *     <growing-cache queries="[[x, y], …]" keys="[[x, y], …]" values="[[x, y], …]" labels='["Your", …]' begin="4">
 *
 * begin: at which token; without it, at the first, where the cache is empty.
 * At each step the new token alone is projected; its query meets the keys that are kept, and its own. The rows of earlier
 * steps stay, paler: row by row, the weights of one pass with a causal mask come together.
 */
import { attention } from "./arithmetic.mjs";
import { facts, headRow, numberTable, row } from "./number_table.mjs";
import { Widget, controls, decimalsFor, html, show, slider } from "./widget.mjs";

const PROJECTIONS = 3; // a token's query, key and value

class GrowingCache extends Widget {
  static title = "A cache that grows token by token";
  tokens = html("div", {});
  facts = facts();
  answers = html("div", { class: "widget-row cache-answers" });

  start() {
    [this.queries, this.keys, this.values] = ["queries", "keys", "values"].map((attribute) => this.read(attribute));
    this.labels = this.read("labels");
    const count = this.labels.length;
    const begin = Number(this.getAttribute("begin") ?? 1);
    const steps = slider({
      label: "Tokens",
      min: 1,
      max: count,
      value: begin,
      describe: (end) => `${end} of ${count}`,
      onInput: (end) => this.go(end),
    });
    const pictures = html("div", { class: "widget-row cache-tokens" }, this.tokens, this.facts.element);
    const note = html("p", { class: "widget-note", text: "Pale rows are from earlier steps: nobody computes them again." });
    this.append(controls(steps), pictures, this.answers, note, this.says);
    this.go(begin);
  }

  /** Shows the step in which a token is written: the last of the first `end`. */
  go(end) {
    const past = end - 1;
    const [queries, keys, values] = [this.queries, this.keys, this.values].map((all) => all.slice(0, end));
    const { weights, context } = attention(queries, keys, values, { causal: true });
    this.tokens.replaceChildren(this.tokenTable(past));
    this.answers.replaceChildren(this.weightTable(weights, past), this.contextTable(context, past));
    this.facts.draw({
      "projections with the cache": PROJECTIONS * end,
      "projections without it": (PROJECTIONS * end * (end + 1)) / 2,
      "numbers in the cache": end * (keys[0].length + values[0].length),
    });
    const name = `“${this.labels[past]}”`;
    const kept = `${past} token${past === 1 ? "" : "s"}`;
    const cached = past ? `The keys and values of ${kept} come from the cache.` : "The cache was empty.";
    const terms = weights[past].map((weight) => show(weight)).join(" + ");
    this.say(`Projected now: ${name}. ${cached} The weights of ${name}: ${terms}${past ? " = 1" : ""}.`);
  }

  /** Each token with its query, key and value: kept, new, or not yet there. */
  tokenTable(past) {
    const rows = this.rows(past, ["kept", "new", ""], (token, state) => [
      state === "kept" ? { class: "query gone", text: "not kept" } : cell("query", this.queries[token], state),
      cell("key", this.keys[token], state),
      cell("value", this.values[token], state),
      { class: "state", text: state },
    ]);
    return numberTable({ caption: "The tokens", heads: [headRow(["token", "query", "key", "value", ""])], rows });
  }

  /** A row for each query so far, a column for each key. */
  weightTable(weights, past) {
    const decimals = decimalsFor(this.labels.length);
    const weightCell = (weight) => ({ style: `--share: ${weight.toFixed(3)}`, text: show(weight, decimals) });
    const rows = this.rows(past, ["earlier", "new", ""], (token) =>
      this.labels.map((_, key) => (key > token || token > past ? { class: "later" } : weightCell(weights[token][key]))),
    );
    return numberTable({ caption: `Weights, (1, ${past + 1})`, heads: [headRow(["query", ...this.labels])], rows });
  }

  contextTable(context, past) {
    const rows = this.rows(past, ["earlier", "new", ""], (token, state) => [cell("context", context[token], state, 4)]);
    return numberTable({ caption: "Context", heads: [headRow(["query", "context"])], rows });
  }

  /** A row for each token, by its state: of an earlier step, of this one, or not yet there. */
  rows(past, [earlier, now, later], cellsOf) {
    return this.labels.map((name, token) => {
      const state = token < past ? earlier : token === past ? now : later;
      return row(name, cellsOf(token, state), `cache-${state || "later"}`);
    });
  }
}

/** A vector in the colour of its role; what is not yet there is empty. */
const cell = (role, vector, state, decimals = 2) => ({
  class: `${role} ${state || "later"}`,
  text: state && vector.map((number) => show(number, decimals)).join(" "),
});

customElements.define("growing-cache", GrowingCache);
