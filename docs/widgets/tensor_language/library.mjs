/** The names that lines may use: torch, F, math, Python's own, those of a tensor. */
import { BOTH, METHODS, PROPERTIES, TORCH, crossEntropy, item, linear } from "./functions.mjs";
import { Problem, didYouMean } from "./problem.mjs";
import { Tensor } from "./tensor.mjs";
import { Callable, Module, Num, Pair, Type, described, float, int, numberOf, tensorOf } from "./values.mjs";

const functions = (table) =>
  new Map(Object.entries(table).map(([name, [signature, run]]) => [name, new Callable(name, signature, run)]));

const OF_TORCH = functions({ ...BOTH, ...TORCH, concat: TORCH.cat });
const OF_TENSORS = functions({ ...BOTH, ...METHODS });

const TYPES = { float: "float", float32: "float", float64: "float", int: "int", int64: "int", long: "int", bool: "bool" };

const F = new Module(
  "F",
  functions({
    softmax: BOTH.softmax,
    log_softmax: BOTH.log_softmax,
    linear: ["input weight bias=None", linear],
    cross_entropy: ["input target reduction=None", crossEntropy],
  }),
);

const NN = new Module("torch.nn", new Map([["functional", F]]));

const TORCH_MODULE = new Module(
  "torch",
  new Map([
    ...OF_TORCH,
    ...Object.entries(TYPES).map(([name, kind]) => [name, new Type(kind)]),
    ["nn", NN],
    ["inf", float(Infinity)],
  ]),
);

const ofNumber = (act) => [
  "number",
  (x) => {
    const number = act(x.number);
    if (Number.isFinite(number)) return float(number);
    throw new Problem("This function has no value there.");
  },
];

const MATH = functions({ sqrt: ofNumber(Math.sqrt), exp: ofNumber(Math.exp), log: ofNumber(Math.log) });

/** exp, sqrt and log as in a formula, of tensors and of numbers. */
const formula = (name) => ["x", (x) => (x instanceof Num ? MATH.get(name).run(x) : BOTH[name][1](tensorOf(x, "`x`")))];

const pythonNumber = (x) => (x instanceof Tensor ? item(x) : numberOf(x, "`x`")).number;

function numberInText(text) {
  const number = Number(text.trim().toLowerCase().replace(/inf$/, "Infinity"));
  if (text.trim() && !Number.isNaN(number)) return number;
  throw new Problem(`"${text}" is no number. Minus infinity is \`float("-inf")\`.`);
}

function length(x) {
  if (Array.isArray(x)) return int(x.length);
  if (tensorOf(x, "`x`").rank) return int(x.shape[0]);
  throw new Problem("A single number has no length.");
}

/** The names that every line knows, with their values. */
export const NAMES = new Map([
  ["torch", TORCH_MODULE],
  ["F", F],
  ["functional", F],
  ["nn", NN],
  ["math", new Module("math", new Map([...MATH, ["inf", float(Infinity)]]))],
  ...functions({
    softmax: ["input dim=-1", (x, dim) => BOTH.softmax[1](x, [dim].flat(), null)],
    exp: formula("exp"),
    log: formula("log"),
    sqrt: formula("sqrt"),
    float: ["x", (x) => float(typeof x === "string" ? numberInText(x) : pythonNumber(x))],
    int: ["x", (x) => int(Math.trunc(pythonNumber(x)))],
    len: ["x", length],
  }),
]);

/** The message for an unknown name, with the nearest known one. */
export function unknownName(name, own) {
  if (OF_TORCH.has(name)) return `\`${name}\` belongs to torch: \`torch.${name}(…)\`.`;
  if (OF_TENSORS.has(name)) return `\`${name}\` belongs to a tensor: \`x.${name}(…)\`.`;
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
  if (value instanceof Pair && ["values", "indices"].includes(name)) return value[name];
  if (!(value instanceof Tensor)) throw new Problem(`There is no \`.${name}\` of ${described(value)}.`);
  if (Object.hasOwn(PROPERTIES, name)) return PROPERTIES[name](value);
  if (OF_TENSORS.has(name)) return OF_TENSORS.get(name).bound(value);
  throw new Problem(`This box knows no \`.${name}\` of a tensor.${didYouMean(name, [...OF_TENSORS.keys(), ...Object.keys(PROPERTIES)])}`);
}
