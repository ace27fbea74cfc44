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
function field(name: string, value: string): Buffer {
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

const int32 = (value: number): Buffer => {
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
