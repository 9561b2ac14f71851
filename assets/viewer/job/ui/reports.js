// The reports of ranks that the page holds. It holds their shared styles and scripts once.

import { fromBase64, inflate } from '../../data/codec.js';
import { byId } from '../../kit/dom.js';

/** @param {number} job @param {number} rank */
export const reportElement = (job, rank) => document.getElementById(`report-${job}-${rank}`);

/** The text of a report. @param {number} job @param {number} rank */
async function reportText(job, rank) {
  const element = reportElement(job, rank);
  if (!element) throw new Error('the page does not hold it');
  const packed = fromBase64((element.textContent ?? '').trim());
  const text = new TextDecoder().decode(await inflate(packed, Number(element.dataset.bytes)));
  return text
    .split('\0')
    .map((part, i) => (i % 2 ? byId(`shared-${part}`).textContent : part))
    .join('');
}

/** Opens the report of a rank in a new tab. @param {number} job @param {number} rank */
export async function openReport(job, rank) {
  const url = URL.createObjectURL(new Blob([await reportText(job, rank)], { type: 'text/html' }));
  if (!window.open(url)) throw new Error('the browser did not open a tab');
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
