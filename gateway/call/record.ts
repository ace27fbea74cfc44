import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { type Code, type ContextValues, createContextKey } from "@connectrpc/connect";

/** The protocols of calls. `mcp` is a call that another request makes within this process, as the tools of agents do. */
export type ProtocolName = "grpc" | "grpc-web" | "connect" | "rest" | "mcp";

/** The other end of a connection. */
export interface Peer {
  /** Remote address, without the port. */
  readonly address: string;
  /** Whether the connection is TLS. */
  readonly secure: boolean;
  /** Subject of a verified client certificate: its first URI or DNS name, else its common name. */
  readonly certificate?: string;
}

/** The authenticated caller; `anonymous` if none is required. */
export interface Caller {
  readonly kind: "anonymous" | "key" | "certificate";
  /** Name of the key in the configuration, or the certificate's subject; empty when anonymous. */
  readonly name: string;
}

const anonymous: Caller = { kind: "anonymous", name: "" };

/** The data about a call, besides its message, that logs, metrics and handlers use. */
export class CallRecord {
  /** `performance.now()` at the first byte. */
  readonly startedMs: number = performance.now();
  readonly method: DescMethod;
  readonly protocol: ProtocolName;
  readonly peer: Peer;
  /** The caller's `x-request-id` where it is usable, else a new unique one. */
  readonly requestId: string;
  /** The caller's W3C trace context, to pass on with outgoing calls. */
  readonly traceparent: string | undefined;
  caller: Caller = anonymous;
  /** Whether the caller's key or certificate allows the method, also where none is required. */
  mayCall = false;
  /** The outcome; undefined means OK. Set by the time the call is reported as finished. */
  code: Code | undefined;
  /** Size of the messages on the wire. */
  bytesIn = 0;
  bytesOut = 0;

  constructor(method: DescMethod, protocol: ProtocolName, peer: Peer, headers: IncomingHttpHeaders) {
    this.method = method;
    this.protocol = protocol;
    this.peer = peer;
    this.requestId = requestIdOf(headers["x-request-id"]);
    const trace = headers["traceparent"];
    this.traceparent = typeof trace === "string" && isTraceparent(trace) ? trace : undefined;
  }
}

/** Watches calls begin and end. Runs on the hot path: must not throw and must not block. */
export interface CallObserver {
  started(record: CallRecord): void;
  finished(record: CallRecord): void;
}

/** Combines observers into one. */
export function allObservers(observers: readonly CallObserver[]): CallObserver {
  return {
    started(record) {
      for (const observer of observers) observer.started(record);
    },
    finished(record) {
      for (const observer of observers) observer.finished(record);
    },
  };
}

/** Context key of the record of the present call. */
export const kRecord = createContextKey<CallRecord | undefined>(undefined, { description: "call record" });

/** The record of the call that these values belong to. */
export function recordOf(values: ContextValues): CallRecord {
  const record = values.get(kRecord);
  if (record === undefined) throw new Error("this call did not come through the gateway");
  return record;
}

/** Unique for this process. With a counter after it, an id takes a tenth of the time of a UUID and fewer bytes. */
const processId = randomBytes(6).toString("base64url");
let callsSoFar = 0;

/** Returns the caller's id if it is at most 128 printable ASCII characters, else a new one. */
function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header === "string" && /^[\x21-\x7e]{1,128}$/.test(header)) return header;
  return `${processId}-${(callsSoFar++).toString(36)}`;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header, version 00 and later. */
function isTraceparent(value: string): boolean {
  return /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/.test(value) && !value.startsWith("ff");
}
