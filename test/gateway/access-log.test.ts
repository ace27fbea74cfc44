import type { IncomingHttpHeaders } from "node:http";
import { Code } from "@connectrpc/connect";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createAccessLog } from "../../gateway/access-log.ts";
import { CallRecord } from "../../gateway/call/record.ts";
import { createNotingTracer } from "../base/trace/noting-tracer.ts";
import { Library } from "./testproto/gen/engage/test/v1/library_pb.ts";

const peer = { address: "192.0.2.7", secure: false };
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function call(facts: Partial<CallRecord> = {}, headers: IncomingHttpHeaders = {}): CallRecord {
  const record = new CallRecord(Library.method.echo, "grpc", peer, { "x-request-id": "r-1", ...headers });
  return Object.assign(record, facts);
}

function lines(calls: readonly CallRecord[], level = "info"): Record<string, unknown>[] {
  const written: string[] = [];
  const options = {
    level,
    base: null,
    timestamp: false,
    formatters: { level: (name: string) => ({ level: name }) },
  };
  const { started, finished } = createAccessLog(pino(options, { write: (line) => written.push(line) }));
  for (const record of calls) {
    started(record);
    finished(record);
  }
  return written.map((line) => JSON.parse(line));
}

const plain = {
  level: "info",
  msg: "call",
  method: "engage.test.v1.Library/Echo",
  protocol: "grpc",
  code: "OK",
  ms: expect.any(Number),
  bytesIn: 0,
  bytesOut: 0,
  requestId: "r-1",
  peer: "192.0.2.7",
};

describe("a line", () => {
  it.each<[string, CallRecord, object]>([
    ["a call", call({ bytesIn: 12, bytesOut: 34 }), { bytesIn: 12, bytesOut: 34 }],
    ["a key", call({ caller: { kind: "key", name: "shipper" } }), { caller: "shipper" }],
    ["a certificate", call({ caller: { kind: "certificate", name: "a.test" } }), { caller: "a.test" }],
    ["a trace", call({}, { traceparent }), { traceparent }],
    [
      "a trace that is recorded",
      call({ span: createNotingTracer().tracer.startSpan("call", { parent: { traceparent } }) }),
      { trace_id: "0af7651916cd43dd8448eb211c80319c" },
    ],
    ["a refusal", call({ code: Code.Unauthenticated }), { code: "UNAUTHENTICATED" }],
  ])("tells of %s and nothing else", (_, record, facts) => {
    expect(lines([record])).toEqual([{ ...plain, ...facts }]);
  });

  it("has no header and no message", () => {
    const headers = {
      authorization: "Bearer hidden",
      cookie: "hidden",
      "x-api-key": "hidden",
      "user-agent": "hidden",
    };
    expect(JSON.stringify(lines([call({}, headers)]))).not.toContain("hidden");
  });

  it("has milliseconds with two decimals", () => {
    const [line] = lines([call({ startedMs: performance.now() - 1_000 / 3 })]);
    expect(line!["ms"]).toBeGreaterThan(333);
    expect(String(line!["ms"])).toMatch(/^\d+(\.\d{1,2})?$/);
  });

  it("is written for each call, whatever was called before", () => {
    const rest = new CallRecord(Library.method.getBook, "rest", peer, { "x-request-id": "r-2" });
    const written = lines([call(), call({ code: Code.NotFound }), rest, call()]);
    expect(
      written.map(({ method, protocol, code, requestId }) => [method, protocol, code, requestId]),
    ).toEqual([
      ["engage.test.v1.Library/Echo", "grpc", "OK", "r-1"],
      ["engage.test.v1.Library/Echo", "grpc", "NOT_FOUND", "r-1"],
      ["engage.test.v1.Library/GetBook", "rest", "OK", "r-2"],
      ["engage.test.v1.Library/Echo", "grpc", "OK", "r-1"],
    ]);
  });
});

describe("the level", () => {
  it.each([
    ["info", undefined],
    ["info", Code.Canceled],
    ["info", Code.InvalidArgument],
    ["info", Code.ResourceExhausted],
    ["info", Code.Unimplemented],
    ["warn", Code.Unknown],
    ["warn", Code.DeadlineExceeded],
    ["warn", Code.Internal],
    ["warn", Code.Unavailable],
    ["warn", Code.DataLoss],
  ])("is %s for code %s", (level, code) => {
    expect(lines([call({ code })])).toMatchObject([{ level }]);
  });

  it("can leave only the faults", () => {
    expect(lines([call(), call({ code: Code.Internal })], "warn")).toMatchObject([{ code: "INTERNAL" }]);
  });
});
