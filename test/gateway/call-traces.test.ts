import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { CallRecord } from "../../gateway/call/record.ts";
import { createCallTraces } from "../../gateway/call-traces.ts";
import { createNotingTracer } from "../base/trace/noting-tracer.ts";
import { Library } from "./testproto/gen/engage/test/v1/library_pb.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const peer = { address: "192.0.2.1", secure: false };
const method = "engage.test.v1.Library/Echo";

function callWith(headers: Readonly<Record<string, string>>, protocol: "grpc" | "rest" = "grpc"): CallRecord {
  return new CallRecord(Library.method.echo, protocol, peer, { "x-request-id": "r-1", ...headers });
}

it("records the span of a call below the caller's", () => {
  const { tracer, spans } = createNotingTracer();
  const observer = createCallTraces(tracer);
  const call = callWith({ traceparent, tracestate: "vendor=1" });
  expect(call.trace).toEqual({ traceparent, tracestate: "vendor=1" });
  observer.started(call);
  expect(call.trace).toBe(spans[0]!.span);
  expect(call.trace!.tracestate).toBe("vendor=1");
  call.caller = { kind: "key", name: "shipper" };
  observer.finished(call);
  expect(spans).toMatchObject([{ name: method, kind: "server", parent: traceparent, hasEnded: true }]);
  expect(spans[0]!.attributes).toEqual({
    "client.address": "192.0.2.1",
    "rpc.method": method,
    "rpc.system.name": "grpc",
    "rpc.status_code": "OK",
    "engage.protocol": "grpc",
    "engage.request_id": "r-1",
    "engage.caller": "shipper",
  });
});

describe("the span of a call", () => {
  it.each([
    [undefined, "OK", undefined],
    [Code.InvalidArgument, "INVALID_ARGUMENT", undefined],
    [Code.Internal, "INTERNAL", { type: "INTERNAL" }],
    [Code.DeadlineExceeded, "DEADLINE_EXCEEDED", { type: "DEADLINE_EXCEEDED" }],
  ])("with the code %s", (code, status, failure) => {
    const { tracer, spans } = createNotingTracer();
    const observer = createCallTraces(tracer);
    const call = callWith({}, "rest");
    observer.started(call);
    call.code = code;
    observer.finished(call);
    expect(spans[0]).toMatchObject({ parent: undefined, failure });
    expect(spans[0]!.attributes).toMatchObject({ "rpc.status_code": status, "rpc.system.name": "rest" });
  });
});

it("leaves a call that is not sampled as it is", () => {
  const decided: unknown[] = [];
  const { tracer, spans } = createNotingTracer((header) => {
    decided.push(header);
    return false;
  });
  const observer = createCallTraces(tracer);
  const calls = [callWith({ traceparent }), callWith({})];
  for (const call of calls) {
    observer.started(call);
    observer.finished(call);
  }
  expect(decided).toEqual([traceparent, undefined]);
  expect(spans).toEqual([]);
  expect(calls.map(({ trace }) => trace)).toEqual([{ traceparent, tracestate: undefined }, undefined]);
});
