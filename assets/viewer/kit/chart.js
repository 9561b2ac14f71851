// A chart of ECharts. Its options come from the page, written by go-echarts; the viewer sets
// what moves. ECharts never sees a tensor: pictures are painted first, and ECharts places
// their finished canvases.

/** @typedef {{x: number, y: number, width: number, height: number}} Box in client pixels of the chart */

export class Chart {
  #chart;

  /**
   * @param {ECharts} echarts @param {HTMLElement} element
   * @param {unknown} options as JSON @param {Record<string, Function>} functions that the options name
   */
  constructor(echarts, element, options, functions) {
    this.#chart = echarts.init(element, null, { renderer: 'canvas', width: 1, height: 1 });
    this.#chart.setOption(/** @type {object} */ (revive(options, functions)));
  }

  /** @param {{width: number, height: number}} size in client pixels @param {object} options */
  show({ width, height }, options) {
    if (width !== this.#chart.getWidth() || height !== this.#chart.getHeight()) this.#chart.resize({ width, height });
    this.#chart.setOption(options);
    // Setting options paints synchronously only what ECharts thinks has changed.
    this.#chart.getZr().flush();
  }
}

/**
 * Renders a custom series as one picture that fills its grid.
 * @param {() => HTMLCanvasElement | null | undefined} canvasOf the picture, if there is one yet
 */
export function picture(canvasOf) {
  return (/** @type {{coordSys: Box}} */ { coordSys: { x, y, width, height } }) => {
    const image = canvasOf();
    return image && { type: 'image', silent: true, style: { image, x, y, width, height } };
  };
}

/** A function's place in JSON. */
const PLACEHOLDER = /^__f__(\w+)__f__$/;

/**
 * Replaces, in JSON that go-echarts wrote, exactly the strings "__f__NAME__f__"
 * whose NAME is in the list. Every other string stays what it is: text.
 * @param {unknown} value
 * @param {Record<string, Function>} functions
 * @returns {unknown}
 */
export function revive(value, functions) {
  if (typeof value === 'string') {
    const name = PLACEHOLDER.exec(value)?.[1];
    return name !== undefined && Object.hasOwn(functions, name) ? functions[name] : value;
  }
  if (Array.isArray(value)) return value.map((v) => revive(v, functions));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revive(v, functions)]));
  }
  return value;
}
