/**
 * <head-explorer>: where each head of a small trained model looks, on several inputs, before and after its training.
 *
 * The weights stand in trained_heads.json, which is loaded when the widget starts. workbench/explorer.py
 * makes that file: weights are thousandths, and a row ends with the token that looks.
 */
import { labelledMap } from "./heat_map.mjs";
import { named, tokenChoice, visible } from "./tokens.mjs";
import { Widget, choice, controls, html, show } from "./widget.mjs";

const MOMENTS = { before: "before training", after: "after training" };

const MENTIONED = 3; // tokens that the sentence names, at most
const NOTICEABLE = 0.05; // a smaller weight is not named

class HeadExplorer extends Widget {
  static title = "Where the heads of a trained model look";

  start() {
    this.load("weights", "trained_heads.json", async (answer) => this.show(await answer.json()));
  }

  show({ inputs, scores }) {
    const names = scores.after.flatMap((layer, l) => layer.map((_, h) => `${l + 1}.${h + 1}`));
    const best = scores.after.flat().indexOf(Math.max(...scores.after.flat()));
    Object.assign(this, { inputs, scores, names, moment: "after", head: best });
    this.heads = choice({
      legend: "Head, with its induction score",
      options: names.map(() => ""),
      value: this.head,
      kind: "explorer-heads",
      onChoose: (head) => this.draw({ head }),
    });
    this.heads.style.setProperty("--heads", scores.after[0].length);
    this.picture = html("div", { class: "widget-columns explorer-picture" });
    this.replaceChildren(
      controls(
        choice({ legend: "Input", options: inputs.map(({ name }) => name), onChoose: (input) => this.read(input) }),
        choice({
          legend: "Model",
          options: Object.values(MOMENTS),
          values: Object.keys(MOMENTS),
          value: this.moment,
          onChoose: (moment) => this.draw({ moment }),
        }),
      ),
      this.heads,
      this.says,
      this.picture,
      html("p", { class: "widget-note", text: NOTE }),
    );
    this.read(0);
  }

  /** Another input: its last token is chosen. */
  read(input) {
    this.input = this.inputs[input];
    const { tokens } = this.input;
    const place = tokens.length - 1;
    this.map = labelledMap(tokens);
    const onChoose = (one) => this.draw({ place: one });
    this.tokens = tokenChoice({ legend: "The token that looks", tokens, place, onChoose });
    this.picture.replaceChildren(this.map.element, html("div", {}, this.tokens));
    this.draw({ place });
  }

  draw(changed) {
    Object.assign(this, changed);
    const { place, moment, input } = this;
    const { tokens, [moment]: maps } = input;
    const rows = maps.flat()[this.head].map((row) => row.map((thousandths) => thousandths / 1000));
    const sought = tokens.map((_, query) => [query, soughtBy(tokens, query)]).filter(([, key]) => key !== undefined);
    const scores = this.scores[moment].flat();
    this.heads.querySelectorAll("span").forEach((span, at) => {
      span.replaceChildren(html("b", { text: this.names[at] }), ` ${show(scores[at], 2)}`);
      span.style.setProperty("--share", scores[at]);
    });
    this.map.draw(rows, { outlined: sought, framed: place });
    this.tokens.shade(tokens.map((_, key) => rows[place][key] ?? 0));
    this.say(`Head ${this.names[this.head]} ${MOMENTS[moment]}. ${sentence(tokens, place, rows[place])}`);
  }
}

/** Where the chosen token looks most, and where an induction head would. */
function sentence(tokens, place, row) {
  const noticed = [...row.keys()].filter((key) => row[key] >= NOTICEABLE).sort((one, other) => row[other] - row[one]);
  const most = noticed.slice(0, MENTIONED).map((key) => `${show(row[key], 2)} on ${named(tokens, key)}`);
  const gives = most.length ? most.join(", ") : "a little on everything";
  const sought = soughtBy(tokens, place);
  const hope =
    sought === undefined
      ? `${visible(tokens[place])} has not come up before.`
      : `An induction head looks at ${named(tokens, sought)}, which has ${show(row[sought], 2)}.`;
  return `${named(tokens, place)} puts ${gives}. ${hope}`;
}

const NOTE =
  "2.1 is the first head of the second layer. Outlined with a dashed line is the token right after the last occurrence of the one that " +
  "looks: there an induction head looks.";

/** The place right after the last earlier occurrence of a token, where an induction head looks; undefined without one. */
function soughtBy(tokens, place) {
  const last = tokens.lastIndexOf(tokens[place], place - 1);
  return place > 0 && last >= 0 ? last + 1 : undefined;
}

customElements.define("head-explorer", HeadExplorer);
