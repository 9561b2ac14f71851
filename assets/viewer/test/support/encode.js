// Writes payloads as pkg/report documents them, for tests to read back.

import { deflateRawSync } from 'node:zlib';

export class Writer {
  bytes = [];

  varint(v) {
    while (v >= 128) {
      this.bytes.push(v % 128 | 128);
      v = Math.floor(v / 128);
    }
    this.bytes.push(v);
  }

  unsigned(values) {
    this.varint(values.length);
    for (const v of values) this.varint(v);
  }

  ascending(values) {
    this.unsigned(values.map((v, i) => v - (i > 0 ? values[i - 1] : 0)));
  }

  signed(values) {
    this.unsigned(values.map((v) => (v < 0 ? -v * 2 - 1 : v * 2)));
  }

  signedSums(values) {
    this.signed(values.map((v, i) => v - (i > 0 ? values[i - 1] : 0)));
  }

  strings(texts) {
    const encoded = texts.map((t) => Buffer.from(t));
    this.varint(encoded.length);
    for (const e of encoded) this.varint(e.length);
    for (const e of encoded) this.bytes.push(...e);
  }

  get array() {
    return Uint8Array.from(this.bytes);
  }
}

/** An object of which a test gives no more than the tested code looks at. @param {any} some @returns {any} */
export function fake(some) {
  return some;
}

/** Base64 of raw DEFLATE. */
export function packed(bytes) {
  return deflateRawSync(bytes).toString('base64');
}

/**
 * A device in plain arrays to its payload and its part of the report.
 * allocations: {start, end, size, addr, stack, freeStack, stream, family, source},
 * start -1 for pre-existing, end null for live at end.
 */
export function encodeDevice({
  events,
  time = [],
  allocations,
  reservedBaseline = 0,
  reserved = [],
  markers = [],
  pending = [],
  context = [],
  metadata = [],
  wide = false,
  pools = ['default'],
}) {
  const w = new Writer();
  const pre = allocations.filter((a) => a.start < 0);
  const base =
    wide || allocations.length === 0 ? 0 : allocations.reduce((least, a) => Math.min(least, a.addr), Infinity);
  w.signedSums(time);
  w.ascending(allocations.slice(pre.length).map((a) => a.start + 1));
  w.unsigned(allocations.map((a) => (a.end === null ? 0 : a.end - a.start)));
  w.ascending(pending.map((p) => p.alloc));
  w.unsigned(pending.map((p) => p.wait));
  w.unsigned(allocations.map((a) => a.size));
  const last = new Map();
  w.signed(
    wide
      ? []
      : allocations.map((a) => {
          const offset = a.addr - base;
          const d = offset - (last.get(a.size) ?? 0);
          last.set(a.size, offset);
          return d;
        }),
  );
  w.unsigned(wide ? allocations.map((a) => Number(BigInt(a.addr) >> 32n)) : []);
  w.unsigned(wide ? allocations.map((a) => Number(BigInt(a.addr) & 0xffffffffn)) : []);
  w.unsigned(allocations.map((a) => a.stack ?? 0));
  w.unsigned(allocations.map((a) => (!a.freeStack ? 0 : a.freeStack === a.stack ? 1 : a.freeStack + 2)));
  w.unsigned(allocations.map((a) => a.stream ?? 0));
  w.unsigned(allocations.map((a) => a.family ?? 0));
  w.unsigned(pre.map((a) => a.source ?? 2));
  w.ascending(reserved.map((r) => r.event));
  w.signed(reserved.map((r) => r.delta));
  w.ascending(markers.map((m) => m.event));
  w.unsigned(markers.map((m) => m.kind));
  w.unsigned(markers.map((m) => m.size));
  w.unsigned(markers.map((m) => m.free));
  for (const texts of [context, metadata]) {
    w.ascending(texts.map((t) => t.alloc));
    w.unsigned(texts.map((t) => t.text));
  }
  w.unsigned(allocations.map((a) => a.rule ?? 0));
  w.unsigned(pools.length > 1 ? allocations.map((a) => a.pool ?? 0) : []);
  const report = {
    events,
    allocations: allocations.length,
    pre_existing: pre.length,
    has_time: time.length > 0,
    base_addr: '0x' + base.toString(16),
    has_addr: true,
    wide_addr: wide,
    reserved_baseline_bytes: reservedBaseline,
    pools,
  };
  return { bytes: w.array, report: fake(report) };
}
