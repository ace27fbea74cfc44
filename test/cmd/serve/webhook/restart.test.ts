import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { batchOf } from "../../../services/webhook/bodies.ts";
import { allDone, openHandlerServer } from "../../../services/webhook/targets/handler-server.ts";
import { dataFolder, openWebhookServer, secret, type WebhookServer } from "../../webhook-server.ts";

const pushIds = Array.from({ length: 20 }, (_, n) => `user-${n}`);

async function books({ rest }: WebhookServer): Promise<unknown> {
  return JSON.parse((await rest("/v1/webhook/stats")).text).targets;
}

test("what is under way or waits when a server stops is delivered by the next one", async () => {
  await using handler = await openHandlerServer();
  handler.handle = () => new Promise(() => {});
  const data = dataFolder();
  const webhook = {
    channels: { demo: { secrets: [{ value: secret }], targets: ["handler"] } },
    targets: { handler: { kind: "grpc", url: handler.url, concurrency: 2, retry: { minDelayMs: 1 } } },
    outbound: { allow: [`127.0.0.1:${handler.port}`] },
  };
  const options = { data, settings: { drainMs: 50 } };
  const first = await openWebhookServer(webhook, options);
  const bodies = pushIds.map((pushId) => batchOf([pushId], `request ${pushId}`));
  const replies = await Promise.all(bodies.map((body) => first.send(body)));
  expect(replies.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  await expect.poll(() => handler.batches.length).toBe(2);
  await first.stop();
  expect(handler.batches).toHaveLength(2);

  handler.handle = allDone;
  const second = await openWebhookServer(webhook, options);
  const all = { channel: "demo", target: "handler", accepted: "20", dead: "0" };
  await expect
    .poll(() => books(second), { timeout: 10_000 })
    .toEqual([{ ...all, delivered: "20", pending: "0" }]);
  // The two that were broken off are delivered a second time, all others once.
  const handed = handler.batches.flatMap(({ messages }) => messages.map(({ pushId }) => pushId));
  expect(handed).toHaveLength(22);
  expect(new Set(handed)).toEqual(new Set(pushIds));
  expect(handler.batches.slice(0, 2).map(({ attempt }) => attempt)).toEqual([1, 1]);

  const again = await Promise.all(bodies.map((body) => second.send(body)));
  expect(again.map(({ text }) => text)).toEqual(replies.map(({ text }) => text));
  expect(await books(second)).toEqual([{ ...all, delivered: "20", pending: "0" }]);
});

test("a call that waits for messages is answered when the server stops, and not broken off", async () => {
  const server = await openWebhookServer({}, { settings: { drainMs: 60_000 } });
  const client = createClient(WebhookReceiver, createGrpcTransport({ baseUrl: server.url }));
  const waiting = client.leaseMessages({ target: "pulled", wait: { seconds: 60n, nanos: 0 } });
  await expect
    .poll(async () => (await server.rest("/metrics")).text)
    .toMatch(/engage_calls_in_flight\S*LeaseMessages\S* 1\n/);
  await server.stop();
  expect(await waiting).toMatchObject({ batches: [] });
});

test("two servers never have one inbox", async () => {
  const data = dataFolder();
  await openWebhookServer({}, { data });
  await expect(openWebhookServer({}, { data })).rejects.toThrow(/inbox/);
});
