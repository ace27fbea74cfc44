import { readdirSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { type Client, Code, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "../../../../base/text/digest.ts";
import { AttemptOutcome, DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { WebhookMessageSchema } from "../../../../gen/engage/webhook/v1/message_pb.ts";
import { SignatureScheme } from "../../../../gen/engage/webhook/v1/received_batch_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { openWebhookServer, sign, type WebhookServer } from "../../webhook-server.ts";

const key = "engage_a-key-of-the-test";
const headers = { authorization: `Bearer ${key}` };
const settings = { auth: { keys: [{ name: "operator", sha256: sha256Hex(key) }] } };
const receipt = '{"n":1.0,"big":9007199254740993,"ops_request_id":"r-1"}';

type Webhooks = Client<typeof WebhookReceiver>;

const transports: [name: string, open: (baseUrl: string) => Transport][] = [
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
  [
    "Connect with JSON",
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  ],
];

/** One batch of three: one for each outcome. */
async function receiveThree(client: Webhooks): Promise<void> {
  const messages = ["ann", "gone", ""].map((pushId) =>
    create(WebhookMessageSchema, { pushId, rawReceipt: Buffer.from(receipt) }),
  );
  const answer = await client.receive({ channel: "demo", messages }, { headers });
  expect(answer).toMatchObject({
    returnCode: 0,
    data: { failList: [{ index: 3, message: "push_id is required" }] },
  });
}

describe.each(transports)("over %s", (_name, open) => {
  test("each method does its part", async () => {
    const server = await openWebhookServer({}, { settings });
    const client = createClient(WebhookReceiver, open(server.url));
    await receiveThree(client);

    const leased = await client.leaseMessages({ target: "pulled", maxMessages: 10 }, { headers });
    const [{ leaseToken, batch } = { leaseToken: "", batch: undefined }] = leased.batches;
    expect(batch).toMatchObject({ channel: "demo", target: "pulled", requestId: "r-1", attempt: 1 });
    expect(
      batch?.messages.map(({ pushId, rawReceipt }) => [pushId, Buffer.from(rawReceipt).toString()]),
    ).toEqual([
      ["ann", receipt],
      ["gone", receipt],
    ]);
    const settled = await client.settleMessages(
      {
        settlements: [
          {
            leaseToken,
            results: [
              { index: 1, outcome: { case: "done", value: {} } },
              { index: 2, outcome: { case: "dead", value: { reason: "no such player" } } },
            ],
          },
        ],
      },
      { headers },
    );
    expect(settled).toMatchObject({ settledCount: 2, staleLeaseTokens: [] });

    const { deliveries } = await client.listDeliveries({ filter: { pushId: "ann" } }, { headers });
    expect(deliveries).toMatchObject([{ state: DeliveryState.DELIVERED, index: 1, requestId: "r-1" }]);
    const { batches } = await client.listBatches({ filter: { requestId: "r-1" } }, { headers });
    expect(batches).toMatchObject([
      { channel: "demo", targets: [{ accepted: 2n, delivered: 1n, dead: 1n }] },
    ]);
    const { batchId } = batches[0]!;
    const received = await client.getBatch({ batchId }, { headers });
    expect(received.signature).toMatchObject({ scheme: SignatureScheme.CALLER, cause: "" });
    expect(received.deliveries.map(({ state }) => state)).toEqual([
      DeliveryState.DELIVERED,
      DeliveryState.DEAD,
    ]);
    expect(received.deliveries.map(({ timeline }) => timeline.map(({ reason }) => reason))).toEqual([
      [""],
      ["no such player"],
    ]);
    expect(Buffer.from(received.body).toString()).toContain(receipt);
    expect(Buffer.from(received.reply!).toString()).toContain("push_id is required");

    const { deliveryId } = deliveries[0]!;
    const { delivery } = await client.getDelivery({ deliveryId }, { headers });
    expect(Buffer.from(delivery!.message!.rawReceipt).toString()).toBe(receipt);
    expect(delivery!.timeline).toMatchObject([{ attempt: 1, outcome: AttemptOutcome.DONE }]);

    const click = await client.reportClick({ deliveryId, eventName: "opened" }, { headers });
    expect(click).toMatchObject({ eventName: "opened", uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) });

    const { deadLetters } = await client.listDeadLetters({}, { headers });
    expect(deadLetters).toMatchObject([{ pushId: "gone", reason: "no such player", attempts: 1 }]);
    const replay = { filter: { channel: "demo" }, nonce: "once" };
    expect(await client.replayDeadLetters({ ...replay, dryRun: true }, { headers })).toMatchObject({
      count: 1n,
    });
    expect(await client.replayDeadLetters(replay, { headers })).toMatchObject({ count: 1n });
    expect(await client.replayDeadLetters(replay, { headers })).toMatchObject({ count: 1n });
    const { targets, inbox } = await client.getStats({}, { headers });
    expect(targets).toMatchObject([{ accepted: 2n, delivered: 1n, dead: 0n, pending: 1n }]);
    expect(inbox).toMatchObject({ writable: true, reason: "" });
  });

  test("no caller without a key is let in", async () => {
    const server = await openWebhookServer({}, { settings });
    const client = createClient(WebhookReceiver, open(server.url));
    const calls = [
      client.receive({ channel: "demo", messages: [] }),
      client.leaseMessages({ target: "pulled" }),
      client.settleMessages({}),
      client.listBatches({}),
      client.getBatch({ batchId: "x" }),
      client.listRefusals({}),
      client.listDeliveries({}),
      client.getDelivery({ deliveryId: "x" }),
      client.watchDeliveries({})[Symbol.asyncIterator]().next(),
      client.listDeadLetters({}),
      client.replayDeadLetters({ all: true }),
      client.getStats({}),
      client.reportClick({}),
    ];
    const codes = (await Promise.allSettled(calls)).map(
      (call) => (call as PromiseRejectedResult).reason.code,
    );
    expect(codes).toEqual(calls.map(() => Code.Unauthenticated));
  });
});

test("another gRPC client receives and reads the books", async () => {
  const server = await openWebhookServer({}, { settings });
  const definition = loadSync("engage/webhook/v1/webhook_receiver.proto", {
    includeDirs: ["proto"],
    keepCase: true,
    longs: String,
  });
  const loaded = loadPackageDefinition(definition) as never as {
    engage: { webhook: { v1: { WebhookReceiver: ServiceClientConstructor } } };
  };
  const client = new loaded.engage.webhook.v1.WebhookReceiver(
    `127.0.0.1:${server.address.port}`,
    credentials.createInsecure(),
  );
  onTestFinished(() => client.close());
  const metadata = new Metadata();
  metadata.set("authorization", headers.authorization);
  const call = (method: string, request: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      client[method]!(request, metadata, (error: unknown, answer: unknown) =>
        error === null ? resolve(answer) : reject(error),
      );
    });
  const message = { push_id: "ann", raw_receipt: Buffer.from(receipt) };
  expect(await call("Receive", { channel: "demo", messages: [message, {}] })).toMatchObject({
    return_message: "success",
    data: { fail_list: [{ index: 2, message: "push_id is required" }] },
  });
  expect(await call("GetStats", {})).toMatchObject({ targets: [{ accepted: "1", pending: "1" }] });
  await expect(call("LeaseMessages", { target: "nope" })).rejects.toMatchObject({
    code: 5,
    details: 'there is no target "nope", valid are "pulled"',
  });
});

async function restJson(server: WebhookServer, path: string, body?: object): Promise<Record<string, never>> {
  const { status, text } = await server.rest(path, body, headers);
  expect([status, path]).toEqual([200, path]);
  return JSON.parse(text) as Record<string, never>;
}

test("over REST each method has its path", async () => {
  const server = await openWebhookServer({}, { settings });
  const element = (pushId: string): string => `{"push_id":"${pushId}","#ops_receipt_properties":${receipt}}`;
  const body = `[${["ann", "gone", ""].map(element).join(",")}]`;
  const { text } = await server.send(body);
  expect(JSON.parse(text).data.fail_list).toEqual([{ index: 3, message: "push_id is required" }]);

  const leased = await restJson(server, "/v1/webhook/messages:lease", { target: "pulled", lease: "60s" });
  const [{ leaseToken, batch }] = leased["batches"] as never as [
    { leaseToken: string; batch: { messages: { rawReceipt: string; deliveryId: string }[] } },
  ];
  expect(batch.messages.map(({ rawReceipt }) => atob(rawReceipt))).toEqual([receipt, receipt]);
  const results = [
    { index: 1, done: {} },
    { index: 2, dead: { reason: "no such player" } },
  ];
  const settled = await restJson(server, "/v1/webhook/messages:settle", {
    settlements: [{ leaseToken, results }],
  });
  expect(settled).toMatchObject({ settledCount: 2 });

  const { batches } = await restJson(server, "/v1/webhook/batches?filter.channel=demo&pageSize=1");
  expect(batches).toMatchObject([{ requestId: "r-1", bodyBytes: `${Buffer.byteLength(body)}` }]);
  const [{ batchId }] = batches as never as [{ batchId: string }];
  const received = await restJson(server, `/v1/webhook/batches/${batchId}`);
  expect([atob(received["body"]!), atob(received["reply"]!)]).toEqual([body, text]);
  expect(received).toMatchObject({
    batch: { batchId },
    signature: { scheme: "SIGNATURE_SCHEME_HMAC_SHA1", value: sign(body), matches: true, cause: "" },
    deliveries: [{ pushId: "ann" }, { pushId: "gone" }],
  });

  const { deliveryId } = batch.messages[0]!;
  const listed = await restJson(
    server,
    "/v1/webhook/deliveries?filter.pushId=ann&state=DELIVERY_STATE_DELIVERED",
  );
  expect(listed).toMatchObject({ deliveries: [{ deliveryId, channel: "demo" }], nextPageToken: "" });
  const { delivery } = await restJson(server, `/v1/webhook/deliveries/${deliveryId}`);
  expect(delivery).toMatchObject({
    message: { push_id: "ann" },
    timeline: [{ attempt: 1, outcome: "ATTEMPT_OUTCOME_DONE", reason: "", answer: "" }],
  });
  expect(await restJson(server, "/v1/webhook/clicks", { deliveryId })).toMatchObject({
    eventName: "ops_push_click",
  });
  expect(await restJson(server, "/v1/webhook/dead-letters?filter.target=pulled")).toMatchObject({
    deadLetters: [{ pushId: "gone", reason: "no such player" }],
  });
  expect(await restJson(server, "/v1/webhook/dead-letters:replay", { all: true })).toMatchObject({
    count: "1",
  });
  expect(await restJson(server, "/v1/webhook/stats?channel=demo")).toMatchObject({
    targets: [{ accepted: "2", delivered: "1", dead: "0", pending: "1" }],
  });
});

test("a signature lets in to Receive alone", async () => {
  const server = await openWebhookServer({}, { settings });
  expect((await server.send("[]")).status).toBe(200);
  const paths = ["stats", "batches", "batches/x", "deliveries", "dead-letters"];
  const statuses = await Promise.all(
    paths.map(async (path) => (await server.rest(`/v1/webhook/${path}`)).status),
  );
  expect(statuses).toEqual(paths.map(() => 401));
});

test("a server without channels and targets keeps nothing, and says so", async () => {
  const server = await openWebhookServer({ channels: {}, targets: {} });
  const { status, text } = await server.send("[]");
  expect([status, JSON.parse(text)]).toEqual([
    404,
    { return_code: 1, return_message: 'there is no channel "demo"' },
  ]);
  const client = createClient(WebhookReceiver, createGrpcTransport({ baseUrl: server.url }));
  await expect(client.getStats({})).rejects.toMatchObject({
    code: Code.FailedPrecondition,
    rawMessage: "this server stores no messages: webhook.channels and webhook.targets are empty",
  });
  expect(readdirSync(server.data)).toEqual(["backup.sock"]);
  expect(await client.reportClick({ pushId: "ann", rawReceipt: Buffer.from("{}") })).toMatchObject({
    eventName: "ops_push_click",
  });
});
