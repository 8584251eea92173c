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
import { fact, headRow, numberTable } from "./number_table.mjs";
import { stepper } from "./stepper.mjs";
import { Widget, decimalsFor, define, html, liveLine, say, show } from "./widget.mjs";

const PROJECTIONS = 3; // a token's query, key and value

class GrowingCache extends Widget {
  static title = "A cache that grows token by token";
  tokens = html("div", {});
  facts = html("dl", { class: "widget-facts cache-facts" });
  answers = html("div", { class: "widget-row cache-answers" });
  says = liveLine();

  start() {
    [this.queries, this.keys, this.values] = ["queries", "keys", "values"].map((attribute) => this.read(attribute));
    this.labels = this.read("labels");
    this.stepper = stepper({
      label: "Tokens",
      count: this.labels.length,
      describe: (step) => `${step + 1} of ${this.labels.length}`,
      onStep: (step) => this.go(step),
    });
    const pictures = html("div", { class: "widget-row cache-tokens" }, this.tokens, this.facts);
    const note = html("p", { class: "widget-note", text: "Pale rows are from earlier steps: nobody computes them again." });
    this.append(this.stepper.element, pictures, this.answers, note, this.says);
    this.go(Number(this.getAttribute("begin") ?? 1) - 1);
  }

  go(step) {
    const [past, end] = [step, step + 1];
    const { weights, context } = attention(this.queries.slice(0, end), this.keys.slice(0, end), this.values.slice(0, end), { causal: true });
    this.stepper.moveTo(step);
    this.tokens.replaceChildren(this.tokenTable(past, end));
    this.answers.replaceChildren(this.weightTable(weights, past), this.contextTable(context, past));
    this.facts.replaceChildren(...this.counts(step));
    say(this.says, this.sentence(weights, past));
  }

  /** Each token with its query, key and value: kept, new, or not yet there. */
  tokenTable(past, end) {
    const rows = this.labels.map((label, token) => {
      const state = token < past ? "kept" : token < end ? "new" : "later";
      const cells = [
        cell("query", state === "kept" ? "not kept" : pairOf(this.queries[token]), state === "kept" ? "gone" : state),
        cell("key", pairOf(this.keys[token]), state),
        cell("value", pairOf(this.values[token]), state),
      ];
      const name = html("th", { scope: "row", text: label });
      return html("tr", { class: `cache-${state}` }, name, ...cells, html("td", { class: "state", text: SAYS[state] }));
    });
    return numberTable({ caption: "The tokens", heads: [headRow(["token", "query", "key", "value", ""])], rows });
  }

  /** A row for each query so far: the keys of the past first, then those that came with it. */
  weightTable(weights, past) {
    const decimals = decimalsFor(this.labels.length);
    const end = weights.length;
    const rows = this.answerRows(past, end, (token) =>
      this.labels.map((_, key) => weightCell(token, key, weights[token]?.[key], decimals)),
    );
    const heads = [groups(past, end, this.labels.length), headRow(["query", ...this.labels])];
    return numberTable({ caption: `Weights, (${end - past}, ${end})`, heads, rows });
  }

  contextTable(context, past) {
    const rows = this.answerRows(past, context.length, (token) => {
      const computed = token < context.length;
      return [cell("context", computed ? pairOf(context[token], 4) : "", computed ? "new" : "later")];
    });
    return numberTable({ caption: "Context", heads: [headRow(["query", "context"])], rows });
  }

  /** A row for each token: from an earlier step, from this one, or not yet there. */
  answerRows(past, end, cells) {
    return this.labels.map((text, token) => {
      const state = token < past ? "earlier" : token < end ? "new" : "later";
      return html("tr", { class: `cache-${state}` }, html("th", { scope: "row", text }), ...cells(token));
    });
  }

  /** The projections so far, with the cache and without, and the numbers in the cache. */
  counts(step) {
    const end = step + 1;
    const anew = (end * (end + 1)) / 2;
    const kept = end * (this.keys[0].length + this.values[0].length);
    return [
      fact("projections with the cache", PROJECTIONS * end),
      fact("projections without it", PROJECTIONS * anew),
      fact("numbers in the cache", kept),
    ];
  }

  sentence(weights, past) {
    const name = `“${this.labels[past]}”`;
    const cached = past === 0 ? "The cache was empty." : `The keys and values of ${count(past)} come from the cache.`;
    const terms = weights[past].slice(0, past + 1).map((weight) => show(weight));
    const written = terms.length === 1 ? terms[0] : `${terms.join(" + ")} = 1`;
    return `Projected now: ${name}. ${cached} The weights of ${name}: ${written}.`;
  }
}

const SAYS = { kept: "kept", new: "new", later: "" };

const pairOf = (vector, decimals = 2) => vector.map((number) => show(number, decimals)).join(" ");

const count = (tokens) => `${tokens} token${tokens === 1 ? "" : "s"}`;

/** A cell in the colour of its role; what is not yet there is empty. */
const cell = (role, text, state) => html("td", { class: `${role} ${state}`, text: state === "later" ? "" : text });

/** A weight, if the query has met the key. */
function weightCell(query, key, weight, decimals) {
  if (weight === undefined || key > query) return html("td", { class: "later" });
  return html("td", { style: `--share: ${weight.toFixed(3)}`, text: show(weight, decimals) });
}

/** Over the names of the keys: which are kept, which are new, and a place for those that are not yet there. */
function groups(past, end, all) {
  const group = (text, width) => html("th", { scope: "colgroup", colspan: width, class: "group", text });
  const later = all > end ? [html("td", { colspan: all - end })] : [];
  return html("tr", {}, html("td", {}), ...(past > 0 ? [group("kept", past)] : []), group("new", end - past), ...later);
}

define("growing-cache", GrowingCache);
