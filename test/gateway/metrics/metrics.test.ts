import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { Counter } from "prom-client";
import { describe, expect, it } from "vitest";
import { CallRecord, type ProtocolName } from "../../../gateway/call/record.ts";
import { boundsMs, bucketOf } from "../../../gateway/metrics/call-tallies.ts";
import { createMetrics } from "../../../gateway/metrics/metrics.ts";
import { Failing, Library } from "../testproto/gen/engage/test/v1/library_pb.ts";

const peer = { address: "127.0.0.1", secure: false };
const metrics = () => createMetrics({ process: false });

function call(protocol: ProtocolName = "grpc", facts: Partial<CallRecord> = {}): CallRecord {
  return Object.assign(new CallRecord(Library.method.echo, protocol, peer, {}), facts);
}

/** The samples of one metric as `labels value`. */
async function samples(text: Promise<string>, name: string): Promise<string[]> {
  const lines = (await text).split("\n").filter((line) => line.startsWith(`${name}{`));
  return lines.map((line) => line.slice(name.length));
}

describe("calls", () => {
  it("are counted by method, protocol and code", async () => {
    const { observer, text } = metrics();
    for (const code of [undefined, undefined, Code.NotFound]) observer.finished(call("grpc", { code }));
    observer.finished(call("rest", { code: Code.Internal }));
    observer.finished(new CallRecord(Failing.method.asStatus, "connect", peer, {}));
    const called = await samples(text(), "engage_calls_total");
    expect(called.filter((line) => !line.endsWith(" 0"))).toEqual([
      '{method="engage.test.v1.Library/Echo",protocol="grpc",code="OK"} 2',
      '{method="engage.test.v1.Library/Echo",protocol="grpc",code="NOT_FOUND"} 1',
      '{method="engage.test.v1.Library/Echo",protocol="rest",code="INTERNAL"} 1',
      '{method="engage.test.v1.Failing/AsStatus",protocol="connect",code="OK"} 1',
    ]);
    // An alert sees the first fault of a method.
    expect(
      called.filter((line) => /rest.* 0$/.test(line)).map((line) => /code="(\w+)"/.exec(line)![1]),
    ).toEqual(["OK", "UNKNOWN", "DATA_LOSS"]);
  });

  it("are in flight from their start to their end", async () => {
    const { observer, text } = metrics();
    const calls = [call(), call(), call()];
    for (const record of calls) observer.started(record);
    observer.finished(calls[0]!);
    expect(await samples(text(), "engage_calls_in_flight")).toEqual([
      '{method="engage.test.v1.Library/Echo",protocol="grpc"} 2',
    ]);
  });

  it("add up their bytes by direction", async () => {
    const { observer, text } = metrics();
    observer.finished(call("grpc-web", { bytesIn: 200, bytesOut: 5 }));
    observer.finished(call("grpc-web", { bytesIn: 100, bytesOut: 7 }));
    expect(await samples(text(), "engage_message_bytes_total")).toEqual([
      '{method="engage.test.v1.Library/Echo",protocol="grpc-web",direction="in"} 300',
      '{method="engage.test.v1.Library/Echo",protocol="grpc-web",direction="out"} 12',
    ]);
  });

  it("fill cumulative latency buckets", async () => {
    const { observer, text } = metrics();
    for (const agoMs of [30_000, 30_000, 120_000, 3_000]) {
      observer.finished(call("grpc", { startedMs: performance.now() - agoMs }));
    }
    const buckets = await samples(text(), "engage_call_duration_seconds_bucket");
    expect(buckets.slice(-7)).toEqual(
      [
        ["0.5", 0],
        ["1", 0],
        ["2.5", 0],
        ["5", 1],
        ["10", 1],
        ["60", 3],
        ["+Inf", 4],
      ].map(([le, n]) => `{method="engage.test.v1.Library/Echo",protocol="grpc",le="${le}"} ${n}`),
    );
    expect(await samples(text(), "engage_call_duration_seconds_count")).toEqual([
      expect.stringMatching(/ 4$/),
    ]);
    expect(await samples(text(), "engage_call_duration_seconds_sum")).toEqual([
      expect.stringMatching(/ 18[3-9](\.\d+)?$/),
    ]);
  });

  it("land in the bucket whose bounds enclose them", () => {
    const duration = fc.oneof(fc.double({ min: 0, max: 100_000, noNaN: true }), fc.constantFrom(...boundsMs));
    fc.assert(
      fc.property(duration, (ms) => {
        const bucket = bucketOf(ms);
        expect(boundsMs[bucket] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(ms);
        expect(boundsMs[bucket - 1] ?? -1).toBeLessThan(ms);
      }),
    );
  });
});

describe("the text", () => {
  it("has one help and type for each metric", async () => {
    const { observer, text } = metrics();
    observer.finished(call());
    const types = (await text()).split("\n").filter((line) => line.startsWith("# TYPE"));
    expect(types).toEqual([
      "# TYPE engage_calls_total counter",
      "# TYPE engage_call_duration_seconds histogram",
      "# TYPE engage_calls_in_flight gauge",
      "# TYPE engage_message_bytes_total counter",
    ]);
  });

  it("takes in the metrics of other layers", async () => {
    const { registry, text, contentType } = metrics();
    new Counter({ name: "engage_other_total", help: "other", registers: [registry] }).inc(3);
    expect(await text()).toContain("\nengage_other_total 3\n");
    expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  it("tells of the process", async () => {
    const text = await createMetrics().text();
    expect(text).toMatch(/^process_cpu_seconds_total [\d.]+$/m);
    expect(text).toMatch(/^nodejs_heap_size_used_bytes \d+$/m);
    expect(text).toMatch(/^engage_event_loop_delay_seconds\{quantile="0\.99"\} [\d.e-]+$/m);
  });
});
