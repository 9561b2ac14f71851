import { SiteTable } from '../../data/sites.js';
import { recordingStores } from '../../recording/state/stores.js';
import { fake } from './encode.js';
import { open, randomDevice } from './random.js';

/** The stores of a page without styles, in which a random device is open. */
export async function openStores() {
  Object.assign(globalThis, {
    document: { documentElement: { dataset: {} } },
    getComputedStyle: () => ({ getPropertyValue: () => '#ffffff' }),
  });
  const hue = { color: '#336699', ink: '#ffffff', shades: Array(5).fill('#336699') };
  const families = Array.from({ length: 9 }, (_, i) => ({ label: `Family ${i}`, one: 'one', key: `f${i}`, hue: 0 }));
  const report = fake({ families, palette: { light: [hue] } });
  const opened = open(randomDevice(1));
  const stacks = fake({ shade: [0] });
  const sites = new SiteTable(opened.data, stacks, families);
  const device = fake({ ...opened, report: {}, stacks, sites, hasHistory: true });
  const stores = recordingStores(report, { open: async () => device });
  await stores.shown.open(0, 0);
  return stores;
}
