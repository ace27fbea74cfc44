import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refuse } from "../../../gateway/call/refusals.ts";
import { createGateway, type Gateway } from "../../../gateway/gateway.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { serve } from "../../../gateway/methods.ts";
import { decodeJson } from "../../../gateway/rest/json-message.ts";
import { WebhookMessageSchema } from "../../../gen/engage/webhook/v1/message_pb.ts";
import { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { Channel } from "../../../services/webhook/channels.ts";
import { createReceiveAdmitCaller } from "../../../services/webhook/receive/admit.ts";
import { createWebhookCodecs } from "../../../services/webhook/rest-codecs.ts";
import { createReceiveMethod } from "../../../services/webhook/webhook.ts";
import { InboxUnavailableError } from "../../../store/inbox/inbox.ts";
import { batchOf, readBody } from "./bodies.ts";
import { createRig, type ReceiverRig, sign } from "./receiver.ts";

const success = '{"return_code":0,"return_message":"success","data":{"fail_list":[]}}';
/** w010 has the same id as w001. */
const conflict =
  '{"return_code":1,"return_message":"ops_request_id \\"f7b66eb7-3363-4a46-a402-601a64b45f76\\" was used before by a batch with another body"}';
let rig: ReceiverRig;
let gateway: Gateway;
let url = "";

beforeAll(async () => {
  rig = createRig({ maxBytes: 4_000 });
  const method = createReceiveMethod({
    receive: rig.receive,
    channels: rig.channels,
    callerOf: (context) => context.requestHeader.get("x-caller") ?? undefined,
    tooLarge: (message) => refuse("MESSAGE_TOO_LARGE", Code.ResourceExhausted, message),
  });
  gateway = createGateway({
    services: [serve(WebhookReceiver, method)],
    limits: { ...defaultLimits, maxMessageBytes: 8_000 },
    authorize: () => {},
    observers: [],
    reportFault: (error) => {
      throw error;
    },
    codecs: createWebhookCodecs(decodeJson),
    pages: {
      checks: () => ({}),
      metrics: { contentType: "text/plain", text: async () => "" },
      reportFault: () => {},
    },
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => gateway.drain(0));

async function post(
  body: string | Buffer,
  { path = "/webhook/demo", headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const bytes = Buffer.from(body as string);
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    body: new Uint8Array(bytes),
    headers: { "content-type": "application/json", "x-svc-ops-signature": sign(bytes), ...headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe("over REST", () => {
  it.each([
    ["w001_manual_sample_full.json", success],
    ["w010_array_row_and_string_numbers.json", conflict],
    ["w004_empty_receipt.json", success],
    ["w007_empty_array.json", success],
    ["w009_journey.json", success],
  ])("%s", async (file, reply) => {
    expect((await post(readBody(file))).text).toBe(reply);
  });

  it("w005: one list with the three failures", async () => {
    const { status, text, headers } = await post(readBody("w005_three_bad_elements.json"));
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(text).toBe(
      '{"return_code":0,"return_message":"success","data":{"fail_list":[{"index":1,"message":"push_id is required"},' +
        '{"index":2,"message":"#ops_receipt_properties is required"},{"index":3,"message":"params must be an object when provided"}]}}',
    );
  });

  const refused: [what: string, status: number, message: string, call: () => ReturnType<typeof post>][] = [
    ["an unknown channel", 404, 'there is no channel "nope"', () => post("[]", { path: "/webhook/nope" })],
    [
      "another secret",
      401,
      "signature mismatch",
      () => post("[]", { headers: { "x-svc-ops-signature": sign(Buffer.from("[]"), "x") } }),
    ],
    [
      "an object",
      400,
      "body must be an array of messages, found an object",
      () => post(readBody("w006_not_an_array.json")),
    ],
    [
      "no JSON",
      400,
      'body is not valid JSON: expected "null", found "o" at line 1, column 2 (byte 1)',
      () => post("nope"),
    ],
    [
      "a body beyond the channel's limit",
      413,
      "body of 4002 bytes is larger than the limit of 4000",
      () => post(`[${" ".repeat(4_000)}]`),
    ],
    [
      "a body beyond the server's limit",
      413,
      "the request message of 9002 bytes is larger than the limit of 8000 bytes",
      () => post(`[${" ".repeat(9_000)}]`),
    ],
  ];
  it.each(refused)("%s: %i", async (_what, status, message, call) => {
    const answer = await call();
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      { return_code: 1, return_message: message },
    ]);
  });

  it("the same id with another body: 409", async () => {
    expect((await post(batchOf(["a"], "r-409"))).text).toBe(success);
    const { status, text } = await post(batchOf(["b"], "r-409"));
    expect([status, JSON.parse(text)]).toEqual([
      409,
      {
        return_code: 1,
        return_message: 'ops_request_id "r-409" was used before by a batch with another body',
      },
    ]);
  });

  it("while the inbox is unavailable: 503 with the time to wait", async () => {
    rig.inbox.failWith(new InboxUnavailableError("EIO"));
    const { status, text, headers } = await post(batchOf(["a"], "r-503"));
    rig.inbox.failWith(undefined);
    expect([status, headers.get("retry-after"), JSON.parse(text)]).toEqual([
      503,
      "5",
      { return_code: 1, return_message: "the inbox is unavailable" },
    ]);
  });

  it("a repeat is answered byte for byte", async () => {
    const body = batchOf(["a", ""], "r-again");
    const replies = [await post(body), await post(body)].map(({ text }) => text);
    expect(replies[1]).toBe(replies[0]);
    expect(replies[0]).toContain("push_id is required");
  });
});

describe.each([
  ["gRPC", () => createGrpcTransport({ baseUrl: url })],
  ["Connect", () => createConnectTransport({ baseUrl: url, httpVersion: "2" })],
  [
    "Connect with JSON",
    () => createConnectTransport({ baseUrl: url, httpVersion: "1.1", useBinaryFormat: false }),
  ],
])("over %s", (name, transport) => {
  const headers = { "x-caller": "mailer" };
  const message = (pushId: string, receipt = "{}") =>
    create(WebhookMessageSchema, { pushId, rawReceipt: Buffer.from(receipt) });

  it("typed messages are accepted with their receipts byte for byte", async () => {
    const client = createClient(WebhookReceiver, transport());
    const receipt = '{"n":1.0,"ops_project_id":9007199254740993}';
    const messages = [message("a", receipt), message(""), message("b", "[]")];
    const answer = await client.receive({ channel: "demo", messages }, { headers });
    expect(answer).toMatchObject({ returnCode: 0, returnMessage: "success" });
    expect(answer.data?.failList).toMatchObject([
      { index: 2, message: "push_id is required" },
      { index: 3, message: "raw_receipt must be one JSON object" },
    ]);
    const batch = rig.inbox.stored.at(-1)!;
    const [element] = batch.elements;
    expect(Buffer.from(batch.body).toString("utf8", element!.receiptStart, element!.receiptEnd)).toBe(
      receipt,
    );
  });

  it("a repeat has the reply of the first time", async () => {
    const client = createClient(WebhookReceiver, transport());
    const batch = {
      channel: "demo",
      messages: [message("a", `{"ops_request_id":"again ${name}"}`), message("")],
    };
    const first = await client.receive(batch, { headers });
    expect(await client.receive(batch, { headers })).toEqual(first);
  });

  const refused: [what: string, channel: string, pushIds: string[], headers: object, code: Code][] = [
    ["callers that nobody knows", "demo", ["a"], {}, Code.Unauthenticated],
    ["an unknown channel", "nope", ["a"], { "x-caller": "mailer" }, Code.NotFound],
    [
      "batches beyond the channel's limit",
      "demo",
      Array(501).fill(""),
      { "x-caller": "mailer" },
      Code.ResourceExhausted,
    ],
  ];
  it.each(refused)("%s are refused", async (_what, channel, pushIds, callHeaders, code) => {
    const client = createClient(WebhookReceiver, transport());
    const messages = pushIds.map((pushId) => message(pushId));
    const call = client.receive({ channel, messages }, { headers: { ...callHeaders } });
    await expect(call).rejects.toMatchObject({ code });
  });
});

describe("typed batches of callers that are not known are refused unread", () => {
  const signed = { secrets: [] } as unknown as Channel;
  const open = { secrets: undefined } as unknown as Channel;
  it.each([
    ["where every channel has secrets", [signed, signed], "anonymous", Code.Unauthenticated],
    ["but not of callers with a key", [signed], "key", undefined],
    ["nor of those with a certificate", [signed], "certificate", undefined],
    ["nor where a channel is open", [signed, open], "anonymous", undefined],
    ["nor where there is no channel", [], "anonymous", undefined],
  ])("%s", (_name, channels, kind, code) => {
    const admit = createReceiveAdmitCaller(new Map(channels.map((channel, at) => [`${at}`, channel])));
    let found: Code | undefined;
    try {
      admit({ kind });
    } catch (error) {
      found = ConnectError.from(error).code;
    }
    expect(found).toBe(code);
  });
});
