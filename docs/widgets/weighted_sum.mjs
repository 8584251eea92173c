/**
 * A weighted sum as arrows: the query meets the keys in one plane; the values add up to the context in another.
 *
 *     <weighted-sum query="[x, y]" keys="[[x, y], …]" values="[[x, y], …]" labels='["Your", …]' token="journey">
 *
 * token names the query that the widget starts with and that its button leads back to; it may be left out.
 * undivided: scores are dot products as they are, and are shown; else they are divided by the root of a key's length.
 */
import { dot, softmax, turn, weightedSum } from "./arithmetic.mjs";
import { barTable } from "./bars.mjs";
import { arrow, figure, lengthOf, line, plane } from "./plane.mjs";
import { Widget, button, controls, html, show, slider, svg } from "./widget.mjs";

class WeightedSum extends Widget {
  static title = "Weighted sum of values, as arrows";

  start() {
    const home = this.read("query");
    [this.keys, this.values, this.labels] = ["keys", "values", "labels"].map((name) => this.read(name));
    this.undivided = this.hasAttribute("undivided");
    const reach = Math.ceil(4 * Math.max(...[home, ...this.keys].map(lengthOf))) / 4;
    const move = (query) => this.moveTo(query);
    this.queryPlane = queryPlane(this.keys, this.labels, reach, move);
    this.valuePlane = valuePlane(this.values, this.labels);
    const columns = this.undivided ? ["key", "score", "weight"] : ["key", "weight"];
    this.table = barTable({ caption: "Weights", labels: this.labels, columns });
    this.direction = slider({
      label: "Direction",
      max: FULL_TURN,
      describe: (degrees) => `${show(degrees, 0)}°`,
      onInput: (degrees) => move(fromPolar(degrees, lengthOf(this.query))),
    });
    this.length = slider({
      label: "Length",
      max: reach,
      step: 0.05,
      describe: (length) => show(length, 2),
      onInput: (length) => move(fromPolar(degreesOf(this.query), length)),
    });
    const back = button(`Back to ${this.getAttribute("token") ?? "the start"}`, () => move(home));
    const query = html("div", {}, this.queryPlane.element, controls(this.direction, this.length, back));
    const value = html("div", {}, this.valuePlane.element, this.table.element);
    this.append(html("div", { class: "widget-columns" }, query, value), this.says);
    move(home);
  }

  /** Shows what a query makes of the keys and values. */
  moveTo(query) {
    this.query = query;
    const scores = this.keys.map((key) => dot(query, key) / (this.undivided ? 1 : Math.sqrt(key.length)));
    const weights = softmax(scores);
    const context = weightedSum(weights, this.values);
    this.queryPlane.draw(query, weights);
    this.valuePlane.draw(weights);
    this.table.draw(this.undivided ? [scores, weights] : [weights]);
    this.direction.moveTo(degreesOf(query));
    this.length.moveTo(lengthOf(query));
    const largest = weights.indexOf(Math.max(...weights));
    this.say(
      `The largest weight is ${show(weights[largest])}, for “${this.labels[largest]}”. ` +
        `The context is ${show(context[0])}, ${show(context[1])}.`,
    );
  }
}

const [WIDTH, HEIGHT] = [300, 216]; // of a picture, in units of its viewBox
const LABELS_AT = 242; // the tokens stand in a column, right of what they name
const MARGIN = { left: 14, right: 70, top: 14, bottom: 14 };
const FULL_TURN = 360;
const LARGEST_DOT = 15; // the radius for a weight of 1

const degreesOf = ([x, y]) => ((Math.atan2(y, x) * 180) / Math.PI + FULL_TURN) % FULL_TURN;
const fromPolar = (degrees, length) => turn([length, 0], (degrees * Math.PI) / 180);

const picture = (...children) => plane("weighted-sum-plane", `0 0 ${WIDTH} ${HEIGHT}`, ...children);

/** The keys, each with a dot of its weight's area, and a query whose tip is moved by the pointer. Sliders do the same. */
function queryPlane(keys, labels, reach, onMove) {
  const middle = HEIGHT / 2;
  const unit = (middle - 18) / reach;
  const place = ([x, y]) => [middle + x * unit, middle - y * unit];
  const origin = place([0, 0]);
  const tips = keys.map(place);
  const dots = tips.map(([cx, cy]) => svg("circle", { class: "key", cx, cy }));
  const arrows = svg("g");
  const knobs = [svg("circle", { class: "target", r: 18 }), svg("circle", { class: "knob", r: 8 })];
  const handle = svg("g", { class: "handle" }, ...knobs);
  const drawn = picture(
    svg("circle", { class: "axis", cx: middle, cy: middle, r: reach * unit }),
    line(place([-reach, 0]), place([reach, 0]), "axis"),
    line(place([0, -reach]), place([0, reach]), "axis"),
    arrows,
    ...tips.map((tip) => line(origin, tip, "key")),
    ...dots,
    ...leaders(tips, labels),
    handle,
  );

  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawn.getScreenCTM().inverse());
    const query = [(at.x - middle) / unit, (middle - at.y) / unit];
    const shrink = Math.min(1, reach / lengthOf(query));
    onMove(query.map((part) => part * shrink));
  });

  return {
    element: figure("The query (drag its tip) and the keys: the larger the dot, the larger the weight", drawn),
    draw(query, weights) {
      const tip = place(query);
      dots.forEach((dot, token) => dot.setAttribute("r", LARGEST_DOT * Math.sqrt(weights[token])));
      arrows.replaceChildren(arrow(origin, tip, "query", 3));
      handle.setAttribute("transform", `translate(${tip})`);
    },
  };
}

/** The values, and their shares laid head to tail, which end where the context does. */
function valuePlane(values, labels) {
  const place = fit([[0, 0], ...values]);
  const moving = svg("g");
  const origin = place([0, 0]);
  const drawn = picture(
    line([0, origin[1]], [WIDTH, origin[1]], "axis"),
    line([origin[0], 0], [origin[0], HEIGHT], "axis"),
    ...values.map((value) => arrow(origin, place(value), "value whole", 1.5)),
    moving,
    ...leaders(values.map(place), labels),
  );
  return {
    element: figure("The values (faded), and their shares head to tail, which end at the tip of the context (broad)", drawn),
    draw(weights) {
      const upTo = (end) => place(weightedSum(weights.slice(0, end), values.slice(0, end)));
      const corners = weights.map((_, token) => upTo(token + 1));
      const shares = corners.map((corner, token) => arrow(corners[token - 1] ?? origin, corner, "value", 2.5));
      moving.replaceChildren(arrow(origin, corners.at(-1), "context", 6), ...shares);
    },
  };
}

/** Where a point of the value plane is drawn: all points fit, across in the same measure as up, and the labels have room in the MARGIN. */
function fit(points) {
  const [across, up] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [left, right, low, high] = [Math.min(...across), Math.max(...across), Math.min(...up), Math.max(...up)];
  const room = [WIDTH - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const unit = Math.min(room[0] / (right - left || 1), room[1] / (high - low || 1));
  const middle = [MARGIN.left + room[0] / 2, MARGIN.top + room[1] / 2];
  return ([x, y]) => [middle[0] + (x - (left + right) / 2) * unit, middle[1] - (y - (low + high) / 2) * unit];
}

/** The tokens in a column at the right edge, each with a thin line to its point; none stands on another. */
function leaders(points, labels) {
  const gap = 16;
  const order = points.map((_, token) => token).sort((one, other) => points[one][1] - points[other][1]);
  let lowest = gap;
  return order.flatMap((token) => {
    const height = Math.max(lowest, points[token][1]);
    lowest = height + gap;
    return [
      line(points[token], [LABELS_AT - 4, height], "leader"),
      svg("text", { x: LABELS_AT, y: height + 4, text: labels[token] }),
    ];
  });
}

customElements.define("weighted-sum", WeightedSum);
