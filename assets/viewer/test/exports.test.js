import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvCell, markdownCode, markdownFence, printable, xml } from '../kit/escape.js';
import { csv } from '../recording/data/sheet.js';
import { Painter } from '../kit/painter.js';
import { SvgContext } from '../kit/svg.js';
import { fake } from './support/encode.js';

test('cells of a CSV file are no formulas and keep to their place', () => {
  for (const [value, want] of [
    ['forward', 'forward'],
    ['a, b', '"a, b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', 'two lines'],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"' =1"`],
    ['\r=1', `"' =1"`],
    ['\u0000=1', '\ufffd=1'],
    ['\uff1d1', `"'\uff1d1"`],
    ['6.53\u00a0GiB', '6.53 GiB'],
    ['<module>', '<module>'],
    [-5, '-5'],
    [0, '0'],
    [null, ''],
    ['', ''],
  ])
    assert.equal(csvCell(value), want, JSON.stringify(value));
  assert.equal(
    csv({
      columns: ['a', 'b'],
      rows: [
        ['x', 1],
        ['=y', null],
      ],
    }),
    `a,b\r\nx,1\r\n"'=y",\r\n`,
  );
});

/** Reads CSV as RFC 4180 has it. */
function readCsv(text) {
  const rows = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n|$)/gy;
  for (let m; cell.lastIndex < text.length && (m = cell.exec(text)); ) {
    rows.at(-1).push(m[1] === undefined ? m[2] : m[1].replaceAll('""', '"'));
    if (m[3] === '\r\n') rows.push([]);
  }
  rows.pop();
  return rows;
}

const HOSTILE = [
  '=cmd|" /C calc"!A0',
  '`code` | bar <img src=x onerror=alert(1)>',
  '``two`` and | more',
  '[link](javascript:alert(1)) @someone #1 \\| \\',
  ']]><script>alert(1)</script>&amp;',
  'a\u202eb\u0007c\u0000',
  '"quoted", \'too\'',
  '   ',
];

test('what is read back from a CSV file is what was written, guarded', () => {
  const sheet = { columns: ['name', 'n'], rows: HOSTILE.map((name, i) => [name, i]) };
  const [, ...rows] = readCsv(csv(sheet));
  assert.equal(rows.length, HOSTILE.length);
  rows.forEach(([name, n], i) => {
    assert.equal(n, String(i));
    assert.equal(name.replace(/^'(?=\s*[=+\-@])/, ''), printable(HOSTILE[i]));
    assert.doesNotMatch(name, /^\s*[=+\-@]/);
  });
});

test('names in Markdown are code that nothing in them can end', () => {
  for (const name of HOSTILE) {
    const code = markdownCode(name);
    if (name.trim() === '') {
      assert.equal(code, '');
      continue;
    }
    const fence = /^`+/.exec(code)[0];
    const inside = code.slice(fence.length, -fence.length);
    assert.ok(code.endsWith(fence) && !inside.split(/[^`]+/).includes(fence), code);
    assert.doesNotMatch(inside, /(?<!\\)\||\\\\\|/);
    assert.doesNotMatch(code, /[\n\r\u202e\u0007\u0000]/);
  }
  assert.equal(markdownCode('forward'), '`forward`');
  assert.equal(markdownFence('a\n```\nb'), '````\na\n```\nb\n````\n');
});

test('SVG is well-formed, whatever it writes', () => {
  for (const name of HOSTILE) assert.doesNotMatch(xml(name), /[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)|[\u0000-\u0008]/);
  const svg = new SvgContext(100, 50, (_, text) => text.length * 6);
  const style = fake({ font: '"A & B", sans-serif', ink: '#15181c', paper: '#ffffff' });
  const painter = new Painter(svg, style);
  painter.clip(0, 0, 10, 10, () => {
    painter.line(0, 0, 5, 5.123, { color: '#15181c66', dash: [2, 2] });
    svg.translate(3, 4);
    HOSTILE.forEach((name) => painter.text(name, 1, 2, { halo: true, align: 'right', weight: 600 }));
  });
  painter.flag('a<b', 50, 20, { fill: '#b3201a', color: '#ffffff', min: 0, max: 100 });
  const text = svg.toString();
  const open = [];
  for (const [, close, name, self] of text.matchAll(/<(\/?)([A-Za-z]+)(?:\s+[\w-]+="[^"<>]*")*(\/?)>/g)) {
    if (close) assert.equal(open.pop(), name);
    else if (!self) open.push(name);
  }
  assert.deepEqual(open, []);
  // Nothing is left but text once the elements are taken away.
  assert.doesNotMatch(text.replaceAll(/<(\/?)([A-Za-z]+)(?:\s+[\w-]+="[^"<>]*")*(\/?)>/g, ''), /[<>"]/);
  assert.match(
    text,
    /<path d="M0 0L5 5.12" fill="none" stroke="#15181c" stroke-opacity="0.4" stroke-width="1" stroke-dasharray=/,
  );
  assert.match(text, /<clipPath id="c1"><path d="M0 0h10v10h-10Z"\/><\/clipPath>\n<g clip-path="url\(#c1\)">/);
  assert.equal(text.match(/<g /g).length, text.match(/<\/g>/g).length);
});
