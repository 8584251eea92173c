/** Steps that follow one another: a slider with all of them, and buttons for the one before and the next. */
import { button, html, slider } from "./widget.mjs";

/**
 * Controls for `count` steps, of which the first is number 0.
 *
 * describe: what a step is called. onStep: is told which step is wanted, and answers with moveTo.
 */
export function stepper({ label, count, describe, onStep }) {
  let current = 0;
  const track = slider({ label, min: 0, max: count - 1, step: 1, value: 0, describe, onInput: onStep });
  const back = button("Back", () => onStep(current - 1));
  const next = button("Next", () => onStep(current + 1));
  return {
    element: html("div", { class: "widget-controls" }, track, back, next),
    moveTo(step) {
      current = step;
      track.moveTo(step);
      back.disabled = step === 0;
      next.disabled = step === count - 1;
    },
  };
}
