import { App } from '../../app.js';
import { SiteTable } from '../../data/sites.js';
import { open, randomDevice } from './random.js';

/** An app whose page has no styles, and whose only device is a random one. */
export function appOf() {
  Object.assign(globalThis, {
    document: { documentElement: { dataset: {} } },
    getComputedStyle: () => ({ getPropertyValue: () => '#ffffff' }),
  });
  const hue = { color: '#336699', ink: '#ffffff', shades: Array(5).fill('#336699') };
  const families = Array.from({ length: 9 }, (_, i) => ({ label: `Family ${i}`, one: 'one', key: `f${i}`, hue: 0 }));
  const report = { families, palette: { light: [hue] } };
  const opened = open(randomDevice(1));
  const stacks = { shade: [0] };
  const sites = new SiteTable(opened.data, stacks, families);
  const device = { ...opened, report: {}, stacks, sites, hasHistory: true };
  return new App(report, { open: async () => device });
}
