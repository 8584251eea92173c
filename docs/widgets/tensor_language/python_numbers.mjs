/** Arithmetic of Python's own numbers, whole or not. */
import { floorDivided, power, remainder } from "./number_by_number.mjs";
import { Problem } from "./problem.mjs";
import { Num, float, int, truth } from "./values.mjs";

const COMPARISONS = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

const BITS = { "&": (a, b) => a & b, "|": (a, b) => a | b, "^": (a, b) => a ^ b };

/** Two numbers joined by a sign. Raises Problem. */
export function calculated(sign, one, other) {
  const [a, b] = [one.number, other.number];
  if (sign in COMPARISONS) return truth(COMPARISONS[sign](a, b));
  if (sign === "@") throw new Problem("`@` multiplies matrices, and these are numbers: `*` multiplies them.");
  const whole = one.kind !== "float" && other.kind !== "float";
  if (sign in BITS) return bits(sign, one, other, whole);
  if (sign === "**") return powerOf(a, b, whole);
  if ("/%".includes(sign[0]) && b === 0) throw new Problem("This divides by 0.");
  const number = { "+": a + b, "-": a - b, "*": a * b, "/": a / b, "//": floorDivided(a, b), "%": remainder(a, b) }[
    sign
  ];
  return whole && sign !== "/" ? int(safe(number)) : float(number);
}

function bits(sign, one, other, whole) {
  if (!whole) {
    const power =
      sign === "^"
        ? "`^` is not a power in Python. Write `**`, as in `d_k ** 0.5`."
        : `\`${sign}\` is for whole numbers and booleans.`;
    throw new Problem(power);
  }
  const number = BITS[sign](one.number, other.number);
  return new Num(number, one.kind === "bool" && other.kind === "bool" ? "bool" : "int");
}

function powerOf(a, b, whole) {
  if (a === 0 && b < 0 && Number.isFinite(b)) throw new Problem("0 has no negative power: this divides by 0.");
  if (a < 0 && Number.isFinite(a + b) && !Number.isInteger(b))
    throw new Problem("The root of a negative number is no number here.");
  if (whole && b >= 0) return int(safe(a ** b));
  const number = power(a, b);
  if (number === Infinity && Number.isFinite(a) && Number.isFinite(b))
    throw new Problem("This power is too large for a number.");
  return float(number);
}

/** A whole number that JavaScript still counts exactly. */
function safe(number) {
  if (Number.isSafeInteger(number)) return number;
  throw new Problem("This whole number is too large for this box.");
}
