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
  const batch = broadcast([left.shape.slice(0, -2), right.shape.slice(0, -2)]);
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

/** Says which of two matrices would have to be transposed for their product. */
function doesNotGo(one, other) {
  const [columns, rows] = [one.at(-1), other.at(other.length === 1 ? 0 : -2)];
  const hint = other.length > 1 && columns === other.at(-1) ? " It goes with the second transposed." : "";
  return (
    `${spell(one)} times ${spell(other)} does not go: the columns of the first (${columns}) must be as many as ` +
    `the rows of the second (${rows}).${hint}`
  );
}

function sameKind(one, other) {
  if (one.kind === other.kind && one.kind !== "bool") return;
  throw new Problem("A product of matrices needs two of one type, and no booleans: `.float()` makes floats.");
}

/** Sums of products over the letters that are not named on the right: "qd,kd->qk". Raises Problem. */
export function einsum(equation, tensors) {
  const { inputs, output } = lettersOf(equation.replaceAll(" ", ""), tensors);
  const sizes = sizesOf(inputs, tensors);
  for (const letter of output) {
    if (!sizes.has(letter)) throw new Problem(`The letter \`${letter}\` is on the right of \`->\`, and in no tensor.`);
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
  if (more.length || !/^[A-Za-z.,]*->[A-Za-z.]*$/.test(equation)) {
    throw new Problem("An equation of `einsum` has letters, commas and one arrow: `qd,kd->qk`.");
  }
  if (terms.length !== tensors.length) {
    throw new Problem(`The equation is for ${terms.length} tensors, and there are ${tensors.length}.`);
  }
  const spelledOut = (term, rank) => {
    const [before, after] = term.split("...");
    if (after === undefined) return [...term];
    const dots = Math.max(0, rank - before.length - after.length);
    return [...before, ...Array.from({ length: dots }, (_, place) => String(dots - place)), ...after];
  };
  const inputs = terms.map((term, one) => spelledOut(term, tensors[one].rank));
  const wrong = inputs.findIndex((letters, one) => letters.length !== tensors[one].rank);
  if (wrong >= 0) {
    throw new Problem(
      `\`${terms[wrong]}\` has a letter for each dimension of tensor ${wrong + 1}, which has the shape ${spell(tensors[wrong].shape)}.`,
    );
  }
  const dots = Math.max(...inputs.map((letters) => letters.filter((letter) => /\d/.test(letter)).length));
  const output = spelledOut(right, dots + right.replace("...", "").length);
  if (new Set(output).size < output.length) throw new Problem("On the right of `->` each letter stands once.");
  return { inputs, output };
}

function sizesOf(inputs, tensors) {
  const sizes = new Map();
  inputs.forEach((letters, one) =>
    letters.forEach((letter, dim) => {
      const [size, before] = [tensors[one].shape[dim], sizes.get(letter) ?? 1];
      const twice = letters.indexOf(letter) < dim; // within one tensor, nothing is repeated
      if (size !== before && (twice || (size !== 1 && before !== 1))) {
        throw new Problem(`The letter \`${letter}\` is a dimension of ${before} and one of ${size}. One letter, one size.`);
      }
      sizes.set(letter, before === 1 ? size : before);
    }),
  );
  return sizes;
}

/** The stride of a letter in a tensor's memory; a dimension of size 1 is repeated. */
const strideOf = ({ shape, strides }, letters, letter) =>
  letters.reduce((all, other, dim) => (other === letter && shape[dim] !== 1 ? all + strides[dim] : all), 0);
