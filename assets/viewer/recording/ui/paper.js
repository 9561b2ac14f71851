// Paper: while the page is printed it has the light theme and patterns, and in place of the
// timeline a picture of it that was drawn for the width of a page. What is on a canvas
// is lost in the PDF of some browsers, and as wide as the screen.

import { drawTimeline } from '../draw/export_image.js';
import { Painter } from '../../kit/painter.js';
import { listen } from '../../kit/topic.js';
import { h } from '../../kit/dom.js';

/** The picture in client pixels: beside the panel on A4 across; and how many pixels of it there are for one. */
const WIDTH = 760;
const HEIGHT = 500;
const SCALE = 2;

/**
 * @param {import('../state/stores.js').Stores} stores @param {import('../view/stage.js').Stage} stage
 * @param {ReturnType<typeof import('../../kit/theme.js').mountTheme>} theme
 * @param {() => import('../draw/export_image.js').ExportImage} imageOf the view, drawn now
 * @param {HTMLElement} timeline gets the picture
 */
export function mountPaper({ shown, appearance }, stage, theme, imageOf, timeline) {
  // Not in the page at other times.
  const picture = h('img');
  picture.id = 'paper';
  picture.alt = 'The timeline';
  let hadPatterns = false;
  const draw = () => {
    const canvas = h('canvas');
    canvas.width = WIDTH * SCALE;
    canvas.height = HEIGHT * SCALE;
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    g.scale(SCALE, SCALE);
    const image = imageOf();
    const painter = new Painter(g, image.style);
    painter.fill(image.style.paper, 0, 0, WIDTH, HEIGHT);
    drawTimeline(painter, image);
    picture.width = WIDTH;
    picture.height = HEIGHT;
    picture.src = canvas.toDataURL();
    timeline.append(picture);
  };
  listen(window, {
    beforeprint() {
      if (!shown.isOpen) return;
      hadPatterns = appearance.hasPatterns;
      theme.print();
      appearance.setPatterns(true);
      stage.drawSized({ width: WIDTH, height: HEIGHT });
      draw();
    },
    afterprint() {
      if (!shown.isOpen) return;
      theme.apply();
      appearance.setPatterns(hadPatterns);
      stage.drawSized(null);
      picture.remove();
    },
  });
}
