import type { JsonBounds } from "../base/json/bounds.ts";
import { longestCallMs } from "../base/rpc/longest-call.ts";
import type { BodyLimit, Standing } from "../base/rpc/request-head.ts";
import type { ServedMethod } from "./methods.ts";

/** Limits of one server. */
export interface GatewayLimits {
  /** Largest request message in bytes, after decompression. */
  readonly maxMessageBytes: number;
  /** Other sizes for single methods, by `package.Service/Method`. */
  readonly methods: Readonly<Record<string, number>>;
  /** Largest message, on the wire and inflated, of callers that the head of their request does not identify. */
  readonly unknownCallerBytes: number;
  /** Bounds on JSON bodies; methods may have their own. */
  readonly json: JsonBounds;
  readonly maxConnections: number;
  /** Connections of one address: of IPv4, or a network of 64 bits of IPv6. */
  readonly maxConnectionsPerAddress: number;
  /** Open calls of one address over all its connections. */
  readonly maxCallsPerAddress: number;
  /** Open streaming calls of callers without a key on one connection, such as `Health/Watch`. */
  readonly openStreamsPerConnection: number;
  readonly openStreamsPerAddress: number;
  /**
   * Addresses and networks (`10.0.0.0/8`) of proxies, whose connections carry many callers: no limit per address
   * applies.
   */
  readonly trustedProxies: readonly string[];
  /**
   * Bytes of incomplete request bodies, of open HTTP/2 calls, of pipelined requests and of large unread responses, over
   * all connections.
   */
  readonly openBytes: number;
  readonly openBytesPerAddress: number;
  readonly openBytesPerConnection: number;
  /** The minimum rate of a body. A slower body is refused after 30 s. */
  readonly minBytesPerSecond: number;
  /**
   * A response is cut off if its client reads nothing for this long, or a large one more slowly than the minimum rate.
   */
  readonly stallTimeoutMs: number;
  /** A connection on which no request has come is closed after this time. */
  readonly unusedTimeoutMs: number;
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
  /** Responses from this size on are compressed if the caller accepts it. */
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
  maxConnectionsPerAddress: 2_500,
  maxCallsPerAddress: 10_000,
  openStreamsPerConnection: 100,
  openStreamsPerAddress: 1_000,
  trustedProxies: [],
  // Memory for them is up to twice as much.
  openBytes: 320 * 1024 * 1024,
  openBytesPerAddress: 192 * 1024 * 1024,
  openBytesPerConnection: 128 * 1024 * 1024,
  minBytesPerSecond: 1_024,
  stallTimeoutMs: 60_000,
  unusedTimeoutMs: 60_000,
  maxConcurrentStreams: 250,
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  idleTimeoutMs: 600_000,
  maxDeadlineMs: longestCallMs,
  compressMinBytes: 64 * 1024,
};

/** Largest request message of this method in bytes. */
export function maxMessageBytesOf(limits: GatewayLimits, served: ServedMethod): number {
  const { maxMessageBytes } = limits;
  return limits.methods[served.name] ?? Math.min(served.maxMessageBytes ?? maxMessageBytes, maxMessageBytes);
}

/** Returns the bounds on JSON bodies of a method: those of its service, else those of the server. */
export function jsonBoundsOf(limits: GatewayLimits, served: ServedMethod): JsonBounds {
  return { ...limits.json, ...served.json };
}

/** Returns how much of a caller's body is read. */
export function bodyLimitOf(
  standing: Exclude<Standing, { readonly response: unknown }>,
  limits: GatewayLimits,
  served: ServedMethod,
): BodyLimit {
  const allowed = maxMessageBytesOf(limits, served);
  if (standing === "known") return { maxBytes: allowed };
  if (standing === "unknown") return { maxBytes: Math.min(allowed, limits.unknownCallerBytes) };
  return standing.maxBytes < allowed ? standing : { maxBytes: allowed };
}

/**
 * How often connections and bodies are checked for those that take too long: four times within the shortest of these
 * limits, at least once and at most 100 times a second.
 */
export function timeoutCheckMsOf(limits: GatewayLimits): number {
  const { requestTimeoutMs, headersTimeoutMs, stallTimeoutMs, unusedTimeoutMs } = limits;
  const shortest = Math.min(requestTimeoutMs, headersTimeoutMs, stallTimeoutMs, unusedTimeoutMs);
  return Math.min(Math.max(Math.floor(shortest / 4), 10), 1_000);
}
