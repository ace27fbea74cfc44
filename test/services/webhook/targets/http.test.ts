import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { compileHeader } from "../../../../services/webhook/mapping/header-template.ts";
import { MissingValueError } from "../../../../services/webhook/mapping/template.ts";
import { compileUrl } from "../../../../services/webhook/mapping/url-template.ts";
import { createHttpTarget, type HttpTargetOptions } from "../../../../services/webhook/targets/http.ts";
import type { TargetAnswer } from "../../../../services/webhook/targets/target.ts";
import { writeReceived } from "../../../../services/webhook/targets/write.ts";
import { testTarget } from "../../../conformance/target.ts";
import { handedBatch, messageJson } from "../handed.ts";
import { openHttpServer, type TestHttpServer } from "./http-server.ts";

const loopback = createOutbound({ allow: ["127.0.0.0/8"] });

function openTarget(url: string, changes: Partial<HttpTargetOptions> = {}) {
  return createHttpTarget({
    url,
    method: "POST",
    headers: {},
    per: "message",
    maxMessages: 100,
    write: writeReceived,
    signingKeys: [],
    maxConnections: 8,
    maxAnswerBytes: 1_024,
    tls: {},
    outbound: loopback,
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
      const more = (): void => {
        if (response.destroyed) return;
        if (response.write(Buffer.alloc(65_536))) setImmediate(more);
        else response.once("drain", more);
      };
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
      method: "PUT",
      url: "/messages?x=1",
      body: text,
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

describe("placeholders", () => {
  const message = JSON.stringify({
    push_id: "a/b?c=d&e%2e#ü",
    params: {
      dots: "..",
      line: "x\r\nX-Evil: 1",
      nul: "a\0b",
      empty: "",
      long: "y".repeat(20_000),
      title: "Grüße, Zoë",
    },
    "#ops_receipt_properties": {},
  });
  const rules = { missing: "fail", isForBatch: false } as const;

  it.each([
    ["/hook/{push_id}", "/hook/a%2Fb%3Fc%3Dd%26e%252e%23%C3%BC"],
    ["/a b/{params.empty}/z?q={push_id}&n=1", "/a%20b//z?q=a%2Fb%3Fc%3Dd%26e%252e%23%C3%BC&n=1"],
    ["/x.{params.dots}", "/x..."],
    ["/{{x}}/{@channel}", "/%7Bx%7D/mail"],
  ])("of the path %s are encoded", async (path, expected) => {
    const url = `http://127.0.0.1:${server.port}${path}`;
    await using target = openTarget(url, { path: compileUrl(url, rules) });
    expect(await target.deliver(handedBatch([message]), signal)).toEqual([{ kind: "done" }]);
    expect(server.calls.map((call) => call.url)).toEqual([expected]);
  });

  it("of headers are sent as UTF-8", async () => {
    const headers = { "x-title": compileHeader("x-title", "{params.title} {{}}", rules) };
    await using target = openTarget(server.url, { headers });
    await target.deliver(handedBatch([message]), signal);
    const [call] = server.calls;
    expect(Buffer.from(String(call!.headers["x-title"]), "latin1").toString("utf8")).toBe("Grüße, Zoë {}");
  });

  it.each([
    ["a path segment of dots", "/{params.dots}", "", 'message makes a path segment "." or ".." of url'],
    ["a long path", "/{params.long}", "", "message makes url 20001 characters long, at most 16384 are sent"],
    ["no value", "/{params.nope}", "", "message has no params.nope"],
    ["a line end in a header", "/", "{params.line}", "message has a control character for header x"],
    ["a NUL in a header", "/", "{params.nul}", "message has a control character for header x"],
    ["a long header", "/", "{params.long}", "message has 20000 bytes for header x, at most 8192 are valid"],
  ])("with %s make a dead letter, and no request", async (_name, path, header, reason) => {
    const url = `http://127.0.0.1:${server.port}${path}`;
    const headers = { x: compileHeader("x", header, rules) };
    await using target = openTarget(url, { path: compileUrl(url, rules), headers });
    expect(await target.deliver(handedBatch([message]), signal)).toEqual([{ kind: "dead", reason }]);
    expect(server.calls).toEqual([]);
  });
});

describe("what the target answered", () => {
  async function answersOf(text: string, changes: Partial<HttpTargetOptions> = {}) {
    await using server = await openHttpServer();
    server.answer = (response) => response.writeHead(409).end(text);
    await using target = openTarget(server.url, changes);
    const answers: TargetAnswer[] = [];
    const { signal } = new AbortController();
    const outcomes = await target.deliver(handedBatch([messageJson("a")]), signal, (answer) =>
      answers.push(answer),
    );
    return { answers, outcomes };
  }

  it("is given with its status", async () => {
    expect((await answersOf("taken")).answers).toEqual([{ status: 409, text: "taken" }]);
  });

  it("contains no secret of the headers, and neither does the reason", async () => {
    const headers = { authorization: "Bearer secret-of-header", "x-key": "another-secret", "x-short": "ab" };
    const text = "Bearer secret-of-header, secret-of-header, another-secret, ab";
    expect(await answersOf(text, { headers })).toEqual({
      answers: [{ status: 409, text: "***, ***, ***, ab" }],
      outcomes: [{ kind: "dead", reason: "HTTP 409: ***, ***, ***, ab" }],
    });
  });

  it("masks other headers from 8 characters on", async () => {
    const headers = { "x-version": "1000000", "x-shop": "1000000-a", "x-api-key": "abcdef" };
    const { answers } = await answersOf('{"id":10000001,"shop":"1000000-a","key":"abcdef"}', { headers });
    expect(answers).toMatchObject([{ text: '{"id":10000001,"shop":"***","key":"***"}' }]);
  });

  it("contains no secret in the target of a redirect", async () => {
    await using server = await openHttpServer();
    server.answer = (response) => response.writeHead(302, { location: "/?key=secret%20of%2Bheader" }).end();
    await using target = openTarget(server.url, { headers: { "x-key": "secret of+header" } });
    const outcomes = await target.deliver(handedBatch([messageJson("a")]), new AbortController().signal);
    expect(outcomes).toMatchObject([{ reason: "HTTP 302: redirects are not followed to /?key=***" }]);
  });

  it("is not given when there was none", async () => {
    await using target = openTarget("http://127.0.0.1:1/");
    const answers: TargetAnswer[] = [];
    await target.deliver(handedBatch([messageJson("a")]), new AbortController().signal, (one) =>
      answers.push(one),
    );
    expect(answers).toEqual([]);
  });
});
