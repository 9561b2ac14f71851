// Paper: while the page is printed it has the light theme, and in place of the plots a
// picture of them that was drawn for the width of a page. What is on a canvas is lost in
// the PDF of some browsers, and as wide as the screen.

import { Painter } from '../../kit/painter.js';
import { listen } from '../../kit/topic.js';
import { h } from '../../kit/dom.js';

/** The picture in client pixels: beside the panel on A4 across; and how many pixels of it there are for one. */
const WIDTH = 760;
const HEIGHT = 540;
const SCALE = 2;

/**
 * @param {import('../state/stores.js').Stores} stores @param {import('../view/stage.js').Stage} stage
 * @param {ReturnType<typeof import('../../kit/theme.js').mountTheme>} theme @param {HTMLElement} plots get the picture
 */
export function mountPaper({ shown, look }, stage, theme, plots) {
  const picture = h('img');
  picture.id = 'paper';
  picture.alt = 'Both recordings and their difference';
  listen(window, {
    beforeprint() {
      if (!shown.isOpen) return;
      theme.print();
      stage.drawSized({ width: WIDTH, height: HEIGHT });
      const canvas = h('canvas');
      canvas.width = WIDTH * SCALE;
      canvas.height = HEIGHT * SCALE;
      const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      g.scale(SCALE, SCALE);
      const painter = new Painter(g, look.style);
      painter.fill(look.style.paper, 0, 0, WIDTH, HEIGHT);
      stage.drawChartOn(g, WIDTH, HEIGHT);
      stage.drawOver(painter);
      picture.width = WIDTH;
      picture.height = HEIGHT;
      picture.src = canvas.toDataURL();
      plots.append(picture);
    },
    afterprint() {
      if (!shown.isOpen) return;
      theme.apply();
      stage.drawSized(null);
      picture.remove();
    },
  });
}
