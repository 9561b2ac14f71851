// The heat map: a row of pixels shows the rank that differs most, in each column.

import { MISSING } from '../data/job.js';
import { axisOf, stepEdges } from './layout.js';

/** Steps of grey, and of colour over it. */
const GREYS = 256;
const TINTS = 16;
/** Pixels of a cell where the axis is time. */
const TIME_CELL = 2;
/** How much paler what a search does not find is. */
const FADED = 0.8;

/** @typedef {[number, number, number]} Rgb */

/** @param {string} hex @returns {Rgb} */
function rgb(hex) {
  return [parseInt(hex.slice(1, 3), 16), parseInt(hex.slice(3, 5), 16), parseInt(hex.slice(5, 7), 16)];
}

/** @param {Rgb} a @param {Rgb} b @param {number} t @returns {Rgb} */
function mix(a, b, t) {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

/** @param {Rgb} c */
const pixel = (c) => (255 << 24) | (Math.round(c[2]) << 16) | (Math.round(c[1]) << 8) | Math.round(c[0]);

/**
 * All colours a cell may have: by grey, tint (less first), and whether it is found.
 * @param {import('../../kit/painter.js').Style} style
 */
function colourTable(style) {
  const [bg, ink, more, less] = [style.paper, style.ink, style.more, style.less].map(rgb);
  const table = new Uint32Array(2 * GREYS * (2 * TINTS + 1));
  let at = 0;
  for (const fade of [0, FADED])
    for (let grey = 0; grey < GREYS; grey++) {
      const base = mix(bg, ink, (style.theme === 'dark' ? 0.1 : 0.06) + (0.34 * grey) / (GREYS - 1));
      for (let t = -TINTS; t <= TINTS; t++)
        table[at++] = pixel(mix(mix(base, t > 0 ? more : less, Math.abs(t) / TINTS), bg, fade));
    }
  return table;
}

export class Heat {
  canvas = document.createElement('canvas');
  #cells = document.createElement('canvas');
  /** @type {Uint32Array} */
  #table = new Uint32Array(0);
  #tableOf = '';

  /**
   * @param {import('../state/state.js').State} state @param {import('../data/rows.js').Rows} rows
   * @param {import('./layout.js').Layout} layout @param {import('../../kit/painter.js').Style} style
   */
  paint(state, rows, layout, style) {
    const key = [style.paper, style.ink, style.more, style.less].join();
    if (key !== this.#tableOf) [this.#tableOf, this.#table] = [key, colourTable(style)];
    const ratio = devicePixelRatio;
    const width = Math.max(1, Math.round(layout.plotWidth * ratio));
    const height = Math.max(1, Math.round(layout.plotHeight * ratio));
    const columns = this.#columns(state, layout);
    const cells = this.#cells;
    cells.width = columns.count;
    cells.height = height;
    const image = new ImageData(columns.count, height);
    this.#fill(new Uint32Array(image.data.buffer), state, rows, columns, height, ratio);
    cells.getContext('2d')?.putImageData(image, 0, 0);
    const { canvas } = this;
    canvas.width = width;
    canvas.height = height;
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    ctx.fillStyle = hatch(ctx, style, ratio);
    ctx.fillRect(0, 0, width, height);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(cells, columns.offset * width, 0, columns.span * width, height);
    ctx.fillStyle = style.paper;
    for (const x of stepEdges(state, width)) ctx.fillRect(x - ratio / 2, 0, ratio, height);
    return canvas;
  }

  /**
   * The cells of the x axis.
   * @param {import('../state/state.js').State} state
   * @param {import('./layout.js').Layout} layout
   */
  #columns(state, layout) {
    const { job } = state;
    const axis = axisOf(state);
    if (axis.isTime) {
      const count = Math.max(1, Math.round(layout.plotWidth / TIME_CELL));
      const width = (axis.to - axis.from) / count;
      /** @type {(rank: number, cell: number) => number} */
      const of = (rank, cell) => job.columnAtTime(rank, axis.from + (cell + 0.5) * width);
      return { count, first: 0, offset: 0, span: 1, of };
    }
    const per = job.view.per_stretch;
    const first = Math.floor(axis.from * per);
    const last = Math.min(job.columns, Math.ceil(axis.to * per));
    const whole = (axis.to - axis.from) * per;
    return {
      count: Math.max(1, last - first),
      first,
      offset: (first - axis.from * per) / whole,
      span: (last - first) / whole,
      of: null,
    };
  }

  /**
   * @param {Uint32Array} pixels
   * @param {import('../state/state.js').State} state
   * @param {import('../data/rows.js').Rows} rows
   * @param {{count: number, first: number, of: ((rank: number, cell: number) => number) | null}} columns
   * @param {number} height @param {number} ratio
   */
  #fill(pixels, state, rows, columns, height, ratio) {
    const { job, choice, matches } = state;
    const { active } = job;
    const n = job.columns;
    const scale = (GREYS - 1) / Math.max(1, job.greys.to - job.greys.from);
    const isTinted = choice.show === 'differences';
    const { count } = columns;
    const best = new Float32Array(count);
    const limits = rows.list.map((rank) => job.limit(rank));
    let above = -1;
    let gapTo = 0;
    for (let y = 0; y < height; y++) {
      const at = rows.top + (y + 0.5) / ratio;
      const first = rows.at(at);
      if (first < 0) continue;
      let last = Math.max(first + 1, rows.at(at + 1 / ratio));
      if (rows.own[first]) last = first + 1;
      else if (rows.own[last - 1]) last--;
      const line = y * count;
      // Lines of paper separate rows of their own.
      const edge = rows.own[first] === 1 && (at - rows.edges[first] < 1 || rows.edges[first + 1] - at < 1);
      if (edge) {
        pixels.fill(pixel(rgb(this.#tableOf.slice(0, 7))), line, line + count);
        continue;
      }
      if (first === above && y < gapTo) {
        pixels.copyWithin(line, line - count, line);
        continue;
      }
      above = last === first + 1 ? first : -1;
      gapTo = Math.ceil((rows.edges[first + 1] - rows.top - (rows.own[first] ? 1 : 0)) * ratio);
      best.fill(-99);
      for (let i = first; i < last; i++) {
        const rank = rows.list[i];
        const middle = job.group(rank)?.middle;
        const isKnown = job.differs(rank);
        const faded = matches && !matches[rank] ? 1 : 0;
        const limit = limits[i];
        const from = rank * n;
        for (let cell = 0; cell < count; cell++) {
          const c = columns.of ? columns.of(rank, cell) : columns.first + cell;
          const v = c < 0 ? MISSING : active[from + c];
          const d = v === MISSING || !middle || middle[c] < 0 ? 0 : (v - middle[c]) / limit;
          const score = (v === MISSING ? -0.5 : Math.abs(d)) - 9 * faded;
          if (score <= best[cell]) continue;
          best[cell] = score;
          if (v === MISSING) {
            pixels[line + cell] = 0; // transparent: the hatch shows
            continue;
          }
          let tint = 0;
          if (isTinted && d) {
            const far = Math.abs(d);
            const t = isKnown ? Math.min(0.9, far) : Math.min(0.9, Math.max(0, (far - 0.5) * 2));
            tint = Math.round(Math.sign(d) * t * TINTS);
          }
          const grey = Math.max(0, Math.min(GREYS - 1, Math.round((v - job.greys.from) * scale)));
          pixels[line + cell] = this.#table[(faded * GREYS + grey) * (2 * TINTS + 1) + tint + TINTS];
        }
      }
    }
  }
}

/**
 * What was not recorded.
 * @param {CanvasRenderingContext2D} ctx @param {import('../../kit/painter.js').Style} style @param {number} ratio
 */
export function hatch(ctx, style, ratio) {
  const tile = document.createElement('canvas');
  const size = Math.round(6 * ratio);
  tile.width = tile.height = size;
  const t = /** @type {CanvasRenderingContext2D} */ (tile.getContext('2d'));
  t.fillStyle = style.paper;
  t.fillRect(0, 0, size, size);
  t.strokeStyle = style.strong;
  t.lineWidth = 1.1 * ratio;
  for (const shift of [-size, 0, size]) {
    t.beginPath();
    t.moveTo(shift - 1, size + 1);
    t.lineTo(shift + size + 1, -1);
    t.stroke();
  }
  return ctx.createPattern(tile, 'repeat') ?? style.sunk;
}
