/** Where one head looks, as a picture: a row for each token that looks, a column for each that it sees. */
import { visible } from "./tokens.mjs";
import { html, svg } from "./widget.mjs";

const SHADES = 16;

/**
 * A map. draw(rows, { outlined, framed }) shows weights, a row for each token, up to itself or with zeros behind.
 * outlined: cells [query, key]. framed: a row.
 */
export function heatMap() {
  const shades = Array.from({ length: SHADES }, (_, shade) => svg("path", { "fill-opacity": (shade + 1) / SHADES }));
  const [ground, outline, frame] = ["ground", "outline", "frame"].map((name) => svg("path", { class: name }));
  const element = svg("svg", { class: "heat-map", "aria-hidden": "true" }, ground, ...shades, outline, frame);
  return {
    element,
    draw(rows, { outlined = [], framed } = {}) {
      const count = rows.length;
      const cells = shades.map(() => "");
      rows.forEach((row, query) =>
        row.forEach((weight, key) => {
          const shade = Math.round(weight * SHADES);
          if (shade) cells[shade - 1] += cell([query, key]);
        }),
      );
      element.setAttribute("viewBox", `0 0 ${count} ${count}`);
      shades.forEach((shade, at) => shade.setAttribute("d", cells[at]));
      ground.setAttribute("d", rows.map((_, query) => cell([query, 0], query + 1)).join(""));
      outline.setAttribute("d", outlined.map((one) => cell(one)).join(""));
      frame.setAttribute("d", framed === undefined ? "" : cell([framed, 0], count));
    },
  };
}

const cell = ([query, key], width = 1) => `M${key} ${query}h${width}v1h-${width}z`;

/** A map with its tokens on two sides, and more on the third. It is drawn as one. */
export function labelledMap(tokens, ...more) {
  const map = heatMap();
  const names = (side) => {
    const texts = tokens.map((text) => html("span", { text: visible(text) }));
    return html("div", { class: side, "aria-hidden": "true" }, ...texts);
  };
  const label = "The weights: a row for each token that looks, a column for each that is looked at, darker where larger";
  const picture = html("div", { role: "img", "aria-label": label }, map.element);
  const style = `--count: ${tokens.length}`;
  const parts = [names("map-columns"), names("map-rows"), picture, ...more];
  return { ...map, element: html("div", { class: "labelled-map", style }, ...parts) };
}
