/**
 * Query heads share heads of keys and values: <head-sharing heads="8" head-dim="128">.
 *
 * Heads are counted from 0 here, as the rule i // groups counts them.
 */
import { fact } from "./number_table.mjs";
import { Widget, button, choice, define, html, liveLine, say, svg } from "./widget.mjs";

class HeadSharing extends Widget {
  static title = "Query heads that share keys and values";
  picture = html("div", {});
  facts = html("dl", { class: "widget-facts" });
  says = liveLine();

  start() {
    this.heads = Number(this.getAttribute("heads"));
    this.headDim = Number(this.getAttribute("head-dim"));
    const divisors = counting(this.heads)
      .map((head) => this.heads - head)
      .filter((kv) => this.heads % kv === 0);
    this.state = { kv: divisors[1], head: 1, inTurns: false };
    this.append(this.controls(divisors), this.chosen(), this.picture, this.facts, this.says);
    this.change({});
  }

  controls(divisors) {
    const sharing = choice({
      legend: "Heads of keys and values",
      options: divisors.map((kv) => [String(kv), `${kv} ${this.nameOf(kv)}`]),
      value: String(this.state.kv),
      onChoose: (kv) => this.change({ kv: Number(kv) }),
    });
    this.toggle = button("repeat in the wrong order", () => this.change({ inTurns: !this.state.inTurns }));
    return html("div", { class: "widget-controls" }, sharing, this.toggle);
  }

  /** The query heads, one of which is chosen. */
  chosen() {
    this.queries = choice({
      legend: "Query heads",
      options: counting(this.heads).map((head) => [String(head), String(head)]),
      value: String(this.state.head),
      onChoose: (head) => this.change({ head: Number(head) }),
    });
    this.queries.classList.add("sharing-queries");
    this.style.setProperty("--heads", this.heads);
    return this.queries;
  }

  change(settings) {
    Object.assign(this.state, settings);
    const { kv, head, inTurns } = this.state;
    const groups = this.heads / kv;
    const right = counting(this.heads).map((query) => Math.floor(query / groups));
    const used = inTurns ? counting(this.heads).map((query) => query % kv) : right;
    this.toggle.setAttribute("aria-pressed", String(inTurns));
    this.queries.querySelectorAll("label").forEach((label, query) => {
      label.className = `${colourOf(used[query])} ${used[query] === right[query] ? "" : "astray"}`;
    });
    this.picture.replaceChildren(lines(used, right, kv, head), keyBoxes(kv, used[head]));
    this.facts.replaceChildren(...this.counts(kv));
    say(this.says, this.sentence(used, right));
  }

  nameOf(kv) {
    return kv === this.heads ? "MHA" : kv === 1 ? "MQA" : "GQA";
  }

  counts(kv) {
    const groups = this.heads / kv;
    return [
      fact("numbers kept for a token, in a layer", `2 × ${kv} × ${this.headDim} = ${grouped(2 * kv * this.headDim)}`),
      fact("of what multi-head attention keeps", groups === 1 ? "all" : `1 / ${groups}`),
    ];
  }

  sentence(used, right) {
    const { kv, head, inTurns } = this.state;
    const groups = this.heads / kv;
    const order = `The keys repeated: ${used.join(" ")}.`;
    const own = `${head} // ${groups} = ${right[head]}`;
    const rule =
      used[head] === right[head]
        ? `Query head ${head} asks key head ${own}.`
        : `Query head ${head} asks key head ${used[head]}, and should ask ${own}.`;
    if (!inTurns) return `${order} ${rule}`;
    const astray = used.filter((key, query) => key !== right[query]).length;
    if (astray === 0) return `${order} With ${kv} of ${this.heads} both orders are the same, so the mistake is hidden.`;
    return `${order} ${astray} of ${this.heads} query heads ask keys that are not theirs (≠). ${rule}`;
  }
}

const counting = (length) => Array.from({ length }, (_, place) => place);

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
  const box = (key) =>
    html(
      "li",
      { class: `${colourOf(key)} ${key === chosen ? "chosen" : ""}` },
      html("span", { text: `k${key}` }),
      html("span", { text: `v${key}` }),
    );
  const attributes = { class: "sharing-keys", style: `--kv: ${kv}`, "aria-label": "Heads of keys and values" };
  return html("ol", attributes, ...counting(kv).map(box));
}

define("head-sharing", HeadSharing);
