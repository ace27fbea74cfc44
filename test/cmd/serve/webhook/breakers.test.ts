import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { expect, test, vi } from "vitest";
import { BreakerState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { openForAll } from "../../../open-for-all.ts";
import { openHttpServer } from "../../../services/webhook/targets/http-server.ts";
import { openWebhookServer, secret } from "../../webhook-server.ts";

const patience = { timeout: 20_000 };

const server = openForAll(async (onEnd) => {
  const target = await openHttpServer();
  onEnd(() => target[Symbol.asyncDispose]());
  target.answer = (response) => response.writeHead(503).end();
  const webhook = {
    channels: { demo: { secrets: [{ value: secret }], targets: ["crm"] } },
    targets: {
      crm: { kind: "http", url: target.url, breaker: { failures: 1, openMs: 60_000 } },
      calm: { kind: "http", url: target.url },
      pulled: { kind: "pull" },
    },
    outbound: { allow: [`127.0.0.1:${target.port}`] },
  };
  const running = await openWebhookServer(webhook, { onEnd });
  await running.send('[{"push_id":"ann","#ops_receipt_properties":{}}]');
  await vi.waitFor(async () => {
    const { text } = await running.rest("/v1/webhook/stats");
    expect(text).toContain('"state":"BREAKER_STATE_OPEN"');
  }, patience);
  return running;
});

const transports: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
];

test.each(transports)("over %s the statistics show the targets that are down", async (_name, open) => {
  const { breakers } = await createClient(WebhookReceiver, open(server().url)).getStats({});
  expect(breakers).toMatchObject([
    { target: "calm", state: BreakerState.CLOSED },
    { target: "crm", state: BreakerState.OPEN },
  ]);
  const [calm, crm] = breakers;
  expect([calm!.openTime, calm!.nextTryTime]).toEqual([undefined, undefined]);
  expect(crm!.nextTryTime!.seconds).toBeGreaterThan(crm!.openTime!.seconds);
});

test("over REST the statistics show the targets that are down", async () => {
  const { breakers } = JSON.parse((await server().rest("/v1/webhook/stats")).text) as {
    readonly breakers: readonly object[];
  };
  expect(breakers).toMatchObject([
    { target: "calm", state: "BREAKER_STATE_CLOSED" },
    { target: "crm", state: "BREAKER_STATE_OPEN", openTime: expect.any(String) },
  ]);
});
