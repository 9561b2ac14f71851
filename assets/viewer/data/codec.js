// Payload text to bytes: base64, then raw DEFLATE.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Decodes base64. New browsers have it built in; the fallback is for the rest.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function fromBase64(text) {
  const native = /** @type {any} */ (Uint8Array).fromBase64;
  return native ? native.call(Uint8Array, text) : decodeBase64(text.trim());
}

/**
 * @param {string} text without white space
 * @returns {Uint8Array}
 */
export function decodeBase64(text) {
  if (text.length % 4 !== 0) throw new Error('base64 text is cut off');
  const value = new Uint8Array(256).fill(255);
  for (let i = 0; i < 64; i++) value[ALPHABET.charCodeAt(i)] = i;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const out = new Uint8Array((text.length / 4) * 3 - padding);
  const last = text.length - padding;
  let bits = 0;
  let held = 0;
  let o = 0;
  for (let i = 0; i < last; i++) {
    const v = value[text.charCodeAt(i) & 255];
    if (v === 255) throw new Error(`not a base64 character at ${i}`);
    held = ((held << 6) | v) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[o++] = held >> bits;
    }
  }
  return out;
}

/**
 * Inflates raw DEFLATE to exactly size bytes; more or fewer is an error.
 * @param {Uint8Array} packed
 * @param {number} size
 * @returns {Promise<Uint8Array>}
 */
export async function inflate(packed, size) {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  // A failed write also fails the read below, which reports it.
  writer.write(/** @type {BufferSource} */ (packed)).catch(() => {});
  writer.close().catch(() => {});
  const out = new Uint8Array(size);
  const reader = stream.readable.getReader();
  let filled = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (filled + value.length > size) throw new Error(`payload is longer than its ${size} bytes`);
    out.set(value, filled);
    filled += value.length;
  }
  if (filled !== size) throw new Error(`payload has ${filled} of its ${size} bytes`);
  return out;
}

/**
 * Decodes the payload that stands in an element of the page.
 * @param {Element | null} element
 * @returns {Promise<Uint8Array>}
 */
export async function payload(element) {
  if (!(element instanceof HTMLElement)) throw new Error('a payload is missing');
  const size = Number(element.dataset.bytes);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('a payload does not say its size');
  return inflate(fromBase64((element.textContent ?? '').trim()), size);
}
