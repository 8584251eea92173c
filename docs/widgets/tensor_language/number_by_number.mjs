/** Arithmetic number by number: signs between tensors and Python's numbers. */
import { Problem } from "./problem.mjs";
import { KINDS, mapped } from "./tensor.mjs";
import { Num } from "./values.mjs";

/** The function of each sign for two numbers of a kind; `gives` is the kind of the result, if it is another. + 0: whole numbers have no −0. */
const SIGNS = {
  "+": { bool: (a, b) => a | b, int: (a, b) => a + b, float: (a, b) => a + b },
  "-": { int: (a, b) => a - b, float: (a, b) => a - b },
  "*": { bool: (a, b) => a & b, int: (a, b) => a * b + 0, float: (a, b) => a * b },
  "/": { float: (a, b) => a / b, gives: "float" },
  "//": { int: (a, b) => Math.floor(a / b), float: (a, b) => Math.floor(a / b) },
  "**": { int: power, float: power },
  "<": comparison((a, b) => a < b),
  "<=": comparison((a, b) => a <= b),
  ">": comparison((a, b) => a > b),
  ">=": comparison((a, b) => a >= b),
  "==": comparison((a, b) => a === b),
  "!=": comparison((a, b) => a !== b),
  "&": { bool: (a, b) => a & b },
  "|": { bool: (a, b) => a | b },
  maximum: { int: Math.max, float: Math.max },
  minimum: { int: Math.min, float: Math.min },
};

function comparison(holds) {
  return { float: (a, b) => Number(holds(a, b)), gives: "bool" };
}

/** Python's and torch's power: 1 to any power is 1, and so is −1 to an infinite one. */
function power(a, b) {
  return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b;
}

/** The function of a sign for numbers of two kinds, and the kind of the result. Raises Problem. */
function ruleOf(sign, one, other) {
  const { gives, ...byKind } = SIGNS[sign] ?? {};
  const kind = gives ? "float" : KINDS[Math.max(KINDS.indexOf(one), KINDS.indexOf(other))];
  if (sign === "^") throw new Problem("`^` is not a power in Python. Write `**`, as in `d_k ** 0.5`.");
  if (sign === "-" && [one, other].includes("bool")) {
    throw new Problem("Booleans have no `-`: `~mask` turns True and False round.");
  }
  if (!byKind[kind]) throw new Problem(`\`${sign}\` is not for ${kind === "bool" ? "booleans" : "numbers"}.`);
  return { act: byKind[kind], kind: gives ?? kind };
}

/** Two tensors joined by a sign, repeated to one shape. Raises Problem. */
export function joined(sign, one, other) {
  const { act, kind } = ruleOf(sign, one.kind, other.kind);
  if (kind === "int" && ["**", "//"].includes(sign)) {
    throw new Problem(`\`${sign}\` is for floats here: \`.float()\` makes floats.`);
  }
  return mapped(kind, [one, other], act);
}

/** Two of Python's numbers joined by a sign. Its booleans are whole numbers. Raises Problem. */
export function calculated(sign, one, other) {
  const [a, b] = [one.number, other.number];
  if (sign === "@") throw new Problem("`@` multiplies matrices, and these are numbers: `*` multiplies them.");
  const { act, kind } = ruleOf(sign, ...[one, other].map((side) => (side.kind === "bool" ? "int" : side.kind)));
  if ((sign.startsWith("/") && b === 0) || (sign === "**" && a === 0 && b < 0)) throw new Problem("This divides by 0.");
  const number = act(a, b);
  if (Number.isNaN(number) && !Number.isNaN(a + b)) throw new Problem("The root of a negative number is no number here.");
  if (kind === "int" && Math.abs(number) > Number.MAX_SAFE_INTEGER) throw new Problem("This number is too large for this box.");
  return new Num(number, sign === "**" && b < 0 ? "float" : kind);
}
