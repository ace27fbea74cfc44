import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { RefusalReason } from "../../../../gen/engage/webhook/v1/refused_request_pb.ts";
import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { Refusal } from "../../../../services/webhook/receive/refusal.ts";
import { createRefusalMethod } from "../../../../services/webhook/refused/method.ts";
import { createRefusedRequests } from "../../../../services/webhook/refused/refused-requests.ts";

function openService(run = "first") {
  const refused = createRefusedRequests({ channels: new Map(), now: () => 1_500 });
  for (const name of ["a", "b", "a", "b", "a"]) {
    refused.add(name, new Refusal("unknown_channel", `there is no channel "${name}"`));
  }
  refused.add("b", new Refusal("bad_body", "body is no array", { detail: "d" }), Buffer.from("{}"));
  const methods = createRefusalMethod({ refused, run });
  return createClient(
    WebhookReceiver,
    createRouterTransport((router) => router.service(WebhookReceiver, methods)),
  );
}

it("lists refused requests, the newest first", async () => {
  const { refusals, nextPageToken } = await openService().listRefusals({ pageSize: 1 });
  expect(refusals).toMatchObject([
    {
      number: 6n,
      time: { seconds: 1n, nanos: 500_000_000 },
      channel: "b",
      reason: RefusalReason.BAD_BODY,
      message: "body is no array",
      cause: "d",
      body: new Uint8Array(Buffer.from("{}")),
      bodyBytes: 2n,
    },
  ]);
  expect(nextPageToken).not.toBe("");
});

it("goes from page to page with a filter", async () => {
  const service = openService();
  const seen: bigint[] = [];
  let pageToken = "";
  do {
    const page = await service.listRefusals({
      channel: "a",
      reason: RefusalReason.UNKNOWN_CHANNEL,
      pageSize: 2,
      pageToken,
    });
    seen.push(...page.refusals.map(({ number }) => number));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  expect(seen).toEqual([5n, 3n, 1n]);
});

it.each<[string, (token: string) => Promise<unknown>, string]>([
  [
    "a reason that is none",
    () => openService().listRefusals({ reason: 9 as RefusalReason }),
    "reason is 9, valid are 1",
  ],
  ["a page too large", () => openService().listRefusals({ pageSize: 1_001 }), "page_size is 1001"],
  [
    "the page of another filter",
    (pageToken) => openService().listRefusals({ pageToken, channel: "a" }),
    "page_token is not one of this list",
  ],
  [
    "the page of another run",
    (pageToken) => openService("second").listRefusals({ pageToken }),
    "page_token is not one of this list",
  ],
  [
    "a forged page",
    (pageToken) => {
      const [mark] = Buffer.from(pageToken, "base64url").toString().split(" ");
      return openService().listRefusals({ pageToken: Buffer.from(`${mark} x`).toString("base64url") });
    },
    "page_token is not one of this list",
  ],
])("refuses %s", async (_name, call, message) => {
  const { nextPageToken } = await openService().listRefusals({ pageSize: 1 });
  const error = ConnectError.from(await call(nextPageToken).catch((reason: unknown) => reason));
  expect([error.code, error.rawMessage]).toEqual([Code.InvalidArgument, expect.stringContaining(message)]);
});
