// Turns the strings that stand for functions into functions.

const PLACEHOLDER = /^__f__(\w+)__f__$/;

/**
 * Replaces, in JSON that go-echarts wrote, exactly the strings "__f__NAME__f__"
 * whose NAME is in the list. Every other string stays what it is: text.
 * @param {any} value
 * @param {Record<string, Function>} functions
 * @returns {any}
 */
export function revive(value, functions) {
  if (typeof value === 'string') {
    const name = PLACEHOLDER.exec(value)?.[1];
    return name !== undefined && Object.hasOwn(functions, name) ? functions[name] : value;
  }
  if (Array.isArray(value)) return value.map((v) => revive(v, functions));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revive(v, functions)]));
  }
  return value;
}
