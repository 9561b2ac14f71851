// Decodes address spaces with the viewer's modules: reads [{id, report, payloads}] from standard input, with
// payloads in base64, and prints [{id, error} or {id, unit, laneStart, addresses, place, block, reservation}].

import { readFileSync } from 'node:fs';
import { DeviceData } from '../../../assets/viewer/data/device.js';
import { SpaceDecoder, decodeSlowly } from '../../../assets/viewer/data/space_decode.js';

const answers = [];
for (const { id, report, payloads } of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const raw = (name) => Uint8Array.from(Buffer.from(payloads[name], 'base64'));
    const data = new DeviceData(raw('device'), report);
    const decoder = payloads.predicted
      ? SpaceDecoder.predicted(raw('predicted'), report, data)
      : SpaceDecoder.recorded(raw('space'), raw('addresses'), report, data);
    const space = await decodeSlowly(decoder, () => {});
    const list = (column) => Array.from(column);
    answers.push({
      id,
      place: list(space.place),
      block: list(space.place).map((_, i) => space.blockSize(i)),
      reservation: list(space.reservation),
      addresses: list(space.place).map((_, i) => space.address(i)),
    });
  } catch (err) {
    answers.push({ id, error: String(err.message) });
  }
}
console.log(JSON.stringify(answers));
