// Where the row of each rank is. Ranks with a finding have room of their own.

/** How high the row of a rank with a finding is at least. */
export const OWN_ROW = 7;
/** From which height on a row is a pile. */
const PILE_ROW = 28;

export class Rows {
  /**
   * @param {number[]} list ranks from above
   * @param {number} top @param {number} height of all rows
   * @param {(rank: number) => boolean} isMarked has room of its own, while these take under a third of the height
   */
  constructor(list, top, height, isMarked) {
    this.list = list;
    this.top = top;
    this.height = height;
    const n = Math.max(1, list.length);
    const even = height / n;
    const marked = list.filter(isMarked).length;
    /** Whether marked ranks have larger rows than the others. */
    this.isUneven = even < OWN_ROW && marked > 0 && marked * OWN_ROW < height / 3;
    this.rest = this.isUneven ? (height - marked * OWN_ROW) / Math.max(1, n - marked) : even;
    this.edges = new Float64Array(list.length + 1);
    this.own = new Uint8Array(list.length);
    this.edges[0] = top;
    list.forEach((rank, i) => {
      this.own[i] = Number(this.isUneven && isMarked(rank));
      this.edges[i + 1] = this.edges[i] + (this.own[i] ? OWN_ROW : this.rest);
    });
    this.indexOf = new Map(list.map((rank, i) => [rank, i]));
  }

  /** Whether rows are high enough to be piles. */
  get areHigh() {
    return this.rest >= PILE_ROW;
  }

  /** The row at a height; -1 for none. @param {number} y */
  at(y) {
    const { edges } = this;
    if (!(y >= edges[0]) || y >= edges[edges.length - 1]) return -1;
    let low = 0;
    let high = this.list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (edges[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The middle of the row of a rank; NaN where it is not among the rows. @param {number} rank */
  middle(rank) {
    const i = this.indexOf.get(rank);
    return i === undefined ? NaN : (this.edges[i] + this.edges[i + 1]) / 2;
  }
}

/**
 * Heights of labels beside their points: in their order, at least apart from each other, and inside.
 * @param {number[]} points in order @param {number} apart @param {number} top @param {number} bottom
 */
export function spread(points, apart, top, bottom) {
  const ys = points.map((y) => Math.max(y, top));
  for (let i = 1; i < ys.length; i++) ys[i] = Math.max(ys[i], ys[i - 1] + apart);
  let most = bottom;
  for (let i = ys.length - 1; i >= 0 && ys[i] > most; i--) {
    ys[i] = most;
    most -= apart;
  }
  return ys;
}
