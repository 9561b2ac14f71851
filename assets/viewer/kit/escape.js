// Escapes names of a snapshot for CSV, Markdown and XML.

/** Control characters, and those that change the direction of writing. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** @param {string} text @returns {string} without control characters; line ends and tabs are spaces */
export function printable(text) {
  return text.replace(/[\r\n\t]+/g, ' ').replace(CONTROLS, '\ufffd');
}

/** @param {string} text @returns {string} with plain spaces, for files that programs read */
export function plainSpaces(text) {
  return text.replace(/\u00a0/g, ' ');
}

/**
 * A cell of a CSV file. Spreadsheets run what begins like a formula, so texts
 * that do begin with an apostrophe instead, which they take for "this is text".
 * @param {string | number | null} value
 */
export function csvCell(value) {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = plainSpaces(printable(value));
  const guarded = /^\s*[=+\-@\u2212\uff0b\uff0d\uff1d\uff20]/.test(text) ? `'${text}` : text;
  return /[",;']/.test(guarded) || guarded !== guarded.trim() ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/**
 * A name in Markdown, as code: nothing in it is markup, a link or a mention.
 * @param {string} text
 */
export function markdownCode(text) {
  const line = plainSpaces(printable(text));
  if (line.trim() === '') return '';
  const fence = longerThanRuns(line, 0);
  const air = fence.length > 1 || line !== line.trim() ? ' ' : '';
  // In a table a bar would end the cell, also inside code, and a backslash before it would undo its escape.
  const cell = line.replace(/(\\*)\|/g, (_, before) => (before ? `${before} \\|` : '\\|'));
  return `${fence}${air}${cell}${air}${fence}`;
}

/** Lines in a fence that none of them can close. @param {string} text of lines */
export function markdownFence(text) {
  const fence = longerThanRuns(text, 2);
  return `${fence}\n${text.split('\n').map(printable).join('\n').trimEnd()}\n${fence}\n`;
}

/** Backticks, more than a text has in a row. @param {string} text @param {number} least one fewer than the fewest */
function longerThanRuns(text, least) {
  return '`'.repeat(1 + Math.max(least, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length)));
}

/** @param {string} text @returns {string} as XML holds it, in attributes too */
export function xml(text) {
  const entities = /** @type {Record<string, string>} */ ({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  });
  return printable(text).replace(/[&<>"']/g, (c) => entities[c]);
}
