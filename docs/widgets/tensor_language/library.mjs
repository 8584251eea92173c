/** What lines may name: torch, F, math, Python's own, what belongs to a tensor; and what is said of all other names. */
import { BOTH, METHODS, PROPERTIES, TORCH, crossEntropy, item, linear, numberOf } from "./functions.mjs";
import { Problem, didYouMean } from "./problem.mjs";
import { Tensor } from "./tensor.mjs";
import { Callable, Module, Num, Pair, Type, described, float, int, tensorOf } from "./values.mjs";

const ofNumber = (name, act) => [
  "x",
  (x) => {
    if (x instanceof Tensor)
      throw new Problem(`\`math.${name}\` is for Python's numbers; for tensors it is \`torch.${name}\`.`);
    const number = act(numberOf(x, "x").number);
    if (Number.isNaN(number)) throw new Problem(`\`math.${name}\` has no value there.`);
    return float(number);
  },
];

const MATH = {
  sqrt: ofNumber("sqrt", Math.sqrt),
  exp: ofNumber("exp", Math.exp),
  log: ofNumber("log", (number) => (number > 0 ? Math.log(number) : NaN)),
};

/** A function that takes a tensor first, and says so where it gets something else. */
function onTensors(name, [signature, run]) {
  return new Callable(name, signature, (x, ...rest) => run(tensorOf(x, `\`${name}\``), ...rest));
}

const entries = (table, make) => Object.entries(table).map(([name, entry]) => [name, make(name, entry)]);
const plain = (name, [signature, run]) => new Callable(name, signature, run);

const FUNCTIONS_OF_TORCH = new Map([...entries(BOTH, onTensors), ...entries(TORCH, plain)]);
const METHODS_OF_TENSORS = new Map([...entries(BOTH, onTensors), ...entries(METHODS, onTensors)]);

for (const [other, name] of [
  ["concat", "cat"],
  ["swapdims", "swapaxes"],
]) {
  FUNCTIONS_OF_TORCH.set(other, FUNCTIONS_OF_TORCH.get(name));
}

const NO_CHANCE = "No random numbers here: a line always gives the same numbers.";
const WHOLE_ANSWER = "This is the whole answer in one call. Write it out.";

/** Why a name of torch's is not here. */
function refused(name) {
  if (/^(rand|normal|bernoulli|dropout|multinomial|manual_seed)/.test(name)) return NO_CHANCE;
  if (/^(scaled_dot_product_attention|MultiheadAttention)/.test(name)) return WHOLE_ANSWER;
  if (/^[A-Z]|^nn$/.test(name)) return "No layers here: their numbers are given, and `@` multiplies.";
  if (/[a-z]_$/.test(name))
    return `\`${name}\` writes into the tensor itself, and whoever else has it sees other numbers. Without the \`_\` it returns a new one.`;
  return "";
}

const TYPES = {
  float: "float",
  float32: "float",
  float64: "float",
  double: "float",
  int: "int",
  int64: "int",
  long: "int",
  bool: "bool",
};
const FUNCTIONAL = ["softmax", "log_softmax", "relu", "sigmoid", "tanh"];

const F = new Module(
  "F",
  new Map([
    ...FUNCTIONAL.map((name) => [name, FUNCTIONS_OF_TORCH.get(name)]),
    ["linear", new Callable("linear", "input weight bias=None", linear)],
    ["cross_entropy", new Callable("cross_entropy", "input target reduction=None", crossEntropy)],
  ]),
  refused,
);

const NN = new Module("torch.nn", new Map([["functional", F]]), refused);

const TORCH_MODULE = new Module(
  "torch",
  new Map([
    ...FUNCTIONS_OF_TORCH,
    ...Object.entries(TYPES).map(([name, kind]) => [name, new Type(kind)]),
    ["nn", NN],
    ["inf", float(Infinity)],
    ["nan", float(NaN)],
    ["pi", float(Math.PI)],
  ]),
  refused,
);

const MATH_MODULE = new Module(
  "math",
  new Map([...entries(MATH, plain), ["inf", float(Infinity)], ["pi", float(Math.PI)], ["e", float(Math.E)]]),
);

/** exp, sqrt and softmax as in a formula, of tensors and of numbers. */
const formula = (name) =>
  new Callable(name, "x", (x) =>
    x instanceof Num ? MATH_MODULE.members.get(name).run(x) : FUNCTIONS_OF_TORCH.get(name).run(x),
  );

const PYTHON = {
  float: ["x", (x) => (typeof x === "string" ? float(numberInText(x)) : float(pythonNumber(x)))],
  int: ["x", (x) => int(Math.trunc(pythonNumber(x)))],
  len: ["x", length],
  abs: [
    "x",
    (x) =>
      x instanceof Num
        ? new Num(Math.abs(x.number), x.kind === "bool" ? "int" : x.kind)
        : METHODS_OF_TENSORS.get("abs").run(x),
  ],
};

function numberInText(text) {
  const found = {
    inf: Infinity,
    "+inf": Infinity,
    "-inf": -Infinity,
    infinity: Infinity,
    "-infinity": -Infinity,
    nan: NaN,
  }[text.trim().toLowerCase()];
  if (found !== undefined) return found;
  if (text.trim() && Number.isFinite(Number(text))) return Number(text);
  throw new Problem(`"${text}" is no number. Minus infinity is \`float("-inf")\`.`);
}

function pythonNumber(x) {
  const { number } = x instanceof Tensor ? item(x) : numberOf(x, "x");
  return number;
}

function length(x) {
  if (Array.isArray(x)) return int(x.length);
  if (tensorOf(x, "`len`").rank) return int(x.shape[0]);
  throw new Problem("A single number has no length.");
}

/** What is there before a line begins, by name. */
export const NAMES = new Map([
  ["torch", TORCH_MODULE],
  ["F", F],
  ["functional", F],
  ["nn", NN],
  ["math", MATH_MODULE],
  ["softmax", new Callable("softmax", "x dim=-1", (x, dim) => FUNCTIONS_OF_TORCH.get("softmax").run(x, dim, null))],
  ["exp", formula("exp")],
  ["log", formula("log")],
  ["sqrt", formula("sqrt")],
  ...entries(PYTHON, plain),
]);

/** Python's own functions that a line does better without, and what to write. */
const INSTEAD = {
  sum: "Python's `sum` adds up the rows. All numbers are `x.sum()`, those of each row `x.sum(dim=-1)`.",
  max: "The largest number is `x.max()`, that of each row `x.amax(dim=-1)`.",
  min: "The smallest number is `x.min()`, that of each row `x.amin(dim=-1)`.",
  print: "Nothing is to be printed: the result is drawn below.",
  range: "There are no loops here. A matrix product, or a function with `dim`, does the work of one.",
  np: "Stay in torch, whose functions have the same names.",
  numpy: "Stay in torch, whose functions have the same names.",
  self: "There is no `self` here: the names above are all there is.",
};

/** Why a name is unknown, and what could be meant. */
export function unknownName(name, own) {
  if (Object.hasOwn(INSTEAD, name)) return INSTEAD[name];
  if (FUNCTIONS_OF_TORCH.has(name)) return `\`${name}\` belongs to torch: \`torch.${name}(…)\`.`;
  if (METHODS_OF_TENSORS.has(name)) return `\`${name}\` belongs to a tensor: \`x.${name}(…)\`.`;
  return `There is no \`${name}\` here.${didYouMean(name, [...own, ...NAMES.keys()])}`;
}

/** What stands after a dot. Raises Problem. */
export function attributeOf(value, name) {
  if (value instanceof Module) {
    const found = value.members.get(name);
    if (found !== undefined) return found;
    throw new Problem(
      value.refuse(name) ||
        `This box knows no \`${value.name}.${name}\`.${didYouMean(name, [...value.members.keys()])}`,
    );
  }
  if (value instanceof Pair && (name === "values" || name === "indices")) return value[name];
  if (!(value instanceof Tensor)) throw new Problem(`What has no \`.${name}\` is ${described(value)}.`);
  if (Object.hasOwn(PROPERTIES, name)) return PROPERTIES[name](value);
  const method = METHODS_OF_TENSORS.get(name);
  if (method) return method.bound(value);
  const known = [...METHODS_OF_TENSORS.keys(), ...Object.keys(PROPERTIES)];
  throw new Problem(refused(name) || `This box knows no \`.${name}\` of a tensor.${didYouMean(name, known)}`);
}
