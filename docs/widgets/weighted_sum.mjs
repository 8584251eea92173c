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
const [LETTER, LINE, APART] = [6.6, 15, 13]; // about how wide a letter is, how high a line, how far a name is from its tip
const ALL_ROUND = { left: 58, right: 58, top: 24, bottom: 24 };
const AT_RIGHT = { left: 14, right: 70, top: 14, bottom: 14 };
const FULL_TURN = 360;
const LARGEST_DOT = 15; // the radius for a weight of 1
const STEP = 0.05; // by which an arrow key moves the query

const lengthOf = ([x, y]) => Math.hypot(x, y);
const degreesOf = ([x, y]) => ((Math.atan2(y, x) * 180) / Math.PI + FULL_TURN) % FULL_TURN;
const fromPolar = (degrees, length) =>
  [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)].map((part) => part * length);

/** The keys, each with a dot of its weight's area, and a query whose tip is moved by pointer or arrow keys. */
function queryPlane(keys, labels, reach, onMove) {
  const unit = (HEIGHT / 2 - 18) / reach;
  const around = (middle) => ([x, y]) => [middle + x * unit, HEIGHT / 2 - y * unit];
  const { place, tips, names, away } = named(around(WIDTH / 2), around(HEIGHT / 2), keys, labels);
  const middle = place([0, 0])[0];
  const dots = tips.map(([cx, cy]) => svg("circle", { class: "key", cx, cy }));
  const arrows = svg("g");
  const handle = queryHandle(reach);
  const picture = svg(
    "svg",
    { class: "widget-picture weighted-sum-plane", viewBox: `0 0 ${WIDTH} ${HEIGHT}` },
    svg("circle", { class: "axis", cx: middle, cy: HEIGHT / 2, r: reach * unit }),
    line(place([-reach, 0]), place([reach, 0]), "axis"),
    line(place([0, -reach]), place([0, reach]), "axis"),
    arrows,
    ...tips.map((tip) => line(place([0, 0]), tip, "key")),
    ...dots,
    ...names,
    handle,
  );

  let query = [0, 0];
  const moveBy = (x, y) => onMove(within(reach, [query[0] + x * STEP, query[1] + y * STEP]));
  const turns = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  handle.addEventListener("keydown", (event) => {
    if (!(event.key in turns)) return;
    event.preventDefault();
    moveBy(...turns[event.key]);
  });
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    onMove(within(reach, [(at.x - middle) / unit, (HEIGHT / 2 - at.y) / unit]));
  });

  return {
    element: figure("The query (drag its tip) and the keys: the larger the dot, the larger the weight", picture),
    draw(moved, weights) {
      query = moved;
      const tip = place(query);
      dots.forEach((dot, token) => {
        const radius = LARGEST_DOT * Math.sqrt(weights[token]);
        dot.setAttribute("r", radius);
        away(token, radius);
      });
      arrows.replaceChildren(arrow(place([0, 0]), tip, "query", 3));
      handle.setAttribute("transform", `translate(${tip})`);
      handle.setAttribute("aria-valuenow", show(lengthOf(query), 2));
      handle.setAttribute("aria-valuetext", `${show(query[0], 2)} across, ${show(query[1], 2)} up`);
    },
  };
}

/** The tip of the query. It moves in two dimensions; ARIA knows sliders of one, so the words say the rest. */
function queryHandle(reach) {
  return svg(
    "g",
    {
      class: "handle",
      tabindex: 0,
      role: "slider",
      "aria-roledescription": "point in the plane",
      "aria-label": "Query",
      "aria-valuemin": 0,
      "aria-valuemax": reach,
    },
    svg("circle", { class: "target", r: 18 }),
    svg("circle", { class: "knob", r: 8 }),
  );
}

const within = (reach, [x, y]) => {
  const shrink = Math.min(1, reach / lengthOf([x, y]));
  return [x * shrink, y * shrink];
};

/** The values, and their shares laid head to tail, which end where the context does. */
function valuePlane(values, labels) {
  const points = [[0, 0], ...values];
  const { place, names } = named(fit(points, ALL_ROUND), fit(points, AT_RIGHT), values, labels);
  const moving = svg("g");
  const origin = place([0, 0]);
  const picture = svg(
    "svg",
    { class: "widget-picture weighted-sum-plane", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    line([0, origin[1]], [WIDTH, origin[1]], "axis"),
    line([origin[0], 0], [origin[0], HEIGHT], "axis"),
    ...values.map((value) => arrow(origin, place(value), "value whole", 1.5)),
    moving,
    ...names,
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

/** Where a point of the value plane is drawn: all points fit, across in the same measure as up, and the labels have room in the margin. */
function fit(points, margin) {
  const [across, up] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [left, right, low, high] = [Math.min(...across), Math.max(...across), Math.min(...up), Math.max(...up)];
  const room = [WIDTH - margin.left - margin.right, HEIGHT - margin.top - margin.bottom];
  const unit = Math.min(room[0] / (right - left || 1), room[1] / (high - low || 1));
  const middle = [margin.left + room[0] / 2, margin.top + room[1] / 2];
  return ([x, y]) => [middle[0] + (x - (left + right) / 2) * unit, middle[1] - (y - (low + high) / 2) * unit];
}

/**
 * The tokens at the tips of their arrows, where none hides another; else in a column. place: where a point is drawn, tips: where those
 * of the tokens are, names: what says so, away: keeps a name off a dot at its tip. round, beside: places that leave room for the ones
 * and for the other.
 */
function named(round, beside, points, labels) {
  const near = atTips(round([0, 0]), points.map(round), labels);
  const place = near ? round : beside;
  const tips = points.map(place);
  return { place, tips, ...(near ?? { names: leaders(tips, labels), away() {} }) };
}

function atTips([left, top], tips, labels) {
  const boxes = tips.map(([x, y], token) => {
    const length = Math.hypot(x - left, y - top) || 1;
    const [across, down] = [(x - left) / length, (y - top) / length];
    const wide = LETTER * labels[token].length;
    return { x: x + across * APART - (wide * (1 - across)) / 2, y: y + down * APART, wide, across, down };
  });
  const isSeen = ({ x, y, wide }) => x > 0 && x + wide < WIDTH && y > LINE / 2 && y < HEIGHT - LINE / 2;
  const meet = (one, other) =>
    one.x < other.x + other.wide && other.x < one.x + one.wide && Math.abs(one.y - other.y) < LINE;
  const covers = ({ x, y, wide }) => tips.some((tip) => tip[0] > x && tip[0] < x + wide && Math.abs(tip[1] - y) < LINE / 2);
  const isFree = (box, token) => !covers(box) && !boxes.slice(0, token).some((one) => meet(one, box));
  if (!boxes.every((box, token) => isSeen(box) && isFree(box, token))) return null;
  const names = boxes.map(({ x, y }, token) => svg("text", { x, y: y + 4, text: labels[token] }));
  const away = (token, radius) => {
    const more = Math.max(0, radius + LINE / 2 + 2 - APART);
    const { across, down } = boxes[token];
    names[token].setAttribute("transform", `translate(${across * more} ${down * more})`);
  };
  return { names, away };
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

/** The accessible equal of the handle: the query by direction and length. */
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
      step: STEP,
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
