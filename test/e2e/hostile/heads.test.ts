import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { openWebhookServer } from "../../cmd/webhook-server.ts";
import { openForAll } from "../../open-for-all.ts";
import { openHttp2, sendHttp1, sendHttp2 } from "../raw.ts";

const token = "token-of-all";
const settings = {
  projects: [{ id: 1, appids: ["app-1"] }],
  analysis: { tokens: [{ name: "all", token, projects: "*" }] },
  auth: { mode: "keys", keys: [{ name: "k", sha256: "0".repeat(64) }] },
};
const channels = {
  demo: { secrets: [{ value: "a secret of the test" }], targets: ["pulled"] },
  other: { auth: "off", headers: { "x-key": "k" }, targets: ["pulled"] },
};

const shared = openForAll((onEnd) => openWebhookServer({ channels }, { settings, onEnd }));

const noToken = '{"return_code":-1008,"return_message":"Parameter (token) is empty"}';
const badToken = '{"return_code":-1002,"return_message":"the token is unknown"}';

/** Nothing of the body is sent, so none of it can have been read. */
test.each<[path: string, headers: Record<string, string>, status: number, body: string]>([
  ["/open/event-analyze", {}, 200, noToken],
  ["/open/event-analyze?token=", {}, 200, noToken],
  ["/open/event-analyze?token=%zz", {}, 200, noToken],
  ["/open/event-analyze?token=x", {}, 200, badToken],
  ["/open/event-analyze?token=x", { authorization: `Bearer ${token}` }, 200, badToken],
  ["/open/event-analyze", { authorization: "Bearer x" }, 200, badToken],
  ["/open/event-analyze", { "content-encoding": "br" }, 200, noToken],
  ["/open/event-user-list", {}, 200, noToken],
  ["/open/streaming-download/event-analyze", {}, 200, noToken],
  ["/open/streaming-download/event-user-list?token=x", {}, 200, badToken],
  ["/open/funnel-analyze", {}, 200, "larger than the limit of 65536 bytes"],
  ["/webhook/nope", {}, 404, 'there is no channel \\"nope\\"'],
  ["/webhook/demo", {}, 401, 'signature is missing, valid headers are \\"x-svc-ops-signature\\"'],
  ["/webhook/other", { "x-key": "wrong" }, 401, 'header \\"x-key\\" is missing or wrong'],
  ["/webhook/demo", { "x-svc-ops-signature": "x" }, 413, "larger than the limit of"],
  ["/v1/channels:test", {}, 401, "this call needs a key"],
  ["/engage.channel.v1.ChannelSender/TestChannel", {}, 401, "this call needs a key"],
])("%s %j is answered %i before the body", async (path, headers, status, body) => {
  const { url, address } = shared();
  const head = { "content-type": "application/json", "content-length": "90000000", ...headers };
  const answer = await sendHttp1(address.port, `POST ${path}`, head);
  expect([answer.status, `${answer.body}`]).toEqual([status, expect.stringContaining(body)]);
  using request = openHttp2(url, { ":path": path, ...head });
  const http2 = await request.answer;
  expect([http2.status, `${http2.body}`]).toEqual([status, expect.stringContaining(body)]);
});

test.each([
  ["/open/event-analyze", `token=${token}`, '"return_code":-1001'],
  ["/open/event-analyze", "token=x", '"return_code":-1002'],
  ["/open/funnel-analyze", `token=${token}`, "nothing is served at"],
  ["/open/funnel-analyze", "token=x", "larger than the limit of 65536 bytes"],
])("%s?%s: a body that inflates to millions of values is refused", async (path, query, text) => {
  const { url } = shared();
  const body = brotliCompressSync(`{"a":1234567890123456,"b":[${"[],".repeat(5_000_000)}[]]}`);
  const headers = { "content-type": "application/json", "content-encoding": "br" };
  const answer = await sendHttp2(url, { ":path": `${path}?${query}`, ...headers }, body);
  expect(`${answer.body}`).toContain(text);
});

test("refusals by the head are counted like those by the body", async () => {
  const server = await openWebhookServer({ channels }, { settings });
  await server.send("[]", { channel: "nope" });
  await server.send("[]", { headers: { "x-svc-ops-signature": "x" } });
  await fetch(`${server.url}/webhook/demo`, { method: "POST", body: "[]" });
  await server.rest("/open/event-analyze", {});
  const { text } = await server.rest("/metrics");
  for (const line of [
    'engage_webhook_refused_batches_total{channel="(unknown)",reason="unknown_channel"} 1',
    'engage_webhook_refused_batches_total{channel="demo",reason="unauthenticated"} 2',
    'engage_analysis_queries_total{operation="analyze",engine="none",outcome="no_token"} 1',
  ])
    expect(text).toContain(line);
});
