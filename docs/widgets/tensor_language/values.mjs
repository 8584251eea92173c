/**
 * The values of a line beside tensors: Python's numbers, tuples (as arrays), None (null), texts, types, functions.
 *
 * The functions below take an argument for what it has to be, and say so where it is not.
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

/** A function. parameters: { name, rest, wanted } each. run: takes their values in order. */
export class Callable {
  constructor(name, signature, run) {
    Object.assign(this, { name, parameters: parametersOf(signature), run });
  }

  /** The same with its first argument given, as a method has it. */
  bound(first) {
    const method = new Callable(this.name, "", (...rest) => this.run(first, ...rest));
    method.parameters = this.parameters.slice(1);
    return method;
  }
}

const DEFAULTS = { None: null, True: truth(true), False: truth(false) };

/** The parameters of "input dim keepdim=False *rest". A parameter without a default has to be given. */
function parametersOf(signature) {
  return signature
    .split(" ")
    .filter(Boolean)
    .map((one) => {
      const [name, standard] = one.split("=");
      if (name.startsWith("*")) return { name: name.slice(1), rest: true };
      return standard === undefined
        ? { name }
        : { name, standard: DEFAULTS[standard] ?? (standard === "None" ? null : int(Number(standard))) };
    });
}

/** A value in words, for messages. */
export function described(value) {
  if (value instanceof Tensor) return `a tensor of shape ${spell(value.shape)}`;
  if (value instanceof Num) return `the number ${value.kind === "bool" ? Boolean(value.number) : value.number}`;
  if (value === null) return "None";
  if (Array.isArray(value)) return "a tuple, several values at once";
  if (value instanceof Pair) return "two things: take `.values`, or use `amax`";
  if (value instanceof Callable) return "a function that is not called: its brackets are missing";
  if (value instanceof Module) return "a module";
  if (value instanceof Type) return "a type of numbers";
  return typeof value === "string" ? "a text in quotes" : "`...`";
}

export function tensorOf(value, what = "This") {
  if (value instanceof Tensor) return value;
  throw new Problem(`${what} takes a tensor, and gets ${described(value)}.`);
}

/** A tensor, or a number as one without dimensions. */
export function operandOf(value, sign) {
  if (value instanceof Tensor) return value;
  if (value instanceof Num) return scalar(value.number, value.kind);
  throw new Problem(`One side of \`${sign}\` is no tensor but ${described(value)}.`);
}

/** A whole number of Python's as one of JavaScript's. */
export function wholeOf(value, name) {
  if (value instanceof Num && value.kind === "int") return value.number;
  throw new Problem(`\`${name}\` has to be a whole number, and is ${described(value)}. \`//\` divides to one.`);
}

export const wholesOf = (value, name) =>
  Array.isArray(value) ? value.map((one) => wholeOf(one, name)) : [wholeOf(value, name)];

export function yesOrNo(value, name) {
  if (value instanceof Num && value.kind === "bool") return value.number === 1;
  throw new Problem(`\`${name}\` is True or False, and not ${described(value)}.`);
}

export function listOf(value, name) {
  if (Array.isArray(value)) return value;
  throw new Problem(`\`${name}\` takes its tensors in one list: \`torch.${name}([a, b], dim=-1)\`.`);
}

export function kindOf(value, otherwise) {
  if (value === null) return otherwise;
  if (value instanceof Type) return value.kind;
  throw new Problem("A `dtype` is `torch.float`, `torch.int` or `torch.bool`.");
}
