import { expect, test } from "vitest";
import { batchOf } from "../../../services/webhook/bodies.ts";
import { allDone, openHandlerServer } from "../../../services/webhook/targets/handler-server.ts";
import { openHttpServer } from "../../../services/webhook/targets/http-server.ts";
import { dataFolder, openWebhookServer, secret } from "../../webhook-server.ts";
import { openCollector, treeOf } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${callerSpan}-01`;
const receive = "engage.webhook.v1.WebhookReceiver/Receive";
const handle = "engage.handler.v1.MessageHandler/Handle";

const channel = (target: string, more: object = {}) => ({
  channels: { demo: { secrets: [{ value: secret }], targets: [target], ...more } },
});

/** Settings with which spans arrive at once. */
const traced = (endpoint: string, more: object = {}) => ({
  tracing: { endpoint, delayMs: 1, ...more },
});

test("a message is one trace from its call over the inbox to the answer of its target", async () => {
  await using collector = await openCollector();
  await using target = await openHttpServer();
  target.answer = (response) => response.writeHead(200).end();
  const server = await openWebhookServer(
    {
      ...channel("crm"),
      targets: { crm: { kind: "http", url: target.url } },
      outbound: { allow: [`127.0.0.1:${target.port}`] },
    },
    {
      settings: traced(collector.endpoint, {
        service: "hooks",
        attributes: { "deployment.environment.name": "test" },
      }),
    },
  );
  const headers = { traceparent, tracestate: "vendor=1" };
  const reply = await server.send(batchOf(["u1"]), { headers });
  expect(reply.status).toBe(200);
  await expect.poll(() => collector.spans.length).toBe(5);
  expect(treeOf(collector.spans, traceId, callerSpan)).toEqual([
    [receive, ["send demo", ["queue crm"], ["process crm", ["POST"]]]],
  ]);
  const [call] = collector.named(receive);
  const [sent] = collector.named("send demo");
  const [processed] = collector.named("process crm");
  const [post] = collector.named("POST");
  expect([call, sent, processed, post].map((span) => span!.kind)).toEqual([2, 4, 5, 3]);
  expect(call!.attributes).toMatchObject({
    "rpc.method": receive,
    "rpc.status_code": "OK",
    "engage.protocol": "rest",
    "engage.request_id": reply.headers.get("x-request-id"),
  });
  expect(sent!.attributes).toMatchObject({
    "messaging.system.name": "engage",
    "messaging.operation.type": "send",
    "messaging.destination.name": "demo",
    "messaging.batch.message_count": 1,
  });
  expect(processed!.attributes).toMatchObject({
    "messaging.operation.type": "process",
    "messaging.consumer.group.name": "crm",
    "messaging.message.id": sent!.attributes["messaging.message.id"],
    "engage.attempt": 1,
    "engage.messages.done": 1,
  });
  expect(post!.attributes).toEqual({
    "http.request.method": "POST",
    "http.response.status_code": 200,
    "server.address": "127.0.0.1",
    "server.port": target.port,
  });
  expect(call!.resource).toMatchObject({ "service.name": "hooks", "deployment.environment.name": "test" });
  expect(target.calls[0]!.headers).toMatchObject({
    traceparent: `00-${traceId}-${post!.spanId}-01`,
    tracestate: "vendor=1",
  });
});

test("a handler gets the trace of its messages over gRPC, also in sync mode", async () => {
  await using collector = await openCollector();
  await using handler = await openHandlerServer();
  handler.handle = allDone;
  const server = await openWebhookServer(
    {
      ...channel("handler", { mode: "sync", sync: { timeoutMs: 5_000 } }),
      targets: { handler: { kind: "grpc", url: handler.url } },
      outbound: { allow: [`127.0.0.1:${handler.port}`] },
    },
    { settings: traced(collector.endpoint) },
  );
  await server.send(batchOf(["u1"]), { headers: { traceparent } });
  await expect.poll(() => collector.spans.length).toBe(4);
  expect(treeOf(collector.spans, traceId, callerSpan)).toEqual([
    [receive, ["send demo", ["process handler", [handle]]]],
  ]);
  const [called] = collector.named(handle);
  expect(called!.attributes).toMatchObject({ "rpc.system.name": "grpc", "rpc.status_code": "OK" });
  expect(handler.headers[0]!.get("traceparent")).toBe(`00-${traceId}-${called!.spanId}-01`);
});

test("a later attempt, by the next process, continues the trace", async () => {
  await using collector = await openCollector();
  await using target = await openHttpServer();
  target.answer = (response) => response.writeHead(503).end();
  const data = dataFolder();
  const webhook = {
    ...channel("crm"),
    targets: { crm: { kind: "http", url: target.url, retry: { minDelayMs: 1, maxDelayMs: 1 } } },
    outbound: { allow: [`127.0.0.1:${target.port}`] },
  };
  const options = { data, settings: { ...traced(collector.endpoint), drainMs: 50 } };
  const first = await openWebhookServer(webhook, options);
  await first.send(batchOf(["u1"]), { headers: { traceparent } });
  await expect.poll(() => target.calls.length).toBeGreaterThan(0);
  await first.stop();
  const failed = collector.named("process crm")[0]!;
  expect(failed).toMatchObject({ hasFailed: true, traceId });
  expect(failed.attributes).toMatchObject({ "error.type": "retry", "engage.messages.retry": 1 });

  target.answer = (response) => response.writeHead(200).end();
  await openWebhookServer(webhook, options);
  const isDone = ({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) =>
    attributes["engage.messages.done"] === 1;
  await expect.poll(() => collector.named("process crm").some(isDone), { timeout: 10_000 }).toBe(true);
  const done = collector.named("process crm").find(isDone)!;
  expect(done).toMatchObject({ traceId, parentId: failed.parentId, hasFailed: false });
  expect(done.resource["service.instance.id"]).not.toBe(failed.resource["service.instance.id"]);
});

test.each([
  ["the caller does not record it", "parentbased_always_on", traceparent.replace(/01$/, "00")],
  ["the sampler takes no call", "always_off", traceparent],
])("a trace is passed on and not recorded where %s", async (_why, sampler, header) => {
  await using collector = await openCollector();
  await using target = await openHttpServer();
  target.answer = (response) => response.writeHead(200).end();
  const server = await openWebhookServer(
    {
      ...channel("crm"),
      targets: { crm: { kind: "http", url: target.url } },
      outbound: { allow: [`127.0.0.1:${target.port}`] },
    },
    { settings: traced(collector.endpoint, { sampler }) },
  );
  await server.send(batchOf(["u1"]), { headers: { traceparent: header } });
  await expect.poll(() => target.calls.length).toBe(1);
  expect(target.calls[0]!.headers["traceparent"]).toBe(header);
  await server.stop();
  expect(collector.spans).toEqual([]);
});

test("without an endpoint the caller's trace is passed on too", async () => {
  await using target = await openHttpServer();
  target.answer = (response) => response.writeHead(200).end();
  const server = await openWebhookServer({
    ...channel("crm"),
    targets: { crm: { kind: "http", url: target.url } },
    outbound: { allow: [`127.0.0.1:${target.port}`] },
  });
  await server.send(batchOf(["u1", "u2"]), { headers: { traceparent } });
  await server.send(batchOf(["u3"], "another request"));
  await expect.poll(() => target.calls.length).toBe(3);
  const passed = target.calls.map(({ headers }) => headers["traceparent"]);
  expect(passed.toSorted()).toEqual([traceparent, traceparent, undefined]);
  expect((await server.rest("/metrics")).text).not.toContain("engage_trace");
});

test("a call that leases messages has links to their traces", async () => {
  await using collector = await openCollector();
  const server = await openWebhookServer({}, { settings: traced(collector.endpoint) });
  await server.send(batchOf(["u1"], "one"), { headers: { traceparent } });
  await server.send(batchOf(["u2"], "two"));
  await server.rest("/v1/webhook/messages:lease", { target: "pulled" });
  await expect.poll(() => collector.named("receive pulled").length).toBe(1);
  const [received] = collector.named("receive pulled");
  const sent = collector.named("send demo").map(({ spanId }) => spanId);
  expect(received!.links.toSorted()).toEqual(sent.toSorted());
  expect(received!.attributes).toMatchObject({
    "messaging.batch.message_count": 2,
    "messaging.consumer.group.name": "pulled",
  });
  expect(received!.traceId).not.toBe(traceId);
});
