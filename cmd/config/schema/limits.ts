import { z } from "zod";
import { isCidr } from "../../../base/net/special-networks.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { bytes, count, milliseconds } from "./values.ts";

// Log shippers send batches of up to 100,000 lines in one message.
const parseMaxBytes = 100 * 1_048_576;

const network = () =>
  z.string().refine(isCidr, 'must be an address such as "10.0.0.7" or a network such as "10.0.0.0/8"');
const methodName = () =>
  z.string().regex(/^[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/, 'must be a method such as "proto.Parser/Parse"');

const { json } = defaultLimits;

const jsonSchema = z.strictObject({
  depth: count().default(json.depth).describe("Nesting depth of objects and arrays."),
  members: count().default(json.members).describe("Members of one object."),
  elements: count().default(json.elements).describe("Elements of one array."),
  keys: count().default(json.keys).describe("Members of all objects together."),
  keyBytes: count().default(json.keyBytes).describe("Bytes of one key."),
  values: count().default(json.values).describe("Values of any kind together."),
  longNumbers: count().default(json.longNumbers).describe("Numbers of 16 or more digits."),
});

/** The section `limits`. */
export const limitsSchema = z.strictObject({
  maxMessageBytes: bytes()
    .default(defaultLimits.maxMessageBytes)
    .describe("Bytes of a request message, after decompression."),
  methods: z
    .record(methodName(), bytes())
    .default({})
    .transform(
      (methods): Readonly<Record<string, number>> => ({ "proto.Parser/Parse": parseMaxBytes, ...methods }),
    )
    .meta({
      description:
        "Bytes of a request message by method, instead of limits.maxMessageBytes. " +
        "proto.Parser/Parse has 104857600 unless it is set here.",
      examples: [{ "proto.Parser/Parse": 16_777_216 }],
    }),
  unknownCallerBytes: bytes()
    .default(defaultLimits.unknownCallerBytes)
    .describe("Bytes of a request message of unknown callers, in whose bodies an app id is searched."),
  json: jsonSchema.prefault({}).describe("Limits of a JSON body; some methods have lower ones."),
  maxConnections: count()
    .default(defaultLimits.maxConnections)
    .describe("Open connections. A further one replaces an idle one, or is closed."),
  maxConnectionsPerAddress: count()
    .default(defaultLimits.maxConnectionsPerAddress)
    .describe("Open connections per address. With IPv6, an address is a network of 64 bits."),
  maxCallsPerAddress: count()
    .default(defaultLimits.maxCallsPerAddress)
    .describe("Concurrent calls per address."),
  openStreamsPerConnection: count()
    .default(defaultLimits.openStreamsPerConnection)
    .describe("Concurrent streaming calls per connection of callers without a key, such as health watches."),
  openStreamsPerAddress: count()
    .default(defaultLimits.openStreamsPerAddress)
    .describe("Concurrent streaming calls per address of callers without a key."),
  trustedProxies: z
    .array(network())
    .default([])
    .meta({
      description: "Addresses and networks of proxies, which are exempt from limits per address.",
      examples: [["10.0.0.7", "10.1.0.0/16"]],
    }),
  openBytes: bytes()
    .default(defaultLimits.openBytes)
    .describe(
      "Bytes of incomplete bodies, of open HTTP/2 calls, of pipelined requests and of large unread responses, over all " +
        "connections.",
    ),
  openBytesPerAddress: bytes()
    .default(defaultLimits.openBytesPerAddress)
    .describe("Bytes that limits.openBytes counts, of one address."),
  openBytesPerConnection: bytes()
    .default(defaultLimits.openBytesPerConnection)
    .describe("Bytes that limits.openBytes counts, of one connection. A call with a larger response fails."),
  minBytesPerSecond: count()
    .default(defaultLimits.minBytesPerSecond)
    .describe("Minimum rate of bodies after 30 s, and of readers of large responses, in bytes per second."),
  stallTimeoutMs: milliseconds()
    .min(1)
    .default(defaultLimits.stallTimeoutMs)
    .describe("Time after which a reader that does not read its response is disconnected, in ms."),
  unusedTimeoutMs: milliseconds()
    .min(1)
    .default(defaultLimits.unusedTimeoutMs)
    .describe("Time after which a connection without a request is closed, in ms."),
  maxConcurrentStreams: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .default(defaultLimits.maxConcurrentStreams)
    .describe("Concurrent calls per HTTP/2 connection."),
  headersTimeoutMs: milliseconds()
    .default(defaultLimits.headersTimeoutMs)
    .describe("Time to send the head of a request, in ms."),
  requestTimeoutMs: milliseconds()
    .default(defaultLimits.requestTimeoutMs)
    .describe("Time to send a whole request, in ms."),
  idleTimeoutMs: milliseconds()
    .default(defaultLimits.idleTimeoutMs)
    .describe("Time without traffic after which a connection is closed, in ms."),
  maxHeaderBytes: z
    .int()
    .min(1024)
    .default(defaultLimits.maxHeaderBytes)
    .describe("Bytes of all headers of a request together."),
  maxDeadlineMs: milliseconds()
    .min(1)
    .default(defaultLimits.maxDeadlineMs)
    .describe("Maximum deadline of a call, in ms; longer ones are shortened."),
  compressMinBytes: z
    .int()
    .min(0)
    .default(defaultLimits.compressMinBytes)
    .describe(
      "Bytes from which responses are compressed if the caller accepts it. 0: responses of all sizes are.",
    ),
});
