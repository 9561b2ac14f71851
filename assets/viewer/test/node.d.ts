// As much of Node.js as the tests use.

declare module 'node:test' {
  export function test(name: string, run: () => void | Promise<void>): void;
}

declare module 'node:assert/strict' {
  type Failure = RegExp | (new (...of: never[]) => Error) | { name?: string | RegExp; message?: string | RegExp };
  interface Assert {
    ok(value: unknown, message?: string): asserts value;
    equal(got: unknown, want: unknown, message?: string): void;
    notEqual(got: unknown, want: unknown, message?: string): void;
    deepEqual(got: unknown, want: unknown, message?: string): void;
    notDeepEqual(got: unknown, want: unknown, message?: string): void;
    match(text: string, pattern: RegExp, message?: string): void;
    doesNotMatch(text: string, pattern: RegExp, message?: string): void;
    throws(run: () => unknown, failure?: Failure, message?: string): void;
    rejects(promise: Promise<unknown>, failure?: Failure): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}

declare module 'node:fs' {
  export function readFileSync(path: URL, encoding: 'utf8'): string;
  export function readdirSync(path: URL, options?: { recursive: true; encoding: 'utf8' }): string[];
}

declare module 'node:zlib' {
  export function deflateRawSync(bytes: Uint8Array): Buffer;
}

declare class Buffer extends Uint8Array {
  static from(text: string): Buffer;
  static from(bytes: Uint8Array): Buffer;
  toString(encoding?: 'base64'): string;
}

declare const process: { env: Record<string, string | undefined> };
