/** Products of matrices and vectors, and einsum. */
import { Problem } from "./problem.mjs";
import { Tensor, broadcast, checked, places, product, spell } from "./tensor.mjs";

/** torch's matmul: of vectors, matrices, and matrices with other dimensions in front. Raises Problem. */
export function matmul(one, other) {
  if (!one.rank || !other.rank) throw new Problem("`@` multiplies matrices and vectors. A number multiplies with `*`.");
  sameKind(one, other);
  const left = one.rank === 1 ? one.seen([1, ...one.shape], [0, ...one.strides]) : one;
  const right = other.rank === 1 ? other.seen([...other.shape, 1], [...other.strides, 0]) : other;
  if (left.shape.at(-1) !== right.shape.at(-2)) throw new Problem(doesNotGo(one.shape, other.shape));
  const whole = multiplied(left, right);
  const shape = [...whole.shape];
  if (one.rank === 1) shape.splice(-2, 1);
  if (other.rank === 1) shape.splice(-1, 1);
  return whole.viewed(shape);
}

function multiplied(left, right) {
  const [rows, inner, columns] = [...left.shape.slice(-2), right.shape.at(-1)];
  const batch = inFront(left, right);
  const shape = checked([...batch, rows, columns]);
  const [a, b] = [left.expanded([...batch, rows, inner]), right.expanded([...batch, inner, columns])];
  const [aStep, bStep] = [a.strides.at(-1), b.strides.at(-2)];
  const data = new Float64Array(product(shape));
  const overRows = [...a.strides.slice(0, -1), 0];
  const overColumns = [...b.strides.slice(0, -2), 0, b.strides.at(-1)];
  places(shape, [overRows, overColumns], [a.offset, b.offset], (_, count, [atA, atB]) => {
    let total = 0;
    for (let k = 0; k < inner; k += 1) total += a.data[atA + k * aStep] * b.data[atB + k * bStep];
    data[count] = total;
  });
  return new Tensor(left.kind, shape, data);
}

function inFront(left, right) {
  const [one, other] = [left.shape.slice(0, -2), right.shape.slice(0, -2)];
  try {
    return broadcast([one, other]);
  } catch {
    throw new Problem(
      `${spell(left.shape)} times ${spell(right.shape)} does not go: the dimensions in front, ${spell(one)} and ${spell(other)}, must be equal.`,
    );
  }
}

/** Says which of two matrices would have to be transposed for their product. */
function doesNotGo(one, other) {
  const [a, b] = [one.at(-2), one.at(-1)];
  const [c, d] = other.length === 1 ? [other[0], undefined] : other.slice(-2);
  const first = one.length === 1 ? `the numbers of the first (${b})` : `the columns of the first (${b})`;
  const second = other.length === 1 ? `the numbers of the second (${c})` : `the rows of the second (${c})`;
  const fitting = [];
  if (d !== undefined && b === d) fitting.push("the second transposed");
  if (a !== undefined && a === c) fitting.push("the first transposed");
  if (a !== undefined && d === a && (c !== a || d !== b)) fitting.push("the two in the other order");
  const hint = fitting.length ? ` It goes with ${fitting.join(" or ")}.` : "";
  return `${spell(one)} times ${spell(other)} does not go: ${first} must be as many as ${second}.${hint}`;
}

function sameKind(one, other) {
  if (one.kind !== other.kind)
    throw new Problem("A product of matrices needs two of one type: `.float()` makes floats.");
  if (one.kind === "bool")
    throw new Problem("A product of matrices needs numbers, and these are booleans: `.float()` makes numbers of them.");
}

/** Sums of products over the letters that are not named on the right: "qd,kd->qk". Raises Problem. */
export function einsum(equation, tensors) {
  const { inputs, output } = lettersOf(equation.replaceAll(" ", ""), tensors);
  const sizes = sizesOf(inputs, tensors);
  for (const letter of output) {
    if (!sizes.has(letter))
      throw new Problem(`The letter ${spelled(letter)} stands on the right of \`->\`, and in no tensor.`);
  }
  const summed = [...sizes.keys()].filter((letter) => !output.includes(letter));
  const size = (letter) => sizes.get(letter);
  const strides = tensors.map((tensor, one) => (letter) => strideOf(tensor, inputs[one], letter));
  const shape = checked(output.map(size));
  const inner = checked(summed.map(size));
  const data = new Float64Array(product(shape));
  const offsets = tensors.map(({ offset }) => offset);
  places(
    shape,
    strides.map((of) => output.map(of)),
    offsets,
    (_, count, starts) => {
      let total = 0;
      places(
        inner,
        strides.map((of) => summed.map(of)),
        starts,
        (_at, _count, at) => {
          total += tensors.reduce((term, { data: numbers }, one) => term * numbers[at[one]], 1);
        },
      );
      data[count] = total;
    },
  );
  return new Tensor(tensors[0].kind, shape, data);
}

/** The letters of each tensor and of the result. The dimensions of `...` are called "0", "1", … from the end. */
function lettersOf(equation, tensors) {
  const [left, right, ...more] = equation.split("->");
  const terms = left.split(",");
  if (more.length || !/^[A-Za-z.,]*(->[A-Za-z.]*)?$/.test(equation)) {
    throw new Problem("An equation of `einsum` has letters, commas and one arrow: `qd,kd->qk`.");
  }
  if (terms.length !== tensors.length) {
    throw new Problem(`The equation is for ${terms.length} tensors, and there are ${tensors.length}.`);
  }
  const ahead = terms.map((term, one) => tensors[one].rank - term.replace("...", "").length);
  const rest = terms.reduce((most, term, one) => (term.includes("...") ? Math.max(most, ahead[one]) : most), 0);
  const dots = (number) => Array.from({ length: number }, (_, place) => String(number - place));
  const letters = (term, number) => {
    const [before, after = ""] = term.split("...");
    return [...before, ...(term.includes("...") ? dots(number) : []), ...after];
  };
  const inputs = terms.map((term, one) => {
    if (term.includes("...") ? ahead[one] < 0 : ahead[one] !== 0) {
      throw new Problem(
        `\`${term}\` has a letter for each dimension of tensor ${one + 1}, which has the shape ${spell(tensors[one].shape)}.`,
      );
    }
    return letters(term, ahead[one]);
  });
  return { inputs, output: right === undefined ? implied(inputs, dots(rest)) : checkedOutput(letters(right, rest)) };
}

/** Without an arrow the result has the letters that occur once, in the order of the alphabet. */
function implied(inputs, dots) {
  const all = inputs.flat().filter((letter) => !/\d/.test(letter));
  const once = all.filter((letter) => all.filter((other) => other === letter).length === 1).sort();
  return [...dots, ...once];
}

function checkedOutput(letters) {
  if (new Set(letters).size < letters.length) throw new Problem("On the right of `->` each letter stands once.");
  return letters;
}

function sizesOf(inputs, tensors) {
  const sizes = new Map();
  inputs.forEach((letters, one) =>
    letters.forEach((letter, dim) => {
      const [size, before] = [tensors[one].shape[dim], sizes.get(letter) ?? 1];
      const twice = letters.indexOf(letter) < dim; // within one tensor, nothing is repeated
      if (size !== before && (twice || (size !== 1 && before !== 1))) {
        throw new Problem(
          `The letter ${spelled(letter)} stands for a dimension of ${before} and for one of ${size}. One letter, one size.`,
        );
      }
      sizes.set(letter, before === 1 ? size : before);
    }),
  );
  return sizes;
}

const spelled = (letter) => (/\d/.test(letter) ? "`...`" : letter);

/** How far a step along a letter leads in a tensor's memory; a dimension of size 1 is repeated. */
const strideOf = ({ shape, strides }, letters, letter) =>
  letters.reduce((all, other, dim) => (other === letter && shape[dim] !== 1 ? all + strides[dim] : all), 0);
