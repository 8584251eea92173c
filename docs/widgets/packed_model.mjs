/**
 * Reads a model that workbench/packed_model.py has written: a safetensors file, in which a matrix of whole numbers has a scale for each row.
 *
 * The format: eight bytes with the length of a header, the header as JSON, and then the numbers, all little-endian.
 */

const KINDS = { F32: Float32Array, I8: Int8Array };
const SCALE_OF = "scale of ";

/**
 * The content of a file: the signs of the vocabulary, how many heads a layer has, and weights by name: a list of numbers, or of rows.
 *
 * Raises an error for any other file.
 */
export function readModel(buffer) {
  const begins = 8 + Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: said, ...tensors } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, begins - 8)));
  const numbersOf = ({ dtype, data_offsets: [from, to] }) =>
    Array.from(new KINDS[dtype](buffer.slice(begins + from, begins + to)));
  const weightOf = (name) => {
    const numbers = numbersOf(tensors[name]);
    const width = tensors[name].shape[1];
    if (!width) return numbers;
    const scales = numbersOf(tensors[SCALE_OF + name]);
    const rowOf = (scale, row) => numbers.slice(row * width, (row + 1) * width).map((one) => one * scale);
    return scales.map(rowOf);
  };
  const names = Object.keys(tensors).filter((name) => !name.startsWith(SCALE_OF));
  return {
    signs: [...said.vocabulary],
    heads: Number(said.heads),
    weights: Object.fromEntries(names.map((name) => [name, weightOf(name)])),
  };
}
