// Regular expressions in linear time. The pattern may come with a link and the
// texts come with a snapshot, and a backtracking engine can be made to hang by
// either. Here all alternatives are followed at once (Thompson's way), so a text
// costs at most its length times that of the pattern.
//
// Known are . [a-z] \d \w \s \b ^ $ ( ) (?: ) | * + ? {m,n}; letter case does not
// count. Not known are back references and looking around.

/** The longest program that a pattern may become. */
const LONGEST = 1000;

/**
 * @typedef {object} Step of a program; one that has neither is passed over to `to`
 * @property {RegExp} [one] a character that it takes
 * @property {(text: string, at: number) => boolean} [here] what must hold where it stands
 * @property {number[]} to steps that follow
 */

/** Steps that may still be taken, by all tests of one search. @typedef {{left: number}} Budget */

export class Pattern {
  /** @param {string} source @throws {SyntaxError} with words for a person */
  constructor(source) {
    this.program = compile(source);
    this.seen = new Int32Array(this.program.length + 1);
    this.turn = 0;
    this.taken = 0;
  }

  /**
   * @param {string} text
   * @param {Budget} budget
   * @returns {boolean} whether it matches somewhere in the text
   */
  test(text, budget) {
    /** @type {Step[]} */
    let now = [];
    /** @type {number[]} */
    let due = [];
    budget.left -= this.program.length; // whatever position matches
    for (let at = 0; ; at++) {
      this.turn++;
      this.taken = 1;
      now = [];
      for (const step of due) if (this.#follow(step, text, at, now)) return true;
      if (this.#follow(0, text, at, now)) return true;
      if (at === text.length) return false;
      budget.left -= this.taken;
      if (budget.left < 0) throw new RangeError('this pattern takes too long');
      due = [];
      for (const { one, to } of now) if (/** @type {RegExp} */ (one).test(text[at])) due.push(to[0]);
    }
  }

  /**
   * Finds the steps that can take the next character.
   * @param {number} i step @param {string} text @param {number} at @param {Step[]} now
   * @returns {boolean} whether the end of the program is reached
   */
  #follow(i, text, at, now) {
    if (this.seen[i] === this.turn) return false;
    this.seen[i] = this.turn;
    this.taken++;
    if (i === this.program.length) return true;
    const step = this.program[i];
    if (step.one) now.push(step);
    else if (!step.here || step.here(text, at))
      for (const next of step.to) if (this.#follow(next, text, at, now)) return true;
    return false;
  }
}

/** Parts that take one character: a class, an escape, anything else. */
const ONE = /\[(?:[^\]\\]|\\[^])*\]|\\(?:u[\da-f]{4}|x[\da-f]{2}|[^])|[^]/iy;

/** How often the part before is taken; a lazy mark changes nothing of whether there is a match. */
const TIMES = /(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})\??/y;

/** @param {string} source @returns {Step[]} */
function compile(source) {
  /** @type {Step[]} */
  const program = [];
  let i = 0;
  const put = (/** @type {Partial<Step>} */ step) => {
    if (program.length === LONGEST) fail('the pattern is too long');
    return program.push({ to: [program.length + 1], ...step }) - 1;
  };
  /** @param {RegExp} sticky */
  const take = (sticky) => {
    sticky.lastIndex = i;
    const found = sticky.exec(source);
    i += found?.[0].length ?? 0;
    return found;
  };

  // Each part of the grammar becomes a function that writes its steps.

  /** @returns {() => void} */
  const either = () => {
    const first = sequence();
    if (source[i] !== '|') return first;
    i++;
    const second = either();
    return () => {
      const fork = put({});
      first();
      const jump = put({});
      program[fork].to.push(program.length);
      second();
      program[jump].to = [program.length];
    };
  };
  const sequence = () => {
    /** @type {(() => void)[]} */
    const parts = [];
    while (i < source.length && !'|)'.includes(source[i])) parts.push(repeated());
    return () => {
      for (const part of parts) part();
    };
  };
  const repeated = () => {
    const part = single();
    const times = take(TIMES);
    if (!times) return part;
    const [, mark, m, comma, n] = times;
    const least = mark ? Number(mark === '+') : Number(m);
    const most = mark === '?' ? 1 : mark || (comma && !n) ? Infinity : Number(comma ? n : m);
    if (most < least) fail('the numbers in { } are in the wrong order');
    return () => {
      for (let k = 0; k < least; k++) part();
      const forks = [];
      for (let k = least; k < Math.min(most, least + LONGEST); k++) {
        forks.push(put({}));
        part();
        if (most < Infinity) continue;
        put({ to: [forks[0]] });
        break;
      }
      for (const fork of forks) program[fork].to.push(program.length);
    };
  };
  /** @returns {() => void} */
  const single = () => {
    if (take(/\((?:\?:)?/y)) {
      if (source[i] === '?') fail('looking around is not known here');
      const inner = either();
      if (source[i++] !== ')') fail('a ( is not closed');
      return inner;
    }
    const here = take(/\^|\$|\\b/iy)?.[0];
    if (here) return () => put({ here: PLACES[here] });
    const part = take(ONE)?.[0] ?? '';
    if (/^[*+?]$/.test(part)) fail('nothing to repeat');
    if (/^\\[1-9k]/.test(part)) fail('back references are not known here');
    const one = oneCharacter(part);
    return () => put({ one });
  };

  const whole = either();
  if (i < source.length) fail('a ) is not opened');
  whole();
  return program;
}

/** @type {Record<string, (text: string, at: number) => boolean>} */
const PLACES = {
  '^': (_, at) => at === 0,
  $: (text, at) => at === text.length,
  '\\b': (text, at) => isWord(text[at - 1]) !== isWord(text[at]),
  '\\B': (text, at) => isWord(text[at - 1]) === isWord(text[at]),
};

/** @param {string | undefined} c */
function isWord(c) {
  return c !== undefined && /\w/.test(c);
}

/** The browser's own engine knows best what one character is. @param {string} part */
function oneCharacter(part) {
  if (part === '[') fail('a [ is not closed');
  try {
    return new RegExp(`^${/^[^\w.]$/.test(part) ? '\\' : ''}${part}$`, 'i');
  } catch {
    return fail(`${part} is no range of characters`);
  }
}

/** @param {string} why @returns {never} */
function fail(why) {
  throw new SyntaxError(why);
}
