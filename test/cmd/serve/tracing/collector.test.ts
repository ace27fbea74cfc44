import { expect, test } from "vitest";
import { batchOf } from "../../../services/webhook/bodies.ts";
import { openWebhookServer } from "../../webhook-server.ts";
import { openCollector } from "./collector.ts";

const spansBy = async (server: Awaited<ReturnType<typeof openWebhookServer>>, outcome: string) => {
  const { text } = await server.rest("/metrics");
  return Number(new RegExp(`engage_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1]);
};

test("spans go to the collector with the headers of the configuration", async () => {
  await using collector = await openCollector();
  const headers = { authorization: "Bearer of the collector" };
  const tracing = { endpoint: collector.endpoint, headers, delayMs: 1 };
  const server = await openWebhookServer({}, { settings: { tracing } });
  await server.send(batchOf(["u1"]));
  await expect.poll(() => spansBy(server, "exported")).toBeGreaterThanOrEqual(2);
  expect(collector.headers[0]).toMatchObject({ ...headers, "content-type": "application/x-protobuf" });
  const [call, sent] = ["engage.webhook.v1.WebhookReceiver/Receive", "send demo"].map(
    (name) => collector.named(name)[0]!,
  );
  expect(call!.parentId).toBe("");
  expect(sent).toMatchObject({ traceId: call!.traceId, parentId: call!.spanId });
});

test("a stop sends what waits", async () => {
  await using collector = await openCollector();
  const tracing = { endpoint: collector.endpoint, delayMs: 60_000 };
  const server = await openWebhookServer({}, { settings: { tracing } });
  await server.send(batchOf(["u1"]));
  expect(collector.spans).toEqual([]);
  await server.stop();
  expect(collector.named("send demo")).toHaveLength(1);
});

test("calls succeed while the collector refuses spans, which are counted", async () => {
  await using collector = await openCollector();
  collector.status = 400;
  const tracing = { endpoint: collector.endpoint, delayMs: 1 };
  const server = await openWebhookServer({}, { settings: { tracing } });
  expect((await server.send(batchOf(["u1"]))).status).toBe(200);
  await expect.poll(() => spansBy(server, "failed")).toBeGreaterThanOrEqual(2);
  expect(await spansBy(server, "exported")).toBe(0);
});

test("calls succeed while the collector does not respond, and spans beyond the queue are dropped", async () => {
  await using collector = await openCollector();
  collector.status = undefined;
  const tracing = { endpoint: collector.endpoint, delayMs: 1, maxQueue: 4, maxBatch: 2 };
  const server = await openWebhookServer({}, { settings: { tracing } });
  const requests = Array.from({ length: 20 }, (_, at) => `request ${at}`);
  for (const request of requests) {
    expect((await server.send(batchOf(["u1"], request))).status).toBe(200);
  }
  expect(await spansBy(server, "dropped")).toBeGreaterThan(0);
  expect(await spansBy(server, "exported")).toBe(0);
  await server.stop();
});
