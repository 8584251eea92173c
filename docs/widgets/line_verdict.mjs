/** The verdict on a line: right, as the reference, or wrong, in the grader's words. */
import { fromPage, valueOf } from "./tensor_language/evaluate.mjs";
import { tokens } from "./tensor_language/parser.mjs";
import { Problem } from "./tensor_language/problem.mjs";
import { Tensor, indicesOf, spell } from "./tensor_language/tensor.mjs";
import { Num, Pair, described } from "./tensor_language/values.mjs";
import { show } from "./widget.mjs";

/** The cases of a page, ready to be computed with. */
export const prepared = (cases) =>
  cases.map(({ name, tolerance, labels, given, expected, answers }) => ({
    name,
    tolerance,
    labels,
    given: Object.fromEntries(Object.entries(given).map(([key, value]) => [key, fromPage(value)])),
    expected: expected.map(received),
    answers: answers.map((answer) => (Array.isArray(answer) ? answer.map(received) : answer)),
  }));

/**
 * The verdict on a text. cases: as prepared. says: what each mistake is told, in the order of their answers. without: names that the
 * step forbids.
 *
 * { state: "empty", "right", "almost" or "wrong", words, shown: the case to draw, values: what came out of it, problem }.
 */
export function judged(text, { cases, says, without }) {
  const results = cases.map(({ given, expected }) => resultOf(text, given, expected.length, without));
  if (!results[0].problem && results[0].values === null)
    return { state: "empty", words: "", shown: cases[0], values: null };
  const faults = results.map((result, place) => faultOf(result, cases[place]));
  const place = faults.findIndex(Boolean);
  if (place < 0) return { state: "right", words: rightFor(cases), shown: cases[0], ...results[0] };
  const mistake = knownMistake(results, cases, says);
  const before = place ? `Right for ${quoted(cases[0])}, but not for ${quoted(cases[place])}. ` : "";
  const words = mistake ?? before + faults[place];
  return { state: place ? "almost" : "wrong", words, shown: cases[place], known: Boolean(mistake), ...results[place] };
}

const quoted = ({ name }) => `“${name}”`;

function rightFor(cases) {
  if (cases.length === 1) return "Right: these are the expected numbers.";
  const others = cases.slice(1).map(quoted).join(" and ");
  return `Right: these are the expected numbers, and so are those for ${others}.`;
}

/** The result of a line for one case: values, null for none; or a problem. */
function resultOf(text, given, number, without) {
  try {
    const found = tokens(text).find(({ kind, text: name }) => kind === "name" && without.includes(name));
    if (found) throw new Problem(`This step forbids torch's own \`${found.text}\`: write it yourself.`, found);
    const value = valueOf(text, given);
    if (value === undefined) return { values: null };
    const values = value instanceof Pair ? [value.values, value.indices] : [value].flat();
    return { values: number > 1 ? values : [value] };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return { values: null, problem };
  }
}

/** The fault of a result, as a sentence; empty where it is right. */
function faultOf({ values, problem }, { expected, tolerance }) {
  if (problem) return problem.message;
  if (values.length !== expected.length) {
    return `Expected ${counted(expected.length)}, you return ${counted(values.length)}.`;
  }
  return expected.map((right, place) => difference(values[place], right, tolerance)).find(Boolean) ?? "";
}

const counted = (number) => (number === 1 ? "one tensor" : `${number} tensors`);

function difference(value, expected, tolerance) {
  if (!(expected instanceof Tensor)) return isAlike(value, expected, tolerance) ? "" : "Expected another value.";
  const wanted = `a tensor of shape ${spell(expected.shape)}`;
  if (value instanceof Num) return `Expected ${wanted}, you return ${described(value)}: keep it a tensor.`;
  if (!(value instanceof Tensor)) return `Expected ${wanted}, you return ${described(value)}.`;
  if (spell(value.shape) !== spell(expected.shape)) {
    return `Expected shape ${spell(expected.shape)}, yours is ${spell(value.shape)}.`;
  }
  if (value.kind !== expected.kind) {
    const booleans = expected.kind === "bool" ? " A comparison makes booleans, or `.bool()`." : "";
    return `Expected dtype ${expected.kind}, yours is ${value.kind}.${booleans}`;
  }
  const wrong = [...wrongPlaces(value, expected, tolerance)];
  if (!wrong.length) return "";
  const [yours, right] = [value.numbers(), expected.numbers()];
  const distance = (place) => Math.abs(yours[place] - right[place]) || Infinity; // nan is the worst
  const worst = wrong.reduce((most, place) => (distance(place) > distance(most) ? place : most));
  const what = { bool: "places differ", int: "integers differ" }[expected.kind] ?? "numbers differ";
  const number =
    yours.length === 1
      ? "The number differs"
      : `${wrong.length} of ${yours.length} ${what}, most at ${indicesOf(worst, value.shape)}`;
  return `${number}: expected ${spelled(right[worst], value.kind)}, yours ${spelled(yours[worst], value.kind)}.`;
}

/** The places, in reading order, where a tensor has other numbers than an expected one of the same shape. */
export function wrongPlaces(value, expected, tolerance) {
  const [yours, right] = [value.numbers(), expected.numbers()];
  const places = Array.from(right, (_, place) => place);
  return new Set(places.filter((place) => !isClose(yours[place], right[place], tolerance)));
}

function isClose(yours, right, { rtol, atol }) {
  if (Object.is(yours, right) || yours === right) return true;
  return Number.isFinite(right) && Math.abs(yours - right) <= atol + rtol * Math.abs(right);
}

/** A number or a boolean as pages print it. */
export function spelled(number, kind, decimals = 4) {
  if (kind === "bool") return number ? "True" : "False";
  if (kind === "int") return show(number, 0);
  return Number.isNaN(number) ? "nan" : number === Infinity ? "∞" : show(number, decimals);
}

/**
 * The words for the mistake that answers all cases alike; else of the only one that answers the first case alike, for a line with
 * sizes in it that are those of the first case alone. Undefined where there is none.
 */
function knownMistake(results, cases, says) {
  const isLike = (one, place) => answersAlike(results[place], cases[place].answers[one], cases[place]);
  const everywhere = says.filter((_, one) => results.every((_result, place) => isLike(one, place)));
  if (everywhere.length && results.some(({ problem }) => !problem)) return everywhere[0];
  const [first] = cases;
  const here = says.filter((_, one) => first.answers[one] !== true && isLike(one, 0));
  return !results[0].problem && new Set(here).size === 1 ? here[0] : undefined;
}

/** Compare a result with the answer of a mistake: its values, true for the right ones, false where it fails. */
function answersAlike({ values, problem }, answer, { expected, tolerance }) {
  if (problem || answer === false) return Boolean(problem) && answer === false;
  const others = answer === true ? expected : answer;
  return values.length === others.length && values.every((value, place) => isAlike(value, others[place], tolerance));
}

function isAlike(value, other, tolerance) {
  if (value instanceof Tensor && other instanceof Tensor) {
    return (
      value.kind === other.kind &&
      spell(value.shape) === spell(other.shape) &&
      !wrongPlaces(value, other, tolerance).size
    );
  }
  return (
    value instanceof Num &&
    other instanceof Num &&
    value.kind === other.kind &&
    isClose(value.number, other.number, tolerance)
  );
}

/** A value of a page: a tensor, or a number of Python's; null for anything else. */
function received(value) {
  if (!("python" in value)) return fromPage(value);
  return value.number === null ? null : new Num(Number(value.number), value.python);
}
