/**
 * How a tensor lies in memory: its numbers stand in one line, and its strides say how far apart neighbours are.
 *
 * A layout is a shape with its strides. The tests check all of this against torch.
 */

/** The layout of a tensor whose numbers stand in reading order. `view` gives it to such a tensor in a new shape. */
export function contiguous(shape) {
  const product = (sizes) => sizes.reduce((total, size) => total * size, 1);
  return { shape, strides: shape.map((_, dimension) => product(shape.slice(dimension + 1))) };
}

/** Two dimensions change places, as in torch's `transpose`. Nothing moves in memory. */
export const exchange = ({ shape, strides }, first, second) => ({
  shape: swap(shape, first, second),
  strides: swap(strides, first, second),
});

/** Where in memory each number stands, in the order in which the tensor is read. */
export const places = ({ shape, strides }) =>
  shape.reduce(
    (starts, size, dimension) =>
      starts.flatMap((start) => Array.from({ length: size }, (_, step) => start + step * strides[dimension])),
    [0],
  );

/** A shape, or strides, as torch writes it. */
export const tuple = (sizes) => `(${sizes.join(", ")})`;

function swap(sizes, first, second) {
  const swapped = [...sizes];
  [swapped[first], swapped[second]] = [sizes[second], sizes[first]];
  return swapped;
}
