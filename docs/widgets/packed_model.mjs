/**
 * Reads a model that workbench/packed_model.py has written: a safetensors file, in which a matrix of whole numbers has a scale for each row.
 *
 * The format: eight bytes with the length of a header, the header as JSON, and then the numbers, all little-endian.
 */

const KINDS = { F32: Float32Array, I8: Int8Array };
const SCALE_OF = "scale of ";

/**
 * The content of a file: the signs of the vocabulary, how many heads a layer has, and weights { shape, numbers } by name.
 *
 * Raises an error for any other file.
 */
export function readModel(buffer) {
  const begins = 8 + Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: said, ...tensors } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, begins - 8)));
  const kept = ({ dtype, shape, data_offsets: [from, to] }) => {
    const numbers = new KINDS[dtype](buffer.slice(begins + from, begins + to));
    return { shape, numbers };
  };
  const names = Object.keys(tensors).filter((name) => !name.startsWith(SCALE_OF));
  const weights = names.map((name) => {
    const scales = tensors[SCALE_OF + name];
    return [name, scales ? scaled(kept(tensors[name]), kept(scales).numbers) : kept(tensors[name])];
  });
  return { signs: [...said.vocabulary], heads: Number(said.heads), weights: Object.fromEntries(weights) };
}

function scaled({ shape, numbers }, scales) {
  return { shape, numbers: Float32Array.from(numbers, (number, place) => number * scales[Math.floor(place / shape[1])]) };
}
