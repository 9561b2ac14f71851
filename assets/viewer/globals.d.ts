// What the page has that TypeScript does not know of.

/** As much of ECharts as the viewer uses. */
interface ECharts {
  init(
    element: HTMLElement,
    theme: null,
    options: { renderer: 'canvas'; width: number; height: number },
  ): EChartsInstance;
}

interface EChartsInstance {
  setOption(options: object): void;
  getWidth(): number;
  getHeight(): number;
  resize(size: { width: number; height: number }): void;
  getZr(): { flush(): void };
}

interface Window {
  echarts?: ECharts;
  memviz?: object;
}

interface Uint8ArrayConstructor {
  /** New browsers have it. */
  fromBase64?(text: string): Uint8Array;
}
