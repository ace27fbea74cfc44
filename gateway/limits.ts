import type { JsonBounds } from "../base/json/bounds.ts";
import type { ServedMethod } from "./methods.ts";
import type { Room, Standing } from "./request-head.ts";

/** What one server takes at most. */
export interface GatewayLimits {
  /** Largest request message in bytes, after decompression. */
  readonly maxMessageBytes: number;
  /** Other sizes for single methods, by `package.Service/Method`. */
  readonly methods: Readonly<Record<string, number>>;
  /** Largest message, on the wire and inflated, of callers whom the head of their request does not make known. */
  readonly unknownCallerBytes: number;
  /** What a JSON body may hold; methods may have bounds of their own. */
  readonly json: JsonBounds;
  readonly maxConnections: number;
  /** Open calls on one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** All request headers together, in bytes. */
  readonly maxHeaderBytes: number;
  /** Time to send the headers of a request, from the first byte. */
  readonly headersTimeoutMs: number;
  /** Time to send a whole request. */
  readonly requestTimeoutMs: number;
  /** A connection without traffic is closed after this time. */
  readonly idleTimeoutMs: number;
  /** Unary calls end after this time at the latest; longer deadlines are cut to it. */
  readonly maxDeadlineMs: number;
  /** Answers from this size on are compressed, where the caller asks for it. */
  readonly compressMinBytes: number;
}

export const defaultLimits: GatewayLimits = {
  maxMessageBytes: 16 * 1024 * 1024,
  methods: {},
  unknownCallerBytes: 64 * 1024,
  // A list of a million ids passes, and 20,000 records of 40 properties.
  json: {
    // Messages may be 100 deep, and each may stand in a list.
    depth: 256,
    members: 10_000,
    elements: 1_000_000,
    keys: 1_000_000,
    keyBytes: 4_096,
    values: 2_000_000,
    longNumbers: 1_000_000,
  },
  maxConnections: 10_000,
  maxConcurrentStreams: 1_000,
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  idleTimeoutMs: 600_000,
  maxDeadlineMs: 300_000,
  compressMinBytes: 64 * 1024,
};

/** Largest request message of this method in bytes. */
export function maxMessageBytesOf(limits: GatewayLimits, served: ServedMethod): number {
  return limits.methods[served.name] ?? limits.maxMessageBytes;
}

/** What a JSON body of this method may hold: what its service says, else the limits of the server. */
export function jsonBoundsOf(limits: GatewayLimits, served: ServedMethod): JsonBounds {
  return { ...limits.json, ...served.json };
}

/** What may be read of the body of a caller. */
export function roomOf(
  standing: Exclude<Standing, { readonly answer: unknown }>,
  limits: GatewayLimits,
  served: ServedMethod,
): Room {
  const allowed = maxMessageBytesOf(limits, served);
  if (standing === "known") return { maxBytes: allowed };
  if (standing === "unknown") return { maxBytes: Math.min(allowed, limits.unknownCallerBytes) };
  return standing.maxBytes < allowed ? standing : { maxBytes: allowed };
}
