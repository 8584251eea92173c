/** Lines over the steps of a training, lane below lane, with a cursor at the present step. */
import { html, show, svg } from "./widget.mjs";

/**
 * lanes: each { title, ticks, lines: [{ style, words, numbers }] }: numbers from 0 to the last of the ticks, called by words;
 * title: what the ticks count. marked: { from, to, words }, places among the numbers.
 */
export function chart({ lanes, marked }) {
  const drawn = lanes.map((one, number) => lane(one, number === 0 ? marked : { ...marked, words: "" }));
  const element = html("div", { class: "birth-chart" }, ...drawn.map((one) => one.element));
  return { element, moveTo: (place) => drawn.forEach((one) => one.moveTo(place)) };
}

function lane({ title, ticks, lines }, marked) {
  const [top, last] = [ticks.at(-1), lines[0].numbers.length - 1];
  const points = (numbers) => numbers.map((number, place) => `${place},${top - number}`).join(" ");
  const cursor = svg("line", { class: "cursor", y1: 0, y2: top });
  const values = lines.map(() => html("b", {}));
  const legend = lines.map(({ style, words }, line) =>
    html("span", { class: `birth-line-${style}` }, html("i"), `${words} `, values[line]),
  );
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${last} ${top}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "marked", x: marked.from, y: 0, width: marked.to - marked.from, height: top }),
    ...ticks.map((tick) => svg("line", { class: "tick", x1: 0, x2: last, y1: top - tick, y2: top - tick })),
    ...lines.map(({ style, numbers }) => svg("polyline", { class: `birth-line-${style}`, points: points(numbers) })),
    cursor,
  );
  const words = [
    html("span", { class: "birth-title upright", text: title }),
    ...ticks.map((tick) => html("span", { class: "birth-tick", style: `top: ${100 * (1 - tick / top)}%`, text: tick })),
    html("span", { class: "birth-mark", style: `left: ${(100 * marked.to) / last}%`, text: marked.words }),
  ];
  return {
    element: html(
      "div",
      {},
      html("p", { class: "birth-legend" }, ...legend),
      html("div", { class: "birth-lane", "aria-hidden": "true" }, picture, ...words),
    ),
    moveTo(place) {
      cursor.setAttribute("x1", place);
      cursor.setAttribute("x2", place);
      values.forEach((value, line) => (value.textContent = show(lines[line].numbers[place], 2)));
    },
  };
}
