/**
 * <head-explorer>: where each head of a small trained model looks, on several inputs, before and after its training.
 *
 * The weights stand in trained_heads.json, which is loaded when the widget starts. workbench/explorer.py
 * makes that file: weights are thousandths, and a row ends with the token that looks.
 */
import { LoadingWidget, choice, define, html, say, show } from "./widget.mjs";

const MOMENTS = { before: "before training", after: "after training" };

const MENTIONED = 3; // tokens that the sentence names, at most
const NOTICEABLE = 0.05; // a smaller weight is not named

class HeadExplorer extends LoadingWidget {
  static title = "Where the heads of a trained model look";
  tokens = html("div", {});
  map = html("div", {});

  start() {
    this.load("weights", "trained_heads.json", async (answer) => this.show(await answer.json()));
  }

  show(trained) {
    this.trained = trained;
    const [layer, head] = largest(trained.scores.after);
    this.state = { input: 0, moment: "after", layer, head };
    this.heads = this.chooseHead();
    const picture = html("div", { class: "widget-columns explorer-picture" }, this.map, this.tokens);
    this.replaceChildren(this.chooseInput(), this.chooseMoment(), this.heads, this.says, picture, note());
    this.read();
  }

  chooseInput() {
    const options = this.trained.inputs.map(({ name }, input) => [String(input), name]);
    const onChoose = (input) => {
      this.state.input = Number(input);
      this.read();
    };
    const choosing = choice({ legend: "Input", options, value: "0", onChoose });
    return html("div", { class: "widget-controls" }, choosing);
  }

  chooseMoment() {
    const onChoose = (moment) => this.change({ moment });
    const options = Object.entries(MOMENTS);
    const choosing = choice({ legend: "Model", options, value: this.state.moment, onChoose });
    return html("div", { class: "widget-controls" }, choosing);
  }

  /** A row of heads for each layer. What stands on a head is its induction score, the same for all inputs. */
  chooseHead() {
    const heads = this.trained.scores.after.flatMap((scores, layer) => scores.map((_, head) => [layer, head]));
    const options = heads.map((place) => [place.join(), ""]);
    const value = [this.state.layer, this.state.head].join();
    const onChoose = (place) => {
      const [layer, head] = place.split(",").map(Number);
      this.change({ layer, head });
    };
    const field = choice({ legend: "Head, with its induction score", options, value, onChoose });
    field.classList.add("explorer-heads");
    field.style.setProperty("--heads", this.trained.scores.after[0].length);
    return field;
  }

  /** Another input: its last token is chosen. */
  read() {
    const { tokens } = this.trained.inputs[this.state.input];
    this.state.place = tokens.length - 1;
    const options = tokens.map((token, place) => [String(place), visible(token)]);
    const onChoose = (place) => this.change({ place: Number(place) });
    const field = choice({ legend: "The token that looks", options, value: String(this.state.place), onChoose });
    field.classList.add("explorer-tokens");
    field.querySelectorAll("input").forEach((input, place) => (input.ariaLabel = named(tokens, place)));
    this.tokens.replaceChildren(field);
    this.draw();
  }

  change(settings) {
    Object.assign(this.state, settings);
    this.draw();
  }

  draw() {
    const { input, moment, layer, head } = this.state;
    const place = this.state.place;
    const { tokens, [moment]: maps } = this.trained.inputs[input];
    const rows = maps[layer][head].map((row) => row.map((thousandths) => thousandths / 1000));
    this.drawHeads();
    this.map.replaceChildren(this.matrix(tokens, rows));
    this.tokens.querySelectorAll("span").forEach((span, key) => {
      span.style.setProperty("--share", rows[place][key] ?? 0);
      span.classList.toggle("hidden", key > place);
      span.classList.toggle("sought", key === soughtBy(tokens, place));
    });
    say(this.says, this.sentence(tokens, rows[place]));
  }

  drawHeads() {
    const scores = this.trained.scores[this.state.moment];
    const heads = scores.flatMap((layer, l) => layer.map((score, h) => ({ name: `${l + 1}.${h + 1}`, score })));
    this.heads.querySelectorAll("span").forEach((span, at) => {
      span.replaceChildren(html("b", { text: heads[at].name }), ` ${show(heads[at].score, 2)}`);
      span.style.setProperty("--share", heads[at].score);
    });
  }

  /** The weights of all tokens: a row for each token that looks, a column for each that is looked at. */
  matrix(tokens, rows) {
    const names = tokens.map((token) => html("span", { text: visible(token) }));
    const lines = rows.map((row, query) => {
      const sought = soughtBy(tokens, query);
      const cells = tokens.map((_, key) => {
        const look = key === sought ? "sought" : key > query && "hidden";
        return html("i", { class: look, style: `--share: ${row[key] ?? 0}` });
      });
      const chosen = query === this.state.place ? "explorer-row chosen" : "explorer-row";
      const name = html("span", { text: visible(tokens[query]) });
      return html("div", { class: chosen }, name, ...cells);
    });
    const label = "The weights: a row for each token that looks, a column for each that is looked at, darker where larger";
    return html(
      "div",
      { class: "explorer-map", role: "img", "aria-label": label, style: `--count: ${tokens.length}` },
      html("div", { class: "explorer-row" }, html("span", {}), ...names),
      ...lines,
    );
  }

  /** Where the chosen token looks most, and where an induction head would. */
  sentence(tokens, row) {
    const { layer, head, moment } = this.state;
    const place = this.state.place;
    const most = row
      .map((weight, key) => ({ weight, key }))
      .filter(({ weight }) => weight >= NOTICEABLE)
      .sort((one, other) => other.weight - one.weight)
      .slice(0, MENTIONED)
      .map(({ weight, key }) => `${show(weight, 2)} on ${named(tokens, key)}`);
    const gives = most.length ? most.join(", ") : "a little on everything";
    const sought = soughtBy(tokens, place);
    const hope =
      sought === undefined
        ? `${visible(tokens[place])} has not come up before.`
        : `An induction head looks at ${named(tokens, sought)}, which has ${show(row[sought], 2)}.`;
    return `Head ${layer + 1}.${head + 1} ${MOMENTS[moment]}. ${named(tokens, place)} puts ${gives}. ${hope}`;
  }
}

const note = () =>
  html("p", {
    class: "widget-note",
    text:
      "2.1 is the first head of the second layer. Outlined with a dashed line is the token right after the last occurrence of the one that " +
      "looks: there an induction head looks.",
  });

/** Where the largest number of a matrix stands. */
function largest(rows) {
  const numbers = rows.flat();
  const at = numbers.indexOf(Math.max(...numbers));
  return [Math.floor(at / rows[0].length), at % rows[0].length];
}

/** The place right after the last earlier occurrence of a token, where an induction head looks; undefined without one. */
function soughtBy(tokens, place) {
  const last = tokens.lastIndexOf(tokens[place], place - 1);
  return place > 0 && last >= 0 ? last + 1 : undefined;
}

const visible = (token) => (token === " " ? "␣" : token);

/** A token with its place, counted from 1: several may be alike. */
const named = (tokens, place) => `“${visible(tokens[place])}” (${place + 1})`;

define("head-explorer", HeadExplorer);
