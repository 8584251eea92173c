/** The names that lines may use: torch, F, math, Python's own, those of a tensor. */
import { BOTH, METHODS, PROPERTIES, TORCH, crossEntropy, item, linear, numberOf } from "./functions.mjs";
import { Problem, didYouMean } from "./problem.mjs";
import { Tensor } from "./tensor.mjs";
import { Callable, Module, Num, Pair, Type, described, float, int, tensorOf } from "./values.mjs";

const ofNumber = (act) => [
  "x",
  (x) => {
    const number = act(numberOf(x, "x").number);
    if (Number.isFinite(number)) return float(number);
    throw new Problem("This function has no value there.");
  },
];

const MATH = { sqrt: ofNumber(Math.sqrt), exp: ofNumber(Math.exp), log: ofNumber(Math.log) };

/** A function that takes a tensor first, and says so where it gets something else. */
function onTensors(name, [signature, run]) {
  return new Callable(name, signature, (x, ...rest) => run(tensorOf(x, `\`${name}\``), ...rest));
}

const entries = (table, make) => Object.entries(table).map(([name, entry]) => [name, make(name, entry)]);
const plain = (name, [signature, run]) => new Callable(name, signature, run);

const FUNCTIONS_OF_TORCH = new Map([...entries(BOTH, onTensors), ...entries(TORCH, plain)]);
const METHODS_OF_TENSORS = new Map([...entries(BOTH, onTensors), ...entries(METHODS, onTensors)]);
FUNCTIONS_OF_TORCH.set("concat", FUNCTIONS_OF_TORCH.get("cat"));

const TYPES = { float: "float", float32: "float", float64: "float", int: "int", int64: "int", long: "int", bool: "bool" };

const F = new Module(
  "F",
  new Map([
    ...["softmax", "log_softmax"].map((name) => [name, FUNCTIONS_OF_TORCH.get(name)]),
    ["linear", new Callable("linear", "input weight bias=None", linear)],
    ["cross_entropy", new Callable("cross_entropy", "input target reduction=None", crossEntropy)],
  ]),
);

const NN = new Module("torch.nn", new Map([["functional", F]]));

const TORCH_MODULE = new Module(
  "torch",
  new Map([
    ...FUNCTIONS_OF_TORCH,
    ...Object.entries(TYPES).map(([name, kind]) => [name, new Type(kind)]),
    ["nn", NN],
    ["inf", float(Infinity)],
  ]),
);

const MATH_MODULE = new Module("math", new Map([...entries(MATH, plain), ["inf", float(Infinity)]]));

/** exp, sqrt and log as in a formula, of tensors and of numbers. */
const formula = (name) =>
  new Callable(name, "x", (x) => (x instanceof Num ? MATH_MODULE : TORCH_MODULE).members.get(name).run(x));

const pythonNumber = (x) => (x instanceof Tensor ? item(x) : numberOf(x, "x")).number;

const PYTHON = {
  float: ["x", (x) => float(typeof x === "string" ? numberInText(x) : pythonNumber(x))],
  int: ["x", (x) => int(Math.trunc(pythonNumber(x)))],
  len: ["x", length],
};

function numberInText(text) {
  const number = Number(text.trim().toLowerCase().replace(/inf$/, "Infinity"));
  if (text.trim() && !Number.isNaN(number)) return number;
  throw new Problem(`"${text}" is no number. Minus infinity is \`float("-inf")\`.`);
}

function length(x) {
  if (Array.isArray(x)) return int(x.length);
  if (tensorOf(x, "`len`").rank) return int(x.shape[0]);
  throw new Problem("A single number has no length.");
}

/** The names that every line knows, with their values. */
export const NAMES = new Map([
  ["torch", TORCH_MODULE],
  ["F", F],
  ["functional", F],
  ["nn", NN],
  ["math", MATH_MODULE],
  ["softmax", new Callable("softmax", "x dim=-1", (x, dim) => FUNCTIONS_OF_TORCH.get("softmax").run(x, dim, null))],
  ...["exp", "log", "sqrt"].map((name) => [name, formula(name)]),
  ...entries(PYTHON, plain),
]);

/** The message for an unknown name, with the nearest known one. */
export function unknownName(name, own) {
  if (FUNCTIONS_OF_TORCH.has(name)) return `\`${name}\` belongs to torch: \`torch.${name}(…)\`.`;
  if (METHODS_OF_TENSORS.has(name)) return `\`${name}\` belongs to a tensor: \`x.${name}(…)\`.`;
  return `There is no \`${name}\` here.${didYouMean(name, [...own, ...NAMES.keys()])}`;
}

/** The value of a name after a dot. Raises Problem. */
export function attributeOf(value, name) {
  if (value instanceof Module) {
    const found = value.members.get(name);
    if (found !== undefined) return found;
    if (/^(scaled_dot_product|Multihead)/.test(name)) throw new Problem("This is the whole answer in one call. Write it out.");
    throw new Problem(`This box knows no \`${value.name}.${name}\`.${didYouMean(name, [...value.members.keys()])}`);
  }
  if (value instanceof Pair && (name === "values" || name === "indices")) return value[name];
  if (!(value instanceof Tensor)) throw new Problem(`There is no \`.${name}\` of ${described(value)}.`);
  if (Object.hasOwn(PROPERTIES, name)) return PROPERTIES[name](value);
  const method = METHODS_OF_TENSORS.get(name);
  if (method) return method.bound(value);
  const known = [...METHODS_OF_TENSORS.keys(), ...Object.keys(PROPERTIES)];
  throw new Problem(`This box knows no \`.${name}\` of a tensor.${didYouMean(name, known)}`);
}
