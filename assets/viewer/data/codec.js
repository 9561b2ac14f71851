// Payload text to bytes: base64, then raw DEFLATE.

/**
 * Decodes base64. New browsers have it built in; the fallback is for the rest.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function fromBase64(text) {
  return Uint8Array.fromBase64?.(text) ?? decodeBase64(text.trim());
}

/**
 * @param {string} text without white space
 * @returns {Uint8Array}
 */
export function decodeBase64(text) {
  if (text.length % 4 !== 0) throw new Error('base64 text is cut off');
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < out.length; i++) out[i] = binary.charCodeAt(i);
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
 * Decodes the payload in an element of the page.
 * @param {Element | null} element
 * @returns {Promise<Uint8Array>}
 */
export async function payload(element) {
  if (!(element instanceof HTMLElement)) throw new Error('a payload is missing');
  const size = Number(element.dataset.bytes);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('a payload does not say its size');
  return inflate(fromBase64((element.textContent ?? '').trim()), size);
}
