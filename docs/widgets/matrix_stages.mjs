/**
 * The stages of attention on one sentence, as data: what is put in, what comes out, and how each number is made.
 *
 * A matrix is { name, role, numbers, rows, columns }; rows and columns are its labels, role is its colour.
 * A stage is { says, operands, result, written }: written(row, column) is the arithmetic behind one cell of the result.
 * Operands and results also have a sign, which stands before them, and lights: what of them belongs to a chosen cell
 * of the result, a "row", a "column" or a "cell". Only the cells of a result are choosable by keyboard.
 */
import { attention, matmul, transpose } from "./arithmetic.mjs";
import { show } from "./widget.mjs";

/** The names of the stages, in their order. */
export const STAGES = ["inputs", "queries", "keys", "values", "scores", "scaled", "weights", "context"];

/** The stages, from the inputs to the context. projections: the matrices of queries, keys and values. */
export function stages({ tokens, inputs, projections }) {
  const made = projections.map((projection) => matmul(inputs, projection));
  const { scores, scaled, weights, context } = attention(...made);
  const keyLength = made[1][0].length;

  const given = matrix("inputs", "plain", inputs, tokens);
  const [queries, keys, values] = ["query", "key", "value"].map((role, at) => {
    const name = STAGES[at + 1];
    return {
      says: `Each token's input, multiplied by W_${role}, becomes its ${role}.`,
      ...product(given, matrix(`W_${role}`, role, projections[at]), matrix(name, role, made[at], tokens)),
    };
  });
  const keysAcross = matrix("keysᵀ", "key", transpose(made[1]), null, tokens);
  const square = (name, numbers) => matrix(name, "weight", numbers, tokens, tokens);
  const [scored, divided, weighted] = [square("scores", scores), square("scaled scores", scaled), square("weights", weights)];

  return [
    {
      says: "Each token starts as three numbers.",
      operands: [],
      result: outcome("", given),
      written: (row, column) => show(inputs[row][column]),
    },
    queries,
    keys,
    values,
    {
      says: "Each query meets each key: rows are queries, columns are keys.",
      ...product(queries.result, keysAcross, scored),
    },
    {
      says: "Each score is divided by √d_k, so that long keys do not make large scores.",
      operands: [operand("", scored, "cell")],
      result: outcome(`÷ √${keyLength} =`, divided),
      written: (row, column) => `${show(scores[row][column])} ÷ √${keyLength} = ${show(scaled[row][column])}`,
    },
    {
      says: "The softmax makes shares of each row: its weights add up to 1.",
      operands: [operand("", divided, "row")],
      result: outcome("softmax →", weighted),
      written: (row, column) => {
        const terms = scaled[row].map((score) => `exp(${show(score)})`);
        return `exp(${show(scaled[row][column])}) ÷ (${terms.join(" + ")}) = ${show(weights[row][column])}`;
      },
    },
    {
      says: "Each context is the sum of the values, weighted by the weights of its row.",
      ...product(weighted, values.result, matrix("context", "context", context, tokens)),
    },
  ];
}

const matrix = (name, role, numbers, rows = null, columns = null) => ({ name, role, numbers, rows, columns });

const operand = (sign, operandMatrix, lights) => ({ ...operandMatrix, sign, lights, choosable: false });

const outcome = (sign, resultMatrix) => ({ ...resultMatrix, sign, lights: "cell", choosable: true });

/** left × right = result: a cell needs a row of the left and a column of the right. */
function product(left, right, result) {
  return {
    operands: [operand("", left, "row"), operand("×", right, "column")],
    result: outcome("=", result),
    written(row, column) {
      const terms = left.numbers[row].map((number, place) => `${show(number)} × ${show(right.numbers[place][column])}`);
      return `${terms.join(" + ")} = ${show(result.numbers[row][column])}`;
    },
  };
}
