// Why tensors have the colour they have.

/**
 * @typedef {object} Share what one rule decided
 * @property {number} rule index into the report's rules
 * @property {number} bytes
 * @property {number} tensors
 * @property {number} largest its largest allocation
 */

/**
 * The live memory that each rule decided, most bytes first.
 * @param {import('../../data/device.js').DeviceData} data
 * @param {Iterable<number>} live
 * @returns {Share[]}
 */
export function sharesOf({ rule, size }, live) {
  /** @type {Share[]} by rule */
  const shares = [];
  for (const id of live) {
    const share = (shares[rule[id]] ??= { rule: rule[id], bytes: 0, tensors: 0, largest: id });
    share.bytes += size[id];
    share.tensors++;
    if (size[id] > size[share.largest]) share.largest = id;
  }
  return shares.filter(Boolean).sort((a, b) => b.bytes - a.bytes || a.rule - b.rule);
}

/**
 * What decides the group of a tensor, to follow the word "by".
 * @type {Record<import('../../data/colours.js').Mode, string>}
 */
export const BY = {
  family: 'what its stacks and its lifetime say it was for',
  site: 'the innermost frame of user code on its stack',
  file: 'the file of the innermost frame of user code on its stack',
  stack: 'its whole stack, frame by frame',
  size: 'the bytes requested',
  life: 'the events between its allocation and its free',
  stream: 'the stream it was allocated on',
  pool: 'its memory pool: the default one, or a private one of CUDA graphs or a MemPool',
};

/**
 * The frame by which a rule decided, and whether it is on the stack that freed the tensor.
 * @param {import('../../data/device.js').DeviceData} data
 * @param {import('../../data/stacks.js').Stacks} stacks
 * @param {number} id
 * @returns {{frame: import('../../data/stacks.js').Frame, freed: boolean} | null}
 */
export function decidingFrame(data, stacks, id) {
  const frame = stacks.namedFrame(data.stack[id]);
  if (frame) return { frame, freed: false };
  const free = stacks.namedFrame(data.freeStack(id));
  return free && { frame: free, freed: true };
}
