import type { Trace } from "./trace.ts";

/** Version, trace id, span id and flags; what a later version adds follows a dash. */
const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;
const characters = 55;

/**
 * Returns the header `traceparent` in the form of version 00; undefined for a text that is not valid:
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function readTraceparent(text: unknown): string | undefined {
  if (typeof text !== "string" || !pattern.test(text)) return undefined;
  const isFirst = text.startsWith("00");
  if (text.length === characters) return isFirst ? text : `00${text.slice(2)}`;
  return isFirst ? undefined : `00${text.slice(2, characters)}`;
}

/** Vendors may cut longer ones; these are left out as a whole. */
const statePattern = /^[\x20-\x7e]{1,512}$/;

/** Returns the header `tracestate` where it can be passed on. */
export function readTracestate(text: unknown): string | undefined {
  return typeof text === "string" && statePattern.test(text) ? text : undefined;
}

/** Returns whether the sender has recorded the trace. */
export function isRecorded(traceparent: string): boolean {
  return (Number.parseInt(traceparent.slice(53), 16) & 1) === 1;
}

/** Writes a trace as one text, for stores: the two headers with a space between them. */
export function encodeTrace({ traceparent, tracestate }: Trace): string {
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;
}

/** Reads what `encodeTrace` returns; undefined for other texts. */
export function decodeTrace(text: string | null | undefined): Trace | undefined {
  if (typeof text !== "string") return undefined;
  const traceparent = readTraceparent(text.slice(0, characters));
  if (traceparent === undefined) return undefined;
  return { traceparent, tracestate: readTracestate(text.slice(characters + 1)) };
}
