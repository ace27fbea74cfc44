import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { AttemptOutcome } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { DeliveryEvent } from "../../../../gen/engage/webhook/v1/watch_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { openHttpServer } from "../../../services/webhook/targets/http-server.ts";
import { openWebhookServer, secret } from "../../webhook-server.ts";

async function openServer() {
  const target = await openHttpServer();
  onTestFinished(() => target[Symbol.asyncDispose]());
  target.answer = (response) => response.writeHead(409).end("closed");
  return await openWebhookServer({
    channels: { demo: { secrets: [{ value: secret }], targets: ["crm"] } },
    targets: { crm: { kind: "http", url: target.url } },
    outbound: { allow: [`127.0.0.1:${target.port}`] },
  });
}

const body = '[{"push_id":"ann","#ops_receipt_properties":{}},{"push_id":""}]';

const transports: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
];

describe.each(transports)("over %s", (_name, transportOf) => {
  test("a watch shows batches and attempts, and ends with the server", async () => {
    const server = await openServer();
    const responses = createClient(WebhookReceiver, transportOf(server.url))
      .watchDeliveries({ channel: "demo" })
      [Symbol.asyncIterator]();
    expect((await responses.next()).value).toMatchObject({ events: [], skipped: 0n });
    await server.send(body);
    const events: DeliveryEvent[] = [];
    while (events.length < 2) events.push(...(await responses.next()).value!.events);
    const [accepted, attempted] = events;
    expect(accepted).toMatchObject({
      channel: "demo",
      event: { case: "accepted", value: { acceptedCount: 1, failedCount: 1 } },
    });
    expect(attempted).toMatchObject({
      channel: "demo",
      batchId: accepted!.batchId,
      event: {
        case: "attempted",
        value: {
          target: "crm",
          indexes: [1],
          attempt: 1,
          outcome: AttemptOutcome.DEAD,
          reason: "HTTP 409: closed",
          status: 409,
        },
      },
    });
    const end = responses.next().catch((error: unknown) => ConnectError.from(error).code);
    await server.stop();
    expect(await end).toBe(Code.Unavailable);
  });
});

test("over REST events are lines of JSON, filtered by the query", async () => {
  const server = await openServer();
  const caller = new AbortController();
  onTestFinished(() => caller.abort());
  const { signal } = caller;
  const response = await fetch(`${server.url}/v1/webhook/deliveries:watch?target=crm`, { signal });
  expect(response.status).toBe(200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? "";
  await server.send(body);
  while (!text.includes("ATTEMPT_OUTCOME_DEAD")) text += (await reader.read()).value ?? "";
  expect(text).not.toContain("acceptedCount");
});
