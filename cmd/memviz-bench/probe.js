// Watches a report from outside, through window.memviz and what the browser
// says. It runs before the page's own scripts. Times are in milliseconds.

(() => {
  let api;
  let readyAt = null;
  Object.defineProperty(window, 'memviz', {
    configurable: true,
    get: () => api,
    set: (value) => {
      api = value;
      value.ready.then(() => (readyAt = performance.now()));
    },
  });

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /** The part of the recording that frames are measured at. */
  const SHARE = 0.95;

  let watching = false;
  let frames = [];

  /** Notes how long each frame takes that shows another part of the recording than the frame before. */
  async function watchFrames() {
    watching = true;
    frames = [];
    let shown = '';
    let began = null; // when the frame began that drew something new
    while (watching) {
      await nextFrame();
      // The clock, because a late frame is given the time at which it was due.
      const now = performance.now();
      if (began !== null) frames.push(now - began);
      const { from, to } = api.geometry();
      const moved = `${from} ${to}`;
      began = shown !== '' && moved !== shown ? now : null;
      shown = moved;
    }
  }

  let hovers = [];
  let pointed = null;

  /** Notes the time from each move of the pointer to the tooltip that it filled. */
  function watchHover() {
    hovers = [];
    const tooltip = document.getElementById('tooltip');
    addEventListener('pointermove', () => (pointed = performance.now()), { capture: true });
    new MutationObserver(() => {
      if (pointed === null || tooltip.hidden || !tooltip.textContent) return;
      hovers.push(performance.now() - pointed);
      pointed = null;
    }).observe(tooltip, { attributes: true, childList: true, subtree: true });
  }

  window.memvizProbe = {
    /** When the picture was painted, counted from the start of the navigation. */
    readyAt: () => readyAt,

    /** The times of so many views in a row, each a little further to the right. */
    async views(count) {
      const { to: extent } = api.geometry();
      const times = [];
      for (let i = 0; i < count; i++) {
        const from = (extent * (1 - SHARE) * i) / count;
        const began = performance.now();
        await api.view({ from: Math.floor(from), to: Math.floor(from + extent * SHARE) });
        times.push(performance.now() - began);
      }
      return times;
    },

    /** How long it takes until the address space, or the pile, is painted; the heights of the one are from 0 to 1. */
    async show(isSpace) {
      const isShown = () => (api.geometry().bytes_to === 1) === isSpace;
      if (isShown()) return 0;
      const began = performance.now();
      dispatchEvent(new KeyboardEvent('keydown', { key: 'u' }));
      while (!isShown()) await nextFrame();
      await api.settled();
      return performance.now() - began;
    },

    /** Shows the middle of the recording, waits until everything is still, and gives the middle of the plot. */
    async middle(share = SHARE) {
      const states = api.devices()[0].events;
      const air = (states * (1 - share)) / 2;
      await api.view({ from: Math.floor(air), to: Math.floor(states - air) });
      await new Promise((resolve) => setTimeout(resolve, 400));
      const { left, top, width, height } = api.geometry();
      return { x: left + width / 2, y: top + height / 2 };
    },

    watchFrames: () => {
      watchFrames();
      return true;
    },

    /** @returns {Promise<number[]>} the frames seen so far */
    async frames() {
      await nextFrame();
      watching = false;
      return frames;
    },

    /** So many pixels that show a tensor, the same ones each time. */
    targets(count) {
      const { left, top, width, height } = api.geometry();
      const found = [];
      let random = 1;
      const next = () => (random = (random * 48271) % 0x7fffffff) / 0x7fffffff;
      for (let tries = 0; tries < 20 * count && found.length < count; tries++) {
        const [x, y] = [Math.round(left + next() * width), Math.round(top + next() * height)];
        if (api.at(x, y)) found.push({ x, y });
      }
      return found;
    },

    watchHover: () => {
      watchHover();
      return true;
    },

    hovers: async () => {
      await nextFrame();
      return hovers;
    },
  };
})();
