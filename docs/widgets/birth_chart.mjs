/** Lines over the steps of a training, lane below lane, with a dot on each at the present step. */
import { html, show, svg } from "./widget.mjs";

/**
 * lanes: each { title, ticks, lines: [{ style, words, numbers }], level }: numbers from 0 to the last of the ticks, called by words;
 * title: what the ticks count; level: { at, words } of a number to compare with. marked: { from, to, words }, places among the numbers.
 */
export function chart({ lanes, marked }) {
  const last = lanes[0].lines[0].numbers.length - 1;
  const drawn = lanes.map((one, number) => lane(one, last, number === 0 ? marked : { ...marked, words: "" }));
  const element = html("div", { class: "birth-chart" }, ...drawn.map((one) => one.element));
  return { element, moveTo: (place) => drawn.forEach((one) => one.moveTo(place)) };
}

function lane({ title, ticks, lines, level }, last, marked) {
  const top = ticks.at(-1);
  const points = (numbers) => numbers.map((number, place) => `${place},${top - number}`).join(" ");
  const cursor = svg("line", { class: "cursor", y1: 0, y2: top });
  const dots = lines.map(({ style }) => svg("line", { class: `dot birth-line-${style}` })); // no circle: the picture is stretched
  const values = lines.map(() => html("b", {}));
  const legend = lines.map(({ style, words }, line) =>
    html("span", { class: `birth-line-${style}` }, html("i"), `${words} `, values[line]),
  );
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${last} ${top}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "marked", x: marked.from, y: 0, width: marked.to - marked.from, height: top }),
    ...ticks.map((tick) => svg("line", { class: "tick", x1: 0, x2: last, y1: top - tick, y2: top - tick })),
    ...(level ? [svg("line", { class: "level", x1: 0, x2: last, y1: top - level.at, y2: top - level.at })] : []),
    ...lines.map(({ style, numbers }) => svg("polyline", { class: `birth-line-${style}`, points: points(numbers) })),
    cursor,
    ...dots,
  );
  const left = (place) => `left: ${(100 * place) / last}%`;
  const height = (number) => `top: ${100 * (1 - number / top)}%`;
  const words = [
    html("span", { class: "birth-title upright", text: title }),
    ...ticks.map((tick) => html("span", { class: "birth-tick", style: height(tick), text: tick })),
    html("span", { class: "birth-mark", style: left(marked.to), text: marked.words }),
    ...(level
      ? [html("span", { class: "birth-level", style: height(level.at), text: level.words })]
      : []),
  ];
  return {
    element: html(
      "div",
      {},
      html("p", { class: "birth-legend" }, ...legend),
      html("div", { class: "birth-lane", "aria-hidden": "true" }, picture, ...words),
    ),
    moveTo(place) {
      const stand = (line, ends) => Object.entries(ends).forEach(([end, at]) => line.setAttribute(end, at));
      stand(cursor, { x1: place, x2: place });
      lines.forEach(({ numbers }, line) => {
        const y = top - numbers[place];
        stand(dots[line], { x1: place, x2: place, y1: y, y2: y });
      });
      values.forEach((value, line) => (value.textContent = show(lines[line].numbers[place], 2)));
    },
  };
}
