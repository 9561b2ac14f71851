// Decodes address spaces with the viewer's modules: reads [{id, report, payloads}] from standard input, with payloads
// in base64, and prints [{id, error}] or what the argument asks for of each:
//   places    {place, block, reservation, addresses}
//   pictures  {states, pixels, off}

import { readFileSync } from 'node:fs';
import { DeviceData } from '../../../assets/viewer/data/device.js';
import { SpaceDecoder, decodeSlowly } from '../../../assets/viewer/data/space_decode.js';
import { comparePictures } from './space_pictures.mjs';

function placesOf({ space }) {
  const list = (column) => Array.from(column);
  return {
    place: list(space.place),
    block: list(space.place).map((_, i) => space.blockSize(i)),
    reservation: list(space.reservation),
    addresses: list(space.place).map((_, i) => space.address(i)),
  };
}

const answer = { places: placesOf, pictures: comparePictures }[process.argv[2]];
const answers = [];
for (const { id, report, payloads } of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const raw = (name) => Uint8Array.from(Buffer.from(payloads[name], 'base64'));
    const data = new DeviceData(raw('device'), report);
    const isPredicted = 'predicted' in payloads;
    const decoder = isPredicted
      ? SpaceDecoder.predicted(raw('predicted'), report, data)
      : SpaceDecoder.recorded(raw('space'), raw('addresses'), report, data);
    const space = await decodeSlowly(decoder, () => {});
    answers.push({ id, ...answer({ report, data, space, isPredicted }) });
  } catch (err) {
    answers.push({ id, error: String(err.message) });
  }
}
console.log(JSON.stringify(answers));
