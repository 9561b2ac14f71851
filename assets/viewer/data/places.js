// Which allocations lie at an address, or at one that begins with some digits.

/** Hex digits of the longest address. */
const DIGITS = 16;

/**
 * @param {import('./device.js').DeviceData} data
 * @param {import('./query.js').Place} place
 * @returns {(id: number) => boolean}
 */
export function addressTest({ address, count }, { digits, generation }) {
  /** @type {[bigint, bigint][]} first address, and the one after the last, for each length of address */
  const ranges = [];
  for (let more = 0; more <= DIGITS - digits.length; more++) {
    const shift = BigInt(4 * more);
    const from = BigInt('0x' + digits);
    ranges.push([from << shift, (from + 1n) << shift]);
  }
  const within = address.within(ranges);
  if (generation === null) return within;
  address.prepare();
  // Those at one address lie in the pile in the order in which they came.
  const wanted = new Set();
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (let id = 0; id < count; id++) {
    if (!within(id)) continue;
    const text = address.text(id);
    const n = seen.get(text) ?? 0;
    seen.set(text, n + 1);
    if (n === generation) wanted.add(id);
  }
  return (id) => wanted.has(id);
}
