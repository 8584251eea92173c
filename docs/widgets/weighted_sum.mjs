/**
 * A weighted sum as arrows: the query meets the keys in one plane; the values add up to the context in another.
 *
 *     <weighted-sum query="[x, y]" keys="[[x, y], …]" values="[[x, y], …]" labels='["Your", …]' token="journey">
 *
 * token names the query that the widget starts with and that its button leads back to; it may be left out.
 * undivided: scores are dot products as they are, and are shown; else they are divided by the root of a key's length.
 */
import { dot, softmax, weightedSum } from "./arithmetic.mjs";
import { barTable } from "./bars.mjs";
import { Widget, button, define, html, liveLine, say, show, slider, svg } from "./widget.mjs";

class WeightedSum extends Widget {
  static title = "Weighted sum of values, as arrows";

  start() {
    const home = this.read("query");
    this.keys = this.read("keys");
    this.values = this.read("values");
    this.labels = this.read("labels");
    this.reach = Math.ceil(4 * Math.max(...[home, ...this.keys].map(lengthOf))) / 4;

    const move = (query) => this.moveTo(query);
    this.queryPlane = queryPlane(this.keys, this.labels, this.reach, move);
    this.valuePlane = valuePlane(this.values, this.labels);
    this.undivided = this.hasAttribute("undivided");
    const columns = this.undivided ? ["score", "weight"] : ["weight"];
    this.table = barTable({ label: "Weights", labels: this.labels, columns });
    this.sliders = sliders(this.reach, () => this.query, move);
    this.line = liveLine();
    const back = button(`Back to ${this.getAttribute("token") ?? "the start"}`, () => this.moveTo(home));
    const controls = [[this.sliders.direction, this.sliders.length], [back]].map((row) => html("div", { class: "widget-controls" }, ...row));
    this.append(
      html(
        "div",
        { class: "widget-columns" },
        html("div", {}, this.queryPlane.element, ...controls),
        html("div", {}, this.valuePlane.element, this.table.element),
      ),
      this.line,
    );
    this.moveTo(home);
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
    this.sliders.direction.moveTo(degreesOf(query));
    this.sliders.length.moveTo(lengthOf(query));
    const largest = weights.indexOf(Math.max(...weights));
    say(
      this.line,
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

const lengthOf = ([x, y]) => Math.hypot(x, y);
const degreesOf = ([x, y]) => ((Math.atan2(y, x) * 180) / Math.PI + FULL_TURN) % FULL_TURN;
const fromPolar = (degrees, length) =>
  [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)].map((part) => part * length);

/** The keys, each with a dot of its weight's area, and a query whose tip is moved by the pointer. Sliders do the same. */
function queryPlane(keys, labels, reach, onMove) {
  const unit = (HEIGHT / 2 - 18) / reach;
  const middle = HEIGHT / 2;
  const place = ([x, y]) => [middle + x * unit, middle - y * unit];
  const tips = keys.map(place);
  const dots = tips.map(([cx, cy]) => svg("circle", { class: "key", cx, cy }));
  const arrows = svg("g");
  const knobs = [svg("circle", { class: "target", r: 18 }), svg("circle", { class: "knob", r: 8 })];
  const handle = svg("g", { class: "handle" }, ...knobs);
  const picture = svg(
    "svg",
    { class: "widget-picture weighted-sum-plane", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    svg("circle", { class: "axis", cx: middle, cy: HEIGHT / 2, r: reach * unit }),
    line(place([-reach, 0]), place([reach, 0]), "axis"),
    line(place([0, -reach]), place([0, reach]), "axis"),
    arrows,
    ...tips.map((tip) => line(place([0, 0]), tip, "key")),
    ...dots,
    ...leaders(tips, labels),
    handle,
  );

  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    onMove(within(reach, [(at.x - middle) / unit, (HEIGHT / 2 - at.y) / unit]));
  });

  return {
    element: figure("The query (drag its tip) and the keys: the larger the dot, the larger the weight", picture),
    draw(query, weights) {
      const tip = place(query);
      dots.forEach((dot, token) => dot.setAttribute("r", LARGEST_DOT * Math.sqrt(weights[token])));
      arrows.replaceChildren(arrow(place([0, 0]), tip, "query", 3));
      handle.setAttribute("transform", `translate(${tip})`);
    },
  };
}

const within = (reach, [x, y]) => {
  const shrink = Math.min(1, reach / lengthOf([x, y]));
  return [x * shrink, y * shrink];
};

/** The values, and their shares laid head to tail, which end where the context does. */
function valuePlane(values, labels) {
  const place = fit([[0, 0], ...values]);
  const moving = svg("g");
  const origin = place([0, 0]);
  const picture = svg(
    "svg",
    { class: "widget-picture weighted-sum-plane", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    line([0, origin[1]], [WIDTH, origin[1]], "axis"),
    line([origin[0], 0], [origin[0], HEIGHT], "axis"),
    ...values.map((value) => arrow(origin, place(value), "value whole", 1.5)),
    moving,
    ...leaders(values.map(place), labels),
  );
  return {
    element: figure("The values (faded), and their shares head to tail, which end at the tip of the context (broad)", picture),
    draw(weights) {
      const corners = weights.map((_, token) => weightedSum(weights.slice(0, token + 1), values.slice(0, token + 1)));
      const from = [[0, 0], ...corners];
      const shares = corners.map((corner, token) => arrow(place(from[token]), place(corner), "value", 2.5));
      moving.replaceChildren(arrow(origin, place(corners.at(-1)), "context", 6), ...shares);
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
    const [x, y] = points[token];
    const height = Math.max(lowest, y);
    lowest = height + gap;
    return [
      line([x, y], [LABELS_AT - 4, height], "leader"),
      svg("text", { x: LABELS_AT, y: height + 4, text: labels[token] }),
    ];
  });
}

/** The query by direction and length. */
function sliders(reach, query, onMove) {
  return {
    direction: slider({
      label: "Direction",
      min: 0,
      max: FULL_TURN,
      step: 1,
      value: 0,
      describe: (degrees) => `${show(degrees, 0)}°`,
      onInput: (degrees) => onMove(fromPolar(degrees, lengthOf(query()))),
    }),
    length: slider({
      label: "Length",
      min: 0,
      max: reach,
      step: 0.05,
      value: 0,
      describe: (length) => show(length, 2),
      onInput: (length) => onMove(fromPolar(degreesOf(query()), length)),
    }),
  };
}

const figure = (caption, picture) =>
  html("figure", { class: "widget-figure" }, picture, html("figcaption", { class: "widget-note", text: caption }));

const line = ([x1, y1], [x2, y2], kind) => svg("line", { class: kind, x1, y1, x2, y2 });

/** An arrow whose shaft ends where its head begins; a short one is all head. */
function arrow(from, to, kind, width) {
  const [across, down] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(across, down);
  const head = Math.min(length, 4 + 1.6 * width);
  const half = head * 0.5;
  const shape = [
    [0, -width / 2],
    [length - head, -width / 2],
    [length - head, -half],
    [length, 0],
    [length - head, half],
    [length - head, width / 2],
    [0, width / 2],
  ];
  const turn = (Math.atan2(down, across) * 180) / Math.PI;
  return svg("polygon", { class: kind, points: shape.join(" "), transform: `translate(${from}) rotate(${turn})` });
}

define("weighted-sum", WeightedSum);
