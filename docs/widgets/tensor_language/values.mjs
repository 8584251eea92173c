/**
 * The values of a line beside tensors: Python's numbers, tuples (as arrays), None (null), texts, types, functions.
 *
 * The functions below turn an argument into a value of JavaScript, and refuse any other.
 */
import { Problem } from "./problem.mjs";
import { Tensor, scalar, spell } from "./tensor.mjs";

/** A number of Python's. kind: "bool", "int" or "float". */
export class Num {
  constructor(number, kind) {
    Object.assign(this, { number, kind });
  }
}

export const int = (number) => new Num(number, "int");
export const float = (number) => new Num(number, "float");
export const truth = (yes) => new Num(Number(yes), "bool");

export const ELLIPSIS = Symbol("...");

/** A type of a tensor's numbers: torch.float, torch.bool. */
export class Type {
  constructor(kind) {
    this.kind = kind;
  }
}

/** start:stop:step between brackets, each a number or null. */
export class Slice {
  constructor(start, stop, step) {
    Object.assign(this, { start, stop, step });
  }
}

/** The result of `max` over a dimension: the values and their indices. */
export class Pair {
  constructor(values, indices) {
    Object.assign(this, { values, indices });
  }
}

/** A module, such as torch. members: what is in it, by name. */
export class Module {
  constructor(name, members) {
    Object.assign(this, { name, members });
  }
}

/** A value in words, for messages. */
export function described(value) {
  if (value instanceof Tensor) return `a tensor of shape ${spell(value.shape)}`;
  if (value instanceof Num) return `the number ${value.kind === "bool" ? Boolean(value.number) : value.number}`;
  if (value === null) return "None";
  if (Array.isArray(value)) return "a tuple, several values at once";
  if (value instanceof Pair) return "two things: take `.values`, or use `amax`";
  if (value instanceof Callable) return "a function that is not called: its brackets are missing";
  return { string: "a text in quotes", symbol: "`...`" }[typeof value] ?? "no value to compute with";
}

/** A function (value, what) that returns `made(value)` for a value that `fits`, and raises Problem for another. */
const taker = (fits, wanted, made) => (value, what) => {
  if (fits(value)) return made(value);
  throw new Problem(`${what} has to be ${wanted}, and is ${described(value)}.`);
};

const itself = (value) => value;
const isWhole = (value) => value instanceof Num && value.kind === "int";

export const tensorOf = taker((value) => value instanceof Tensor, "a tensor", itself);
export const numberOf = taker((value) => value instanceof Num, "a number", itself);
export const wholeOf = taker(isWhole, "a whole number (`//` divides to one)", ({ number }) => number);
const kindOf = taker((value) => value instanceof Type, "a type such as `torch.float`", ({ kind }) => kind);
const textOf = taker((value) => typeof value === "string", "a text in quotes", itself);
const listOf = taker(Array.isArray, "a list of tensors, as `[a, b]`", itself);
const isTruth = (value) => value instanceof Num && value.kind === "bool";
const truthOf = taker(isTruth, "True or False", ({ number }) => number === 1);

/** A tensor, or a number as one without dimensions. */
export const operandOf = taker(
  (value) => value instanceof Tensor || value instanceof Num,
  "a tensor or a number",
  (value) => (value instanceof Num ? scalar(value.number, value.kind) : value),
);

/** Whole numbers as an array: those of a tuple, or one. */
const wholesOf = (value, what) => [value].flat().map((one) => wholeOf(one, what));

/** The taker of a parameter, by its name; other parameters take anything. */
const TAKERS = Object.fromEntries(
  [
    [tensorOf, "input mat2 tensor mask condition weight bias target operands"],
    [operandOf, "self other exponent min max value"],
    [numberOf, "number fill_value start end step"],
    [wholeOf, "dim0 dim1 axis0 axis1 start_dim end_dim diagonal chunks correction n m shifts"],
    [wholesOf, "dim dims shape size sizes"],
    [truthOf, "keepdim unbiased"],
    [kindOf, "dtype"],
    [textOf, "equation reduction"],
    [listOf, "tensors"],
  ].flatMap(([taken, names]) => names.split(" ").map((name) => [name, taken])),
);

/** A function. parameters: { name, rest, standard, take } each. run: takes their values in order. */
export class Callable {
  constructor(name, signature, run) {
    Object.assign(this, { name, parameters: signature.split(" ").map(parameterOf), run });
  }

  /** The same with its first argument given, as a method has it. */
  bound(first) {
    const parameters = this.parameters.slice(1);
    const run = (...rest) => this.run(first, ...rest);
    return Object.assign(new Callable(this.name, "", run), { parameters });
  }
}

const STANDARDS = { None: null, False: false };

/** The parameter of one word of "input dim keepdim=False *rest". One without a standard value has to be given. */
function parameterOf(word) {
  const [name, written] = word.replace("*", "").split("=");
  const standard = written in STANDARDS ? STANDARDS[written] : written && Number(written);
  const take = (value) => (value === null && standard === null ? null : (TAKERS[name] ?? itself)(value, `\`${name}\``));
  return { name, rest: word.startsWith("*"), standard, take };
}
