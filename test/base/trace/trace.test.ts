import { describe, expect, it } from "vitest";
import { inHttpSpan } from "../../../base/trace/http-span.ts";
import { inSpan, startTrace, type Trace, type Tracer } from "../../../base/trace/trace.ts";
import { createNotingTracer } from "./noting-tracer.ts";

const parent: Trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
const place = { method: "POST", address: "receiver", port: 80 };

describe("work in a span", () => {
  it("passes on the span, and ends it", async () => {
    const { tracer, spans } = createNotingTracer();
    const root = tracer.startSpan("root", { parent });
    const found = await inSpan(
      root,
      "child",
      () => ({ kind: "client" }),
      async (trace) => trace?.traceparent,
    );
    expect(spans.map(({ name, parent, failure, hasEnded }) => ({ name, parent, failure, hasEnded }))).toEqual(
      [
        { name: "root", parent: parent.traceparent, failure: undefined, hasEnded: false },
        { name: "child", parent: root.traceparent, failure: undefined, hasEnded: true },
      ],
    );
    expect(found).toBe(spans[1]!.span.traceparent);
  });

  it("ends it as failed when the work fails, and throws the error", async () => {
    const { tracer, spans } = createNotingTracer();
    const root = tracer.startSpan("root", {});
    const work = async (): Promise<never> => {
      throw new RangeError("with data of a caller");
    };
    await expect(inSpan(root, "child", () => ({}), work)).rejects.toThrow(RangeError);
    expect(spans[1]).toMatchObject({ failure: { type: "RangeError" }, hasEnded: true });
    expect(JSON.stringify(spans[1]!.failure)).not.toContain("data");
  });

  it.each([
    ["none", undefined],
    ["one that is not recorded", parent],
  ])("with %s passes on what there is, and describes no span", async (_what, trace) => {
    const describeSpan = (): never => {
      throw new Error("a span was described");
    };
    expect(await inSpan(trace, "child", describeSpan, async (passed) => passed)).toBe(trace);
  });
});

it.each<[string, Tracer | undefined]>([
  ["nothing is traced", undefined],
  ["the trace is not sampled", createNotingTracer(() => false).tracer],
])("starts no span when %s", (_when, tracer) => {
  const describeSpan = (): never => {
    throw new Error("a span was described");
  };
  expect(startTrace(tracer, parent, "name", describeSpan)).toBeUndefined();
});

describe("a request in a span", () => {
  it.each([
    [200, undefined],
    [404, { type: "404" }],
    [503, { type: "503" }],
  ])("with the status %d", async (status, failure) => {
    const { tracer, spans } = createNotingTracer();
    const root = tracer.startSpan("root", {});
    const sent: object[] = [];
    await inHttpSpan(root, place, async (headers) => {
      sent.push(headers);
      return { status };
    });
    expect(sent).toEqual([{ traceparent: spans[1]!.span.traceparent }]);
    expect(spans[1]).toMatchObject({ name: "POST", kind: "client", failure, hasEnded: true });
    expect(spans[1]!.attributes).toEqual({
      "http.request.method": "POST",
      "server.address": "receiver",
      "server.port": 80,
      "http.response.status_code": status,
    });
  });
});
