// The difference of the two piles: what families have more above zero, what they have
// less below.

/**
 * @typedef {object} DifferenceColumns of all pixel columns
 * @property {Float64Array[]} families bytes by family, after less before; from the bottom of the pile
 * @property {Float64Array} net NaN where a side has nothing
 * @property {Float64Array | null} picked what is picked out
 * @property {number} least the lowest point, in bytes
 * @property {number} most
 */

/**
 * @param {import('../data/pair.js').Pair} pair @param {[Int32Array, Int32Array]} columns
 * @param {number[]} order of families
 * @param {Float64Array[] | null} picked bytes by side and state
 * @returns {DifferenceColumns}
 */
export function differenceColumns({ sides }, [before, after], order, picked) {
  const n = before.length;
  const families = order.map(() => new Float64Array(n));
  const net = new Float64Array(n).fill(NaN);
  const alone = picked && new Float64Array(n);
  let least = 0;
  let most = 0;
  for (let x = 0; x < n; x++) {
    const [a, b] = [before[x], after[x]];
    if (a < 0 || b < 0) continue;
    let up = 0;
    let down = 0;
    order.forEach((family, i) => {
      const d = sides[1].familyBytes(family, b) - sides[0].familyBytes(family, a);
      families[i][x] = d;
      if (d > 0) up += d;
      else down += d;
    });
    net[x] = up + down;
    if (alone && picked) alone[x] = picked[1][b] - picked[0][a];
    least = Math.min(least, down);
    most = Math.max(most, up);
  }
  return { families, net, picked: alone, least, most };
}

/** How much of a colour stays where something else is picked out. */
const FADED = 0.22;

/**
 * @param {CanvasRenderingContext2D} g @param {DifferenceColumns} columns @param {string[]} colors by family
 * @param {string} pickedColor @param {import('./layout.js').Bytes} scale @param {number} height
 */
export function drawDifference(g, { families, net, picked }, colors, pickedColor, { low, high }, height) {
  const perByte = height / (high - low);
  const zero = height * (1 - (0 - low) / (high - low));
  const up = new Float64Array(net.length).fill(zero);
  const down = new Float64Array(net.length).fill(zero);
  g.globalAlpha = picked ? FADED : 1;
  families.forEach((bytes, i) => {
    g.fillStyle = colors[i];
    for (let x = 0; x < net.length; x++) {
      const h = bytes[x] * perByte;
      if (h > 0) g.fillRect(x, (up[x] -= h), 1, h);
      else if (h < 0) {
        g.fillRect(x, down[x], 1, -h);
        down[x] -= h;
      }
    }
  });
  g.globalAlpha = 1;
  if (!picked) return;
  g.fillStyle = pickedColor;
  for (let x = 0; x < net.length; x++) {
    const h = picked[x] * perByte;
    if (h > 0) g.fillRect(x, zero - h, 1, h);
    else if (h < 0) g.fillRect(x, zero, 1, -h);
  }
}
