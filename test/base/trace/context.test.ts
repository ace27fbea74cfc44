import { describe, expect, it } from "vitest";
import {
  decodeTrace,
  encodeTrace,
  isRecorded,
  readTraceparent,
  readTracestate,
} from "../../../base/trace/context.ts";
import { traceHeaders, traceIdOf } from "../../../base/trace/trace.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${spanId}-01`;

describe("traceparent", () => {
  it.each([
    ["version 00", traceparent, traceparent],
    ["without the flag", `00-${traceId}-${spanId}-00`, `00-${traceId}-${spanId}-00`],
    ["a later version", `cc-${traceId}-${spanId}-01`, traceparent],
    ["a later version with more", `01-${traceId}-${spanId}-01-what-comes`, traceparent],
    ["version 00 with more", `${traceparent}-more`, undefined],
    ["a later version with more and no dash", `01-${traceId}-${spanId}-01more`, undefined],
    ["the version that is not valid", `ff-${traceId}-${spanId}-01`, undefined],
    ["no trace", `00-${"0".repeat(32)}-${spanId}-01`, undefined],
    ["no span", `00-${traceId}-${"0".repeat(16)}-01`, undefined],
    ["capitals", traceparent.toUpperCase(), undefined],
    ["a short one", traceparent.slice(0, -1), undefined],
    ["several", [traceparent, traceparent], undefined],
    ["none", undefined, undefined],
  ])("with %s", (_what, header, expected) => {
    expect(readTraceparent(header)).toBe(expected);
  });

  it.each([
    ["00", false],
    ["01", true],
    ["02", false],
    ["03", true],
  ])("says with the flags %s whether the trace is recorded: %s", (flags, expected) => {
    expect(isRecorded(`00-${traceId}-${spanId}-${flags}`)).toBe(expected);
  });
});

it.each([
  ["one member", "vendor=1", "vendor=1"],
  ["512 characters", "a".repeat(512), "a".repeat(512)],
  ["more", "a".repeat(513), undefined],
  ["a control character", "a=\u0007", undefined],
  ["nothing", "", undefined],
  ["no header", undefined, undefined],
])("a tracestate with %s", (_what, header, expected) => {
  expect(readTracestate(header)).toBe(expected);
});

describe("a stored trace", () => {
  it.each([[{ traceparent }], [{ traceparent, tracestate: "a=1, b=2" }]])(
    "reads as it was written: %j",
    (trace) => {
      expect(decodeTrace(encodeTrace(trace))).toEqual({ tracestate: undefined, ...trace });
    },
  );

  it.each([null, undefined, "", "damaged", traceparent.slice(1)])("is none where the text is %j", (text) => {
    expect(decodeTrace(text)).toBeUndefined();
  });
});

it("passes a trace on in headers", () => {
  expect(traceHeaders(undefined)).toEqual({});
  expect(traceHeaders({ traceparent })).toEqual({ traceparent });
  expect(traceHeaders({ traceparent, tracestate: "a=1" })).toEqual({ traceparent, tracestate: "a=1" });
  expect(traceIdOf({ traceparent })).toBe(traceId);
});
