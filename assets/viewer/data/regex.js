// Regular expressions in linear time. The expression may come with a link and the
// texts come with a snapshot, and either can make a backtracking engine hang. Here
// all alternatives are followed at once (Thompson's construction), so that a search
// costs at most the length of the text times the length of the expression.
//
// Supported are . [a-z] \d \w \s \b ^ $ ( ) (?: ) | * + ? {m,n}, without regard to
// upper and lower case. Back references and lookaround are not.

/** Instructions of the longest program that an expression may be compiled to. */
const LONGEST = 1000;

/**
 * @typedef {object} Instruction one that has neither of the first two only goes on to `to`
 * @property {RegExp} [one] matches the character that it takes
 * @property {(text: string, at: number) => boolean} [assertion] what must hold at its position
 * @property {number[]} to instructions that follow
 */

/** Instructions that all tests of one search may still take together. @typedef {{left: number}} Budget */

export class LinearRegex {
  /** @param {string} source @throws {SyntaxError} with words for a person */
  constructor(source) {
    this.program = compile(source);
    /** The position, counted over all tests, at which each instruction was last reached. */
    this.seen = new Int32Array(this.program.length + 1);
    this.turn = 0;
    this.taken = 0;
  }

  /**
   * @param {string} text
   * @param {Budget} budget
   * @returns {boolean} whether some of the text matches
   */
  test(text, budget) {
    /** @type {Instruction[]} */
    let now = [];
    /** @type {number[]} */
    let due = [];
    budget.left -= this.program.length; // also when the first position matches
    for (let at = 0; ; at++) {
      this.turn++;
      this.taken = 1;
      now = [];
      for (const i of due) if (this.#follow(i, text, at, now)) return true;
      if (this.#follow(0, text, at, now)) return true;
      if (at === text.length) return false;
      budget.left -= this.taken;
      if (budget.left < 0) throw new RangeError('this pattern takes too long');
      due = [];
      for (const { one, to } of now) if (/** @type {RegExp} */ (one).test(text[at])) due.push(to[0]);
    }
  }

  /**
   * Finds the instructions that can take the next character.
   * @param {number} i instruction @param {string} text @param {number} at @param {Instruction[]} now
   * @returns {boolean} whether the end of the program is reached
   */
  #follow(i, text, at, now) {
    if (this.seen[i] === this.turn) return false;
    this.seen[i] = this.turn;
    this.taken++;
    if (i === this.program.length) return true;
    const instruction = this.program[i];
    if (instruction.one) now.push(instruction);
    else if (!instruction.assertion || instruction.assertion(text, at))
      for (const next of instruction.to) if (this.#follow(next, text, at, now)) return true;
    return false;
  }
}

/** Source that matches one character: a class, an escape, anything else. */
const ONE = /\[(?:[^\]\\]|\\[^])*\]|\\(?:u[\da-f]{4}|x[\da-f]{2}|[^])|[^]/iy;

/** How often the item before is repeated. Laziness does not change whether there is a match. */
const TIMES = /(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})\??/y;

/** @param {string} source @returns {Instruction[]} */
function compile(source) {
  /** @type {Instruction[]} */
  const program = [];
  let i = 0;
  const put = (/** @type {Partial<Instruction>} */ instruction) => {
    if (program.length === LONGEST) fail('the pattern is too long');
    return program.push({ to: [program.length + 1], ...instruction }) - 1;
  };
  /** @param {RegExp} sticky */
  const take = (sticky) => {
    sticky.lastIndex = i;
    const found = sticky.exec(source);
    i += found?.[0].length ?? 0;
    return found;
  };

  // Each of these parses a part of the grammar, and returns a function that emits its instructions.

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
    const assertion = take(/\^|\$|\\b/iy)?.[0];
    if (assertion) return () => put({ assertion: ASSERTIONS[assertion] });
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
const ASSERTIONS = {
  '^': (_, at) => at === 0,
  $: (text, at) => at === text.length,
  '\\b': (text, at) => isWord(text[at - 1]) !== isWord(text[at]),
  '\\B': (text, at) => isWord(text[at - 1]) === isWord(text[at]),
};

/** @param {string | undefined} c */
function isWord(c) {
  return c !== undefined && /\w/.test(c);
}

/** The browser's own engine decides what matches one character. @param {string} part */
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
