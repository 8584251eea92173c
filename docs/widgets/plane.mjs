/** Vectors in a plane: lines, arrows, and a picture with a caption. */
import { html, svg } from "./widget.mjs";

export const lengthOf = ([x, y]) => Math.hypot(x, y);

/** A picture and what it shows, in words. */
export const figure = (caption, picture) =>
  html("figure", { class: "widget-figure" }, picture, html("figcaption", { class: "widget-note", text: caption }));

/** An SVG of a plane. kind: its class. */
export const plane = (kind, viewBox, ...children) =>
  svg("svg", { class: `widget-picture ${kind}`, viewBox, "aria-hidden": "true" }, ...children);

export const line = ([x1, y1], [x2, y2], kind) => svg("line", { class: kind, x1, y1, x2, y2 });

/** An arrow whose shaft ends where its head begins; a short one is all head. */
export function arrow(from, to, kind, width) {
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
