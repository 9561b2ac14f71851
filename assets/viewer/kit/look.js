// The colours and fonts of a page, as the style sheet has them in its theme.

import { readStyle } from './painter.js';
import { Topic } from './topic.js';

export class Look {
  changed = new Topic();
  style = readStyle();

  /** The style sheet has another theme now. */
  readTheme() {
    this.style = readStyle();
    this.changed.emit();
  }
}
