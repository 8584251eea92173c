/** Products of matrices and vectors, and einsum. */
import { Problem } from "./problem.mjs";
import { broadcast, checked, filled, spell } from "./tensor.mjs";

/** torch's matmul: of vectors, matrices, and matrices with other dimensions in front. Raises Problem. */
export function matmul(one, other) {
  if (!one.rank || !other.rank) throw new Problem("`@` multiplies matrices and vectors. A number multiplies with `*`.");
  if (one.kind !== other.kind || one.kind === "bool") {
    throw new Problem("A product of matrices needs two of one type, and no booleans: `.float()` makes floats.");
  }
  const [columns, rows] = [one.shape.at(-1), other.shape.at(other.rank === 1 ? 0 : -2)];
  if (columns !== rows) {
    const hint = other.rank > 1 && columns === other.shape.at(-1) ? " It goes with the second transposed." : "";
    throw new Problem(
      `${spell(one.shape)} times ${spell(other.shape)} does not go: the columns of the first (${columns}) must be ` +
        `as many as the rows of the second (${rows}).${hint}`,
    );
  }
  broadcast([one, other].map(({ shape }) => shape.slice(0, -2)));
  const [left, right] = [one.rank === 1 ? "j" : "...ij", other.rank === 1 ? "j" : "...jk"];
  return einsum(`${left},${right}->...${one.rank === 1 ? "" : "i"}${other.rank === 1 ? "" : "k"}`, [one, other]);
}

/** Sums of products over the letters that are not named on the right: "qd,kd->qk". Raises Problem. */
export function einsum(equation, tensors) {
  const { inputs, output } = lettersOf(equation.replaceAll(" ", ""), tensors);
  const sizes = sizesOf(inputs, tensors);
  const unknown = output.find((letter) => !sizes.has(letter));
  if (unknown) throw new Problem(`The letter \`${unknown}\` is on the right of \`->\`, and in no tensor.`);
  const summed = [...sizes.keys()].filter((letter) => !output.includes(letter));
  const [shape, inner] = [output, summed].map((letters) => checked(letters.map((letter) => sizes.get(letter))));
  const over = (letters, size, offset) =>
    tensors.map((tensor, one) => {
      const strides = letters.map((letter) => strideOf(tensor, inputs[one], letter));
      return tensor.seen(size, strides, offset).places();
    });
  const [starts, steps] = [over(output, shape), over(summed, inner, 0)];
  return filled(tensors[0].kind, shape, (place) => {
    let total = 0;
    for (let step = 0; step < steps[0].length; step += 1) {
      let term = 1;
      for (let one = 0; one < tensors.length; one += 1) term *= tensors[one].data[starts[one][place] + steps[one][step]];
      total += term;
    }
    return total;
  });
}

/** The letters of each tensor and of the result. The dimensions of `...` are called "0", "1", … from the end. */
function lettersOf(equation, tensors) {
  const [left, right] = equation.split("->");
  const terms = left.split(",");
  if (!/^[A-Za-z.,]*->[A-Za-z.]*$/.test(equation) || terms.length !== tensors.length) {
    throw new Problem("An equation of `einsum` has letters for each tensor, commas and one arrow: `qd,kd->qk`.");
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
