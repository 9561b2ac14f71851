// Random but repeatable devices, and what follows from them by definition.

import { DeviceData } from '../../data/device.js';
import { Timeline } from '../../data/timeline.js';
import { encodeDevice } from './encode.js';

/** Numbers in [0, 1), the same for the same seed. */
export function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), s | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A device whose events allocate and free; sizes span eight orders of magnitude. */
export function randomDevice(seed, { events = 400, preExisting = 30, families = 9 } = {}) {
  const next = random(seed);
  const pick = (n) => Math.floor(next() * n);
  const allocations = [];
  const open = [];
  const allocation = (start) => ({
    start,
    end: null,
    size: next() < 0.05 ? 0 : Math.floor(2 ** (next() * 27)),
    addr: 2 ** 40 + pick(2 ** 30) * 512,
    stack: pick(40),
    freeStack: pick(3),
    stream: pick(2),
    family: pick(families),
    rule: pick(5),
  });
  for (let i = 0; i < preExisting; i++) {
    allocations.push(allocation(-1));
    open.push(i);
  }
  const time = [];
  for (let e = 0, t = 0; e < events; e++) {
    time.push((t += next() < 0.3 ? 0 : pick(50)));
    const kind = next();
    if (kind < 0.55 || open.length === 0) {
      open.push(allocations.length);
      allocations.push(allocation(e));
    } else if (kind < 0.95) {
      allocations[open.splice(pick(open.length), 1)[0]].end = e;
    } // else: an event that changes nothing
  }
  const reserved = Array.from({ length: 12 }, (_, i) => ({
    event: i * Math.floor(events / 12),
    delta: (pick(20) - 6) * 2 ** 20,
  }));
  return { events, time, allocations, reserved, reservedBaseline: 2 ** 30 };
}

export function open(device) {
  const { bytes, report } = encodeDevice(device);
  const data = new DeviceData(bytes, report);
  return { data, timeline: new Timeline(data, report.reserved_baseline_bytes) };
}

/** By definition: live in state k if start < k <= end. */
export function liveByDefinition({ allocations }, k) {
  return allocations.flatMap((a, i) => (a.start < k && (a.end === null || k <= a.end) ? [i] : []));
}

export function activeByDefinition(device, k) {
  return liveByDefinition(device, k).reduce((sum, i) => sum + device.allocations[i].size, 0);
}
