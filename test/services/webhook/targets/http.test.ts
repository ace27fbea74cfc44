import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { MissingValueError } from "../../../../services/webhook/mapping/template.ts";
import { createHttpTarget, type HttpTargetOptions } from "../../../../services/webhook/targets/http.ts";
import { writeReceived } from "../../../../services/webhook/targets/write.ts";
import { testTarget } from "../../../conformance/target.ts";
import { handedBatch, messageJson } from "../handed.ts";
import { openHttpServer, type TestHttpServer } from "./http-server.ts";

const loopback = createOutbound({ allow: ["127.0.0.0/8"] });

function openTarget(url: string, changes: Partial<HttpTargetOptions> = {}) {
  return createHttpTarget({
    ...{ url, method: "POST", headers: {}, per: "message", maxMessages: 100, write: writeReceived },
    ...{ signingKeys: [], maxConnections: 8, maxAnswerBytes: 1_024, tls: {}, outbound: loopback },
    now: () => 1_700_000_000_500,
    ...changes,
  });
}

async function openRig() {
  const server = await openHttpServer();
  const target = openTarget(server.url);
  const behaviours = {
    later: (response) => response.writeHead(503, { "retry-after": "1" }).end("busy"),
    never: (response) => response.writeHead(410).end("gone"),
    hang: () => {},
    flood: (response) => {
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    },
  } satisfies Record<string, TestHttpServer["answer"]>;
  return {
    target,
    behave(behaviour: keyof typeof behaviours) {
      server.answer = behaviours[behaviour];
    },
    received: () => server.calls.map(({ body }) => parse(body)),
    goAway: server.stop,
    comeBack: server.start,
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function parse(body: string) {
  const [, receipt = ""] = /"#ops_receipt_properties":(.*)\}$/s.exec(body) ?? [];
  return { pushId: (JSON.parse(body) as { push_id: string }).push_id, receipt };
}

testTarget("http", openRig, ["later", "never", "hang", "flood"]);

let server: TestHttpServer;
beforeEach(async () => {
  server = await openHttpServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const { signal } = new AbortController();

it("sends a message as it was received, with its id", async () => {
  await using target = openTarget(server.url, { method: "PUT", headers: { "X-Api-Key": "k" } });
  const text = messageJson("a", '{"ops_project_id":12345678901234567890, "x":1.0}');
  expect(await target.deliver(handedBatch([text]), signal)).toEqual([{ kind: "done" }]);
  expect(server.calls).toEqual([
    {
      ...{ method: "PUT", url: "/messages?x=1", body: text },
      headers: expect.objectContaining({
        "content-type": "application/json",
        "content-length": String(text.length),
        "x-api-key": "k",
        "webhook-id": "msg_b1_0_crm",
      }),
    },
  ]);
});

it("signs exactly the bytes it sends", async () => {
  const key = Buffer.alloc(32, 9);
  await using target = openTarget(server.url, { signingKeys: [key] });
  await target.deliver(handedBatch([messageJson("ä€😀")]), signal);
  const [{ body, headers } = { body: "", headers: {} as Record<string, string> }] = server.calls;
  const signed = `${headers["webhook-id"]}.1700000000.${body}`;
  expect(headers["webhook-signature"]).toBe(
    `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  );
});

it("sends a batch as a list", async () => {
  await using target = openTarget(server.url, { per: "batch" });
  const texts = ["a", "b", "c"].map((pushId) => messageJson(pushId));
  expect(await target.deliver(handedBatch(texts), signal)).toEqual(texts.map(() => ({ kind: "done" })));
  expect(server.calls.map(({ body }) => body)).toEqual([`[${texts.join(",")}]`]);
});

it("leaves messages that can't be written out of a batch", async () => {
  const write: HttpTargetOptions["write"] = ({ element }) => {
    if (element.pushId === "b") throw new MissingValueError("params.name");
    return JSON.stringify(element.pushId);
  };
  await using target = openTarget(server.url, { per: "batch", write });
  const batch = handedBatch(["a", "b", "c"].map((pushId) => messageJson(pushId)));
  expect(await target.deliver(batch, signal)).toEqual([
    { kind: "done" },
    { kind: "dead", reason: "message has no params.name" },
    { kind: "done" },
  ]);
  expect(server.calls.map(({ body }) => body)).toEqual(['["a","c"]']);
});

it("keeps its connection", async () => {
  await using target = openTarget(server.url);
  for (let count = 0; count < 5; count++) await target.deliver(handedBatch([messageJson("a")]), signal);
  expect(server.connections()).toBe(1);
});

it("opens no more connections than it may", async () => {
  await using target = openTarget(server.url, { maxConnections: 2 });
  await Promise.all(
    Array.from({ length: 10 }, () => target.deliver(handedBatch([messageJson("a")]), signal)),
  );
  expect(server.calls).toHaveLength(10);
  expect(server.connections()).toBe(2);
});

it("follows no redirect", async () => {
  server.answer = (response) => response.writeHead(307, { location: "/elsewhere" }).end();
  await using target = openTarget(server.url);
  expect(await target.deliver(handedBatch([messageJson("a")]), signal)).toEqual([
    expect.objectContaining({ kind: "retry", reason: "HTTP 307: redirects are not followed to /elsewhere" }),
  ]);
  expect(server.calls).toHaveLength(1);
});

it.each(["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "localhost"])(
  "connects to %s only when it is allowed",
  async (host) => {
    const url = `http://${host}:${server.port}/`;
    await using target = openTarget(url, { outbound: createOutbound({ allow: [] }) });
    expect(await target.deliver(handedBatch([messageJson("a")]), signal)).toEqual([
      expect.objectContaining({ kind: "retry", reason: expect.stringContaining("not public") }),
    ]);
    expect(server.connections()).toBe(0);
  },
);

it("says what was wrong with the target", async () => {
  server.answer = (response) =>
    response.writeHead(400, { "content-type": "text/plain" }).end("unknown\nuser");
  await using target = openTarget(server.url);
  expect(await target.deliver(handedBatch([messageJson("a")]), signal)).toEqual([
    { kind: "dead", reason: "HTTP 400: unknown user" },
  ]);
});

it("reads a long answer no further than its limit", async () => {
  server.answer = (response) => response.writeHead(400).end("x".repeat(10_000_000));
  await using target = openTarget(server.url);
  const [outcome] = await target.deliver(handedBatch([messageJson("a")]), signal);
  expect(outcome).toEqual({ kind: "dead", reason: expect.stringMatching(/^HTTP 400: x{250,320}…$/) });
});
