/** Evaluate lines: names, tensors and numbers go in, the value of the last line comes out. */
import { part } from "./indexing.mjs";
import { NAMES, attributeOf, unknownName } from "./library.mjs";
import { calculated, joined, mapped } from "./number_by_number.mjs";
import { parse } from "./parser.mjs";
import { Problem, at, didYouMean } from "./problem.mjs";
import { matmul } from "./products.mjs";
import { Tensor } from "./tensor.mjs";
import {
  Callable,
  ELLIPSIS,
  Num,
  Pair,
  Slice,
  described,
  float,
  int,
  operandOf,
  truth,
  wholeOf,
  wholesOf,
} from "./values.mjs";

/**
 * The value of the last line; undefined where there is none. given: tensors and numbers (of values.mjs) by name.
 *
 * Raises Problem, with its place in the text.
 */
export function valueOf(text, given) {
  const own = new Map(Object.entries(given));
  let value;
  for (const statement of parse(text)) {
    value = evaluated(statement.value, own);
    for (const target of statement.targets) assign(target, value, own);
  }
  return value;
}

function assign(target, value, own) {
  if (target.type === "name") return own.set(target.name, value);
  const values = at(target, () => severalOf(value));
  if (values.length !== target.items.length) {
    throw new Problem(`These are ${values.length} values, and ${target.items.length} names wait for them.`, target);
  }
  return target.items.forEach((item, place) => assign(item, values[place], own));
}

/** The values in a tuple, the rows of a tensor. */
function severalOf(value) {
  if (Array.isArray(value)) return value;
  if (value instanceof Pair) return [value.values, value.indices];
  if (value instanceof Tensor && value.rank) {
    return Array.from({ length: value.shape[0] }, (_, row) => part(value, [int(row)]));
  }
  throw new Problem(`This takes several values, and gets ${described(value)}.`);
}

const evaluated = (node, own) => at(node, () => EVALUATE[node.type](node, own));

const EVALUATE = {
  number: ({ value, float: isFloat }) => (isFloat ? float(value) : int(value)),
  text: ({ value }) => value,
  constant: ({ value }) => (value === null ? null : truth(value)),
  ellipsis: () => ELLIPSIS,
  name: ({ name }, own) => named(name, own),
  tuple: ({ items }, own) => spread(items, own),
  star: () => {
    throw new Problem("A star unpacks a tuple within brackets: `x.view(*x.shape[:2], -1)`.");
  },
  unary: ({ sign, value }, own) => signed(sign, evaluated(value, own)),
  binary: ({ sign, left, right }, own) => combined(sign, evaluated(left, own), evaluated(right, own)),
  attribute: ({ value, name, at: place }, own) => {
    const object = evaluated(value, own);
    return at(place, () => attributeOf(object, name));
  },
  call,
  subscript: ({ value, items }, own) =>
    subscripted(
      evaluated(value, own),
      items.map((item) => index(item, own)),
    ),
};

function named(name, own) {
  if (own.has(name)) return own.get(name);
  if (NAMES.has(name)) return NAMES.get(name);
  throw new Problem(unknownName(name, [...own.keys()]));
}

const spread = (items, own) =>
  items.flatMap((item) =>
    item.type === "star" ? at(item, () => severalOf(evaluated(item.value, own))) : [evaluated(item, own)],
  );

function signed(sign, value) {
  if (sign === "~") {
    const mask = operandOf(value, sign);
    if (mask.kind !== "bool") throw new Problem("`~` turns booleans round, and these are numbers. A comparison makes booleans.");
    return mapped("bool", [mask], (yes) => 1 - yes);
  }
  const factor = int(sign === "-" ? -1 : 1);
  if (value instanceof Num) return calculated("*", value, factor);
  if (value.kind === "bool") throw new Problem(`Booleans have no \`${sign}\`: \`~mask\` turns True and False round.`);
  return joined("*", operandOf(value, sign), operandOf(factor));
}

function combined(sign, left, right) {
  if (left instanceof Num && right instanceof Num) return calculated(sign, left, right);
  if (sign === "+" && Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (sign !== "@") return joined(sign, operandOf(left, sign), operandOf(right, sign));
  return matmul(operandOf(left, sign), operandOf(right, sign));
}

function index(node, own) {
  if (node.type !== "slice") return evaluated(node, own);
  const [start, stop, step] = [node.start, node.stop, node.step].map((bound) => (bound ? evaluated(bound, own) : null));
  return new Slice(start, stop, step);
}

function subscripted(value, items) {
  if (value instanceof Tensor) return part(value, items);
  const values = severalOf(value);
  if (items.length !== 1) throw new Problem("A tuple takes one index.");
  const [item] = items;
  if (item instanceof Slice) {
    const [start, stop] = [item.start, item.stop].map((one) => (one === null ? undefined : wholeOf(one, "slice")));
    return values.slice(start, stop);
  }
  const place = wholeOf(item, "index");
  if (place >= -values.length && place < values.length) return values.at(place);
  throw new Problem(`There is no index ${place} among ${values.length} values: counting begins at 0.`);
}

function call(node, own) {
  const callee = evaluated(node.callee, own);
  const place = { from: node.at.from, to: node.to };
  if (!(callee instanceof Callable)) {
    throw new Problem(`Brackets call a function, and this is ${described(callee)}.`, place);
  }
  const given = spread(node.given, own);
  const byName = node.named.map((one) => ({ ...one, value: evaluated(one.value, own) }));
  return at(place, () => callee.run(...argumentsOf(callee, given, byName)));
}

const ALIASES = { axis: "dim", keepdims: "keepdim" };

/** The values of all parameters of a function, in order. Raises Problem. */
function argumentsOf(callee, given, byName) {
  const { name, parameters } = callee;
  const values = new Map();
  const rest = [...given];
  for (const parameter of parameters) {
    if (parameter.rest) values.set(parameter, sizes(callee, rest.splice(0)));
    else if (rest.length) values.set(parameter, rest.shift());
  }
  if (rest.length) throw new Problem(`\`${name}\` gets ${given.length} arguments, and takes ${parameters.length} here.`);
  for (const one of byName) at(one, () => nameArgument(callee, one, values));
  return parameters.map((parameter) => {
    if (values.has(parameter)) return values.get(parameter);
    if ("standard" in parameter) return parameter.standard;
    throw new Problem(`\`${name}\` is called without \`${parameter.name}\`.`);
  });
}

function nameArgument({ name, parameters }, one, values) {
  const wanted = parameters.find((parameter) => parameter.name === (ALIASES[one.name] ?? one.name));
  if (!wanted) {
    const names = parameters.map((parameter) => parameter.name);
    throw new Problem(`\`${name}\` has no argument called \`${one.name}\` here.${didYouMean(one.name, names)}`);
  }
  if (values.has(wanted) && !(wanted.rest && !values.get(wanted).length))
    throw new Problem(`\`${one.name}\` is given twice.`);
  values.set(wanted, wanted.rest ? wholesOf(one.value, one.name) : one.value);
}

/** Sizes or dimensions one after the other, or in one tuple; the tensors of `einsum`. */
function sizes({ name, parameters }, values) {
  const list = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  if (name === "einsum") return list;
  const rest = parameters.find((parameter) => parameter.rest);
  return list.map((value) => wholeOf(value, rest.name));
}

/** A tensor or number of a page: { shape, numbers, kind }, a plain number. */
export function fromPage(value) {
  if (typeof value === "boolean") return truth(value);
  if (typeof value === "number") return Number.isInteger(value) ? int(value) : float(value);
  return new Tensor(value.kind ?? "float", value.shape, Float64Array.from(value.numbers));
}
