/**
 * Query heads share heads of keys and values: <head-sharing heads="8" head-dim="128">.
 *
 * Heads are counted from 0 here, as the rule i // groups counts them.
 */
import { facts } from "./number_table.mjs";
import { Widget, button, choice, controls, html, svg } from "./widget.mjs";

class HeadSharing extends Widget {
  static title = "Query heads that share keys and values";
  picture = html("div", {});
  facts = facts();

  start() {
    [this.heads, this.headDim] = ["heads", "head-dim"].map((name) => this.read(name));
    this.all = counting(this.heads);
    const divisors = this.all.map((head) => this.heads - head).filter((kv) => this.heads % kv === 0);
    const nameOf = (kv) => ({ [this.heads]: "MHA", 1: "MQA" })[kv] ?? "GQA";
    const sharing = choice({
      legend: "Heads of keys and values",
      options: divisors.map((kv) => `${kv} ${nameOf(kv)}`),
      values: divisors,
      value: divisors[1],
      onChoose: (kv) => this.draw({ kv }),
    });
    this.queries = choice({
      legend: "Query heads",
      options: this.all,
      value: 1,
      kind: "sharing-queries",
      onChoose: (head) => this.draw({ head }),
    });
    this.style.setProperty("--heads", this.heads);
    this.toggle = button("repeat in the wrong order", () => this.draw({ inTurns: !this.inTurns }));
    this.append(controls(sharing, this.toggle), this.queries, this.picture, this.facts.element, this.says);
    this.draw({ kv: divisors[1], head: 1, inTurns: false });
  }

  draw(settings) {
    Object.assign(this, settings);
    const { kv, head, inTurns, heads } = this;
    const groups = heads / kv;
    const right = this.all.map((query) => Math.floor(query / groups));
    const used = inTurns ? this.all.map((query) => query % kv) : right;
    this.toggle.setAttribute("aria-pressed", String(inTurns));
    this.queries.querySelectorAll("label").forEach((label, query) => {
      label.className = `${colourOf(used[query])} ${used[query] === right[query] ? "" : "astray"}`;
    });
    this.picture.replaceChildren(lines(used, right, kv, head), keyBoxes(kv, used[head]));
    this.facts.draw({
      "numbers kept for a token, in a layer": `2 × ${kv} × ${this.headDim} = ${grouped(2 * kv * this.headDim)}`,
      "of what multi-head attention keeps": groups === 1 ? "all" : `1 / ${groups}`,
    });
    this.say(`The keys repeated: ${used.join(" ")}. ${this.sentence(used, right)}`);
  }

  sentence(used, right) {
    const { kv, head, heads, inTurns } = this;
    const own = `${head} // ${heads / kv} = ${right[head]}`;
    const rule =
      used[head] === right[head]
        ? `Query head ${head} asks key head ${own}.`
        : `Query head ${head} asks key head ${used[head]}, and should ask ${own}.`;
    if (!inTurns) return rule;
    const astray = used.filter((key, query) => key !== right[query]).length;
    if (astray === 0) return `With ${kv} of ${heads} both orders are the same, so the mistake is hidden.`;
    return `${astray} of ${heads} query heads ask keys that are not theirs (≠). ${rule}`;
  }
}

const counting = (length) => [...Array(length).keys()];

const colourOf = (head) => `head-${(head % 8) + 1}`;

/** A whole number in groups of three digits. */
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** A line from each query head down to the head of keys that it uses. */
function lines(used, right, kv, chosen) {
  const line = (key, query) =>
    svg("line", {
      class: `${colourOf(key)} ${query === chosen ? "chosen" : ""} ${key === right[query] ? "" : "astray"}`,
      x1: (query + 0.5) / used.length,
      y1: 0,
      x2: (key + 0.5) / kv,
      y2: 1,
    });
  const size = { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" };
  return svg("svg", { class: "sharing-lines", ...size }, ...used.map(line));
}

/** A box for each head of keys and values. */
function keyBoxes(kv, chosen) {
  const names = (key) => [`k${key}`, `v${key}`].map((text) => html("span", { text }));
  const box = (key) => html("li", { class: `${colourOf(key)} ${key === chosen ? "chosen" : ""}` }, ...names(key));
  const attributes = { class: "sharing-keys", style: `--kv: ${kv}`, "aria-label": "Heads of keys and values" };
  return html("ol", attributes, ...counting(kv).map(box));
}

customElements.define("head-sharing", HeadSharing);
