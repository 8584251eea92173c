/** Evaluate lines: names, tensors and numbers go in, the value of the last line comes out. */
import { NAMES, attributeOf, unknownName } from "./library.mjs";
import { calculated, joined } from "./number_by_number.mjs";
import { parse } from "./parser.mjs";
import { Problem, at, didYouMean } from "./problem.mjs";
import { matmul } from "./products.mjs";
import { Tensor, mapped, spell } from "./tensor.mjs";
import { Callable, ELLIPSIS, Num, Pair, Slice, described, float, int, operandOf, truth, wholeOf } from "./values.mjs";

/** A tensor or number of a page: { shape, numbers, kind }, a plain number. */
export function fromPage(value) {
  if (typeof value === "boolean") return truth(value);
  if (typeof value === "number") return Number.isInteger(value) ? int(value) : float(value);
  return new Tensor(value.kind ?? "float", value.shape, Float64Array.from(value.numbers));
}

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
  if (value instanceof Tensor && value.rank) return [...Array(value.shape[0]).keys()].map((row) => value.selected(0, row));
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
  slice: (node, own) => new Slice(...[node.start, node.stop, node.step].map((bound) => bound && evaluated(bound, own))),
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
  subscript: ({ value, items }, own) => {
    const whole = evaluated(value, own);
    return (whole instanceof Tensor ? partOf : entryOf)(whole, items.map((item) => evaluated(item, own)));
  },
};

function named(name, own) {
  const value = own.has(name) ? own.get(name) : NAMES.get(name);
  if (value !== undefined) return value;
  throw new Problem(unknownName(name, [...own.keys()]));
}

const spread = (items, own) =>
  items.flatMap((item) =>
    item.type === "star" ? at(item, () => severalOf(evaluated(item.value, own))) : [evaluated(item, own)],
  );

function signed(sign, value) {
  if (sign === "~") {
    const mask = operandOf(value, "What stands after `~`");
    if (mask.kind !== "bool") throw new Problem("`~` turns booleans round, and these are numbers. A comparison makes booleans.");
    return mapped("bool", [mask], (yes) => 1 - yes);
  }
  if (value instanceof Tensor && value.kind === "bool") {
    throw new Problem(`Booleans have no \`${sign}\`: \`~mask\` turns True and False round.`);
  }
  return combined("*", value, int(sign === "-" ? -1 : 1));
}

function combined(sign, left, right) {
  if (left instanceof Num && right instanceof Num) return calculated(sign, left, right);
  if (sign === "+" && Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  const [one, other] = [left, right].map((side) => operandOf(side, `A side of \`${sign}\``));
  return sign === "@" ? matmul(one, other) : joined(sign, one, other);
}

/** Part of a tensor, in the same memory: x[1], x[:, -1], x[..., None]. */
function partOf(tensor, items) {
  const taken = items.filter((item) => item !== null && item !== ELLIPSIS).length;
  if (taken > tensor.rank) throw new Problem(`These are ${taken} indices, and the tensor has the shape ${spell(tensor.shape)}.`);
  if (items.filter((item) => item === ELLIPSIS).length > 1) throw new Problem("`...` stands once between brackets.");
  let [view, dim] = [tensor, 0];
  for (const item of items) {
    if (item === ELLIPSIS) dim += tensor.rank - taken;
    else if (item === null) view = view.inserted(dim++);
    else if (item instanceof Slice) view = sliced(view, dim++, item);
    else view = view.selected(dim, wholeOf(item, "An index"));
  }
  return view;
}

function sliced(tensor, dim, { start, stop, step }) {
  const size = tensor.shape[dim];
  const bound = (value, otherwise) => {
    if (value === null) return otherwise;
    const place = wholeOf(value, "A bound of a slice");
    return Math.min(Math.max(place < 0 ? place + size : place, 0), size);
  };
  const by = step === null ? 1 : wholeOf(step, "The step of a slice");
  if (by <= 0) throw new Problem("A slice of a tensor goes forward: its step is 1 or more.");
  const first = bound(start, 0);
  return tensor.narrowed(dim, first, Math.max(0, Math.ceil((bound(stop, size) - first) / by)), by);
}

/** One value of a tuple, or several. */
function entryOf(value, items) {
  const values = severalOf(value);
  if (items.length !== 1) throw new Problem("A tuple takes one index.");
  const [item] = items;
  if (item instanceof Slice) {
    const bounds = [item.start ?? int(0), item.stop ?? int(values.length)];
    return values.slice(...bounds.map((bound) => wholeOf(bound, "A bound of a slice")));
  }
  const found = values.at(wholeOf(item, "An index"));
  if (found !== undefined) return found;
  throw new Problem(`There is no index ${item.number} among ${values.length} values: counting begins at 0.`);
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
function argumentsOf({ name, parameters }, given, byName) {
  const values = new Map();
  const left = [...given];
  for (const parameter of parameters) {
    if (parameter.rest) values.set(parameter, left.splice(0));
    else if (left.length) values.set(parameter, left.shift());
  }
  if (left.length) throw new Problem(`\`${name}\` gets ${given.length} arguments, and takes ${parameters.length} here.`);
  for (const one of byName) {
    const wanted = parameters.find((parameter) => parameter.name === (ALIASES[one.name] ?? one.name));
    if (!wanted) {
      const hint = didYouMean(one.name, parameters.map((parameter) => parameter.name));
      throw new Problem(`\`${name}\` has no argument called \`${one.name}\` here.${hint}`, one);
    }
    if (values.get(wanted)?.length !== 0 && values.has(wanted)) throw new Problem(`\`${one.name}\` is given twice.`, one);
    values.set(wanted, wanted.rest ? [one.value] : one.value);
  }
  return parameters.map((parameter) => {
    if (parameter.rest) return values.get(parameter).flat().flatMap(parameter.take);
    if (values.has(parameter)) return parameter.take(values.get(parameter));
    if (parameter.standard !== undefined) return parameter.standard;
    throw new Problem(`\`${name}\` is called without \`${parameter.name}\`.`);
  });
}
