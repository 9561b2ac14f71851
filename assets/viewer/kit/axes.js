// Axes: between positions and client pixels, and where labels are.

/** Converts between positions of an axis across a plot and client pixels of the plot's element. */
export class Scale {
  /** @param {{left: number, plotWidth: number}} box of the plot @param {{from: number, to: number}} view positions */
  constructor(box, view) {
    this.box = box;
    this.view = view;
  }

  get from() {
    return this.view.from;
  }
  get to() {
    return this.view.to;
  }

  /** @param {number} position */
  x(position) {
    return this.box.left + ((position - this.from) / (this.to - this.from)) * this.box.plotWidth;
  }

  /** @param {number} x @returns {number} position */
  position(x) {
    return this.from + ((x - this.box.left) / this.box.plotWidth) * (this.to - this.from);
  }
}

/**
 * The multiples of an interval from one value to another.
 * @param {number} from @param {number} to @param {number} interval
 */
export function multiples(from, to, interval) {
  const values = [];
  for (let v = Math.ceil(from / interval) * interval; v <= to; v += interval) values.push(v === 0 ? 0 : v);
  return values;
}
