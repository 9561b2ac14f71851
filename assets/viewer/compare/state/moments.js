// The moments at which two recordings can be compared, and their states.

/** @typedef {import('../data/pair.js').Pair} Pair */

/**
 * The moments that a page has buttons for, with their states.
 * @param {Pair} pair @returns {{key: string, label: string, states: [number, number]}[]}
 */
export function momentsOf(pair) {
  const labels = /** @type {Record<string, string>} */ ({ peak: 'Peaks', end: 'End' });
  // A single step is the whole recording, and what follows the last one may be next to nothing.
  const inLane = new Set(pair.steps.length > 1 ? pair.runs.map(({ step }) => `step:${pair.steps[step]?.label}`) : []);
  const isShown = (/** @type {string} */ key) =>
    key === 'end' || (key === 'peak' ? pair.hasAnyHistory : !key.startsWith('step:') || inLane.has(key));
  return pair.moments
    .filter(({ key }) => isShown(key))
    .map(({ key, states }) => ({
      key,
      states,
      label: labels[key] ?? key.replace(/^step:/, 'step '),
    }));
}

/**
 * @param {Pair} pair @param {string} at @param {[number, number] | null} cursor @param {[number, number] | null} range
 * @param {import('../data/alignment.js').Alignment} alignment
 * @returns {[number, number]}
 */
export function statesOf(pair, at, cursor, range, alignment) {
  if (at === 'cursor' && cursor) return cursor;
  if (at === 'reserved') return reservedStates(pair);
  if (at === 'range' && range) {
    const states = highestIn(pair, alignment, range[0], range[1]);
    if (states) return states;
  }
  const run = runOf(pair, at);
  if (run) return highestOfRun(pair, run);
  const known = pair.moments.find(({ key }) => key === at) ?? pair.moments[0];
  return known.states;
}

/** The run that a moment such as "run:5" names, if both sides have it. @param {Pair} pair @param {string} at */
export function runOf({ runs }, at) {
  const run = runs[Number(/^run:(\d{1,9})$/.exec(at)?.[1] ?? -1)];
  return run?.states[0] && run.states[1] ? run : null;
}

/**
 * Each side's highest state in a run that both have.
 * @param {Pair} pair @param {import('../data/alignment.js').Run} run
 */
function highestOfRun({ sides }, { states }) {
  return /** @type {[number, number]} */ (
    sides.map(({ timeline }, side) => timeline.highest.best(.../** @type {[number, number]} */ (states[side])))
  );
}

/**
 * The moment that a click on a run means: its phase's, if the run is the highest of the phase, or else its own.
 * @param {Pair} pair @param {number} index of the run
 * @returns {string | null} null: one side has not got it
 */
export function momentOfRun(pair, index) {
  const run = runOf(pair, `run:${index}`);
  if (!run) return null;
  const states = highestOfRun(pair, run);
  const phase = pair.moments.find(({ key }) => key === run.phase);
  return phase?.states.every((k, side) => k === states[side]) ? phase.key : `run:${index}`;
}

/** What a run is called: "forward in step 2". @param {Pair} pair @param {string} at */
export function runWords(pair, at) {
  const run = runOf(pair, at);
  const step = run && pair.steps.length > 1 ? pair.steps[run.step] : null;
  return run ? `${run.phase}${step ? ` in step ${step.label}` : ''}` : '';
}

/** Each side's first state with the most reserved memory. @param {Pair} pair @returns {[number, number]} */
function reservedStates({ sides }) {
  return /** @type {[number, number]} */ (
    sides.map(({ timeline: { reserved, reservedFrom, reservedPeak } }) => reservedFrom[reserved.indexOf(reservedPeak)])
  );
}

/**
 * Each side's highest state between two positions.
 * @param {Pair} pair @param {import('../data/alignment.js').Alignment} alignment
 * @param {number} from @param {number} to
 * @returns {[number, number] | null} null where a side has nothing
 */
function highestIn({ sides }, alignment, from, to) {
  const states = sides.map(({ timeline }, side) => {
    const covered = alignment.states(side, from, to);
    return covered && timeline.highest.best(covered[0], covered[1]);
  });
  return states[0] === null || states[1] === null ? null : [states[0], states[1]];
}
