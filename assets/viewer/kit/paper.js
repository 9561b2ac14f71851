// Paper: while the page is printed it has the light theme, and in place of the plot a picture
// of it that was drawn for the width of a page. What is on a canvas is lost in the PDF of some
// browsers, and as wide as the screen.

import { h } from './dom.js';
import { Painter } from './painter.js';
import { listen } from './topic.js';

/** The picture in client pixels: beside the panel on A4 across; and how many pixels of it there are for one. */
const WIDTH = 760;
const SCALE = 2;

/**
 * @param {import('./stage.js').Stage} stage @param {import('./theme.js').Theme} theme
 * @param {object} paper
 * @param {string} paper.alt what the picture is
 * @param {number} paper.height of the picture
 * @param {(painter: Painter) => void} paper.draw draws the stage as it was drawn last
 * @param {() => boolean} [paper.isEmpty] whether there is nothing to draw
 * @param {() => void} [paper.before] @param {() => void} [paper.after]
 */
export function mountPaper(stage, theme, { alt, height, draw, isEmpty = () => false, before, after }) {
  // Not in the page at other times.
  const picture = h('img');
  picture.id = 'paper';
  picture.alt = alt;
  const paint = () => {
    const canvas = h('canvas');
    canvas.width = WIDTH * SCALE;
    canvas.height = height * SCALE;
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    g.scale(SCALE, SCALE);
    const painter = new Painter(g, stage.style);
    painter.fill(stage.style.paper, 0, 0, WIDTH, height);
    draw(painter);
    picture.width = WIDTH;
    picture.height = height;
    picture.src = canvas.toDataURL();
  };
  listen(window, {
    beforeprint() {
      if (isEmpty()) return;
      theme.print();
      before?.();
      stage.drawSized({ width: WIDTH, height });
      paint();
      stage.elements.plot.append(picture);
    },
    afterprint() {
      if (isEmpty()) return;
      theme.apply();
      after?.();
      stage.drawSized(null);
      picture.remove();
    },
  });
}
