// Remembers the last answer of a function: what is asked for in every frame,
// and is the same until something else is chosen.

/**
 * @template {unknown[]} Arguments
 * @template Answer
 * @param {(...of: Arguments) => Answer} answerOf
 * @returns {(...of: Arguments) => Answer}
 */
export function latest(answerOf) {
  /** @type {Arguments} */
  let asked;
  /** @type {Answer} */
  let answer;
  return (...of) => {
    if (!asked || of.some((v, i) => v !== asked[i])) answer = answerOf(...(asked = of));
    return answer;
  };
}
