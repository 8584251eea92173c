/** What is done number by number: signs between tensors, functions of one number, choices. */
import { Problem } from "./problem.mjs";
import { KINDS, Tensor, broadcast, checked, places, product } from "./tensor.mjs";

const truth = (condition) => Number(condition);
const modulo = (a, b) => a - b * Math.floor(a / b);
const WHOLE = "whole numbers and booleans";

/** What a sign does with two numbers of a kind; and, where it is not that kind, the kind of the result. */
const SIGNS = {
  "+": { bool: (a, b) => a | b, int: (a, b) => a + b, float: (a, b) => a + b },
  "-": { int: (a, b) => a - b, float: (a, b) => a - b },
  "*": { bool: (a, b) => a & b, int: (a, b) => a * b, float: (a, b) => a * b },
  "/": { float: (a, b) => a / b, gives: "float" },
  "//": { int: floored, float: floorDivided },
  "%": { int: (a, b) => modulo(a, whole(b)), float: remainder },
  "**": { int: wholePower, float: power },
  "<": { float: (a, b) => truth(a < b), gives: "bool" },
  "<=": { float: (a, b) => truth(a <= b), gives: "bool" },
  ">": { float: (a, b) => truth(a > b), gives: "bool" },
  ">=": { float: (a, b) => truth(a >= b), gives: "bool" },
  "==": { float: (a, b) => truth(a === b), gives: "bool" },
  "!=": { float: (a, b) => truth(a !== b), gives: "bool" },
  "&": { bool: (a, b) => a & b, int: (a, b) => a & b },
  "|": { bool: (a, b) => a | b, int: (a, b) => a | b },
  "^": { bool: (a, b) => a ^ b, int: (a, b) => a ^ b },
  maximum: { bool: Math.max, int: Math.max, float: Math.max },
  minimum: { bool: Math.min, int: Math.min, float: Math.min },
};

const REFUSED = {
  "-": "Booleans have no `-`: `~mask` turns True and False round.",
  "^": "`^` is not a power in Python. Write `**`, as in `d_k ** 0.5`.",
};

/** Two tensors joined by a sign, repeated to one shape. Raises Problem. */
export function joined(sign, one, other) {
  const { gives, ...byKind } = SIGNS[sign];
  const kind = gives && byKind.float ? "float" : KINDS[Math.max(KINDS.indexOf(one.kind), KINDS.indexOf(other.kind))];
  const act = byKind[kind];
  if (!act || (sign === "-" && [one.kind, other.kind].includes("bool")))
    throw new Problem(REFUSED[sign] ?? `\`${sign}\` is for ${kind === "bool" ? "numbers" : WHOLE}.`);
  const exact = kind === "int" ? (a, b) => act(a, b) + 0 : act; // whole numbers have no −0
  return mapped(gives ?? kind, [one, other], exact);
}

/** A function of one number of each tensor, for all numbers. Tensors are repeated to one shape. Raises Problem. */
export function mapped(kind, tensors, act) {
  const shape = checked(broadcast(tensors.map((tensor) => tensor.shape)));
  const expanded = tensors.map((tensor) => tensor.expanded(shape));
  const result = new Tensor(kind, shape, new Float64Array(product(shape)), stridesFor(shape, expanded));
  const all = [result, ...expanded];
  const [target, a, b, c] = all.map(({ data }) => data);
  const one = (place, _, at) => (target[place] = act(a[at[1]]));
  const two = (place, _, at) => (target[place] = act(a[at[1]], b[at[2]]));
  const three = (place, _, at) => (target[place] = act(a[at[1]], b[at[2]], c[at[3]]));
  const visit = [one, two, three][tensors.length - 1];
  places(
    shape,
    all.map(({ strides }) => strides),
    all.map(({ offset }) => offset),
    visit,
  );
  return result;
}

/** How torch lays out what comes out number by number: in the order of the inputs' own memory (as its TensorIterator). */
function stridesFor(shape, tensors) {
  const order = shape.map((_, dim) => dim).reverse();
  for (let i = 1; i < order.length; i += 1) {
    let here = i;
    for (let before = i - 1; before >= 0; before -= 1) {
      const swap = turned(order[before], order[here], shape, tensors);
      if (swap < 0) break;
      if (swap > 0) {
        [order[before], order[here]] = [order[here], order[before]];
        here = before;
      }
    }
  }
  const strides = new Array(shape.length);
  let step = 1;
  for (const dim of order) {
    strides[dim] = step;
    step *= shape[dim];
  }
  return strides;
}

/** Whether a dimension that lies further in should change places with another: 1, -1, or 0 where nothing speaks for either. */
function turned(inner, outer, shape, tensors) {
  for (const { strides } of tensors) {
    if (strides[inner] === 0 || strides[outer] === 0) continue;
    if (strides[inner] !== strides[outer]) return strides[inner] < strides[outer] ? -1 : 1;
    if (shape[inner] > shape[outer]) return 1;
  }
  return 0;
}

/** Functions of one number whose results are floats. */
export const FUNCTIONS = {
  exp: Math.exp,
  exp2: (number) => 2 ** number,
  log: Math.log,
  log2: Math.log2,
  sqrt: Math.sqrt,
  rsqrt: (number) => 1 / Math.sqrt(number),
  reciprocal: (number) => 1 / number,
  sin: Math.sin,
  cos: Math.cos,
  tanh: Math.tanh,
  sigmoid: (number) => 1 / (1 + Math.exp(-number)),
};

/** Python's and torch's power: 1 to any power is 1, and so is −1 to an infinite one. */
export function power(a, b) {
  return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b;
}

/** A whole power of a whole number. What a negative one makes smaller than 1 is cut off. */
function wholePower(a, b) {
  return Math.trunc(a === 0 && b < 0 ? 0 : a ** b);
}

function whole(divisor) {
  if (divisor === 0) throw new Problem("This divides whole numbers by 0.");
  return divisor;
}

function floored(a, b) {
  return Math.floor(a / whole(b));
}

/** What a division leaves over, with the sign of the divisor. */
export function remainder(a, b) {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

/** The largest whole number that is not above a / b, as Python rounds it. */
export function floorDivided(a, b) {
  if (b === 0) return a / b;
  const rest = a % b;
  const quotient = (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0);
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}
