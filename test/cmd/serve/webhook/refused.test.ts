import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import {
  type ListRefusalsResponse,
  ListRefusalsResponseSchema,
  RefusalReason,
} from "../../../../gen/engage/webhook/v1/refused_request_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { openForAll } from "../../../open-for-all.ts";
import { openWebhookServer, secret, sign } from "../../webhook-server.ts";

const body = '[{"push_id":"ann","#ops_receipt_properties":{"ops_request_id":"r-1"}}]';

const server = openForAll(async (onEnd) => {
  const running = await openWebhookServer({}, { onEnd });
  const refused = [
    await running.send(body, { headers: { "x-svc-ops-signature": sign(body, `${secret}\n`) } }),
    await running.send(`{"secret":"${secret}"}`),
    await running.send(body, { channel: "nope" }),
    await fetch(`${running.url}/webhook/demo`, { method: "POST", body }),
  ];
  await running.send(body);
  refused.push(await running.send(body.replace("ann", "bob")));
  expect(refused.map(({ status }) => status)).toEqual([401, 400, 404, 401, 409]);
  return running;
});

const typed = (open: (baseUrl: string) => Transport) => (reason: RefusalReason) =>
  createClient(WebhookReceiver, open(server().url)).listRefusals({ reason });

const kinds: readonly (readonly [string, (reason: RefusalReason) => Promise<ListRefusalsResponse>])[] = [
  ["gRPC", typed((baseUrl) => createGrpcTransport({ baseUrl }))],
  ["gRPC-Web", typed((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }))],
  ["Connect", typed((baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }))],
  [
    "REST",
    async (reason) => {
      const { text } = await server().rest(`/v1/webhook/refusals?reason=${reason}`);
      return fromJson(ListRefusalsResponseSchema, JSON.parse(text) as JsonValue);
    },
  ],
];

describe.each(kinds)("over %s", (_name, list) => {
  test("refused requests are listed with their causes, without secrets", async () => {
    const { refusals } = await list(RefusalReason.UNSPECIFIED);
    expect(
      refusals.map((one) => [one.channel, one.reason, one.message, one.cause, Number(one.bodyBytes ?? -1)]),
    ).toEqual([
      [
        "demo",
        RefusalReason.CONFLICT,
        'ops_request_id "r-1" was used before by a batch with another body',
        expect.stringMatching(/^first batch /),
        body.length,
      ],
      [
        "demo",
        RefusalReason.UNAUTHENTICATED,
        'signature is missing, valid headers are "x-svc-ops-signature"',
        "",
        -1,
      ],
      ["nope", RefusalReason.UNKNOWN_CHANNEL, 'there is no channel "nope"', "", -1],
      ["demo", RefusalReason.BAD_BODY, expect.stringContaining("array"), "", secret.length + 13],
      [
        "demo",
        RefusalReason.UNAUTHENTICATED,
        "signature mismatch",
        "signed with the secret and a newline after it",
        body.length,
      ],
    ]);
    expect(refusals.map((one) => Buffer.from(one.body).toString())).toEqual([
      body.replace("ann", "bob"),
      "",
      "",
      `{"secret":"${"*".repeat(secret.length)}"}`,
      body,
    ]);
  });

  test("refused requests are filtered", async () => {
    expect((await list(RefusalReason.UNKNOWN_CHANNEL)).refusals).toHaveLength(1);
  });
});
