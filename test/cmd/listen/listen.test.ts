import { once } from "node:events";
import http from "node:http";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { createOutbound } from "../../../base/net/outbound.ts";
import { openListener } from "../../../cmd/listen/server.ts";
import { formatSeen } from "../../../cmd/listen/table.ts";
import { createExchange } from "../../../services/channel/exchange/exchange.ts";
import { batchOf } from "../../services/webhook/bodies.ts";
import { listen, secret } from "../listener.ts";
import { openRawServer } from "../raw-server.ts";
import { startEngage } from "../run-engage.ts";
import { sign } from "../webhook-server.ts";

async function post(url: string, body: string | Buffer, signature = sign(body, secret)) {
  const headers = { "content-type": "application/json", "x-svc-ops-signature": signature };
  const response = await fetch(url, { method: "POST", body: String(body), headers });
  return { status: response.status, text: await response.text() };
}

function failList(...entries: readonly (readonly [index: number, message: string])[]): string {
  const list = entries.map(([index, message]) => ({ index, message }));
  return JSON.stringify({ return_code: 0, return_message: "success", data: { fail_list: list } });
}

describe("answers", () => {
  const configured = { fail: [], returnCode: 0, status: 200, isEmpty: false };
  const body = batchOf(["ann", "", "bob"], "r-1");
  const missing = [2, "push_id is required"] as const;
  const table: [name: string, answer: object, status: number, text: string][] = [
    ["by the contract", {}, 200, failList(missing)],
    [
      "with failures",
      { fail: [3, 0] },
      200,
      failList([0, "failed as configured"], missing, [3, "failed as configured"]),
    ],
    ["with a status", { status: 503 }, 503, failList(missing)],
    ["with nothing", { isEmpty: true }, 200, ""],
    [
      "with a return_code",
      { returnCode: 7 },
      200,
      '{"return_code":7,"return_message":"failed as configured","data":{"fail_list":[{"index":2,"message":"push_id is required"}]}}',
    ],
  ];
  test.each(table)("%s", async (_name, answer, status, text) => {
    const { url } = await listen({ response: { ...configured, ...answer } });
    expect(await post(url, body)).toEqual({ status, text });
  });

  const refusals: [name: string, body: string, signature: string, status: number, why: string][] = [
    ["a wrong signature", "[]", "0".repeat(40), 401, "signature mismatch"],
    ["no JSON", "[", sign("[", secret), 400, "found the end of the text"],
    ["no array", "{}", sign("{}", secret), 400, "body must be an array of messages, found an object"],
  ];
  test.each(refusals)("refuses %s", async (_name, refused, signature, status, why) => {
    const { url } = await listen();
    const { status: given, text } = await post(url, refused, signature);
    expect([given, JSON.parse(text)]).toEqual([
      status,
      { return_code: 1, return_message: expect.stringContaining(why) },
    ]);
  });

  test.each<[what: string, method: string, headers: Record<string, string>, status: number, why: string]>([
    ["a page of another site", "POST", { origin: "https://evil.example" }, 403, "web pages"],
    ["a page of its own address", "POST", { "sec-fetch-site": "same-origin" }, 403, "web pages"],
    ["another method", "GET", {}, 405, "method GET is not accepted, valid is POST"],
    ["a large body", "POST", { "content-length": "67108865" }, 413, "body is larger than 67108864 bytes"],
  ])("refuses %s, and hands nothing on", async (_what, method, headers, status, why) => {
    const calls: unknown[] = [];
    const exchange = async (call: unknown) => {
      calls.push(call);
      return { kind: "connection", message: "" } as const;
    };
    const { url, seen } = await listen({ exchange });
    const request = http.request(url, { method, headers });
    request.on("error", () => undefined).flushHeaders();
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    expect(response.statusCode).toBe(status);
    expect(await json(response)).toEqual({ return_code: 1, return_message: expect.stringContaining(why) });
    request.destroy();
    expect([calls, seen]).toEqual([[], []]);
  });

  test("what is under way when it ends", async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const listener = await openListener({
      port: 0,
      secret,
      headerName: "X-SVC-OPS-Signature",
      delayMs: 0,
      onSeen: () => undefined,
      response: configured,
      async exchange() {
        asked.resolve();
        await answered.promise;
        return { kind: "response", status: 200, headers: {}, text: "{}", isTruncated: false };
      },
    });
    const call = post(listener.url, "[]");
    await asked.promise;
    const ended = listener[Symbol.asyncDispose]();
    answered.resolve();
    expect(await call).toEqual({ status: 200, text: "{}" });
    await ended;
  });

  test("a repeat as the first time, and refuses another body with its id", async () => {
    const { url, seen } = await listen();
    const first = await post(url, body);
    expect(await post(url, body)).toEqual(first);
    expect((await post(url, batchOf(["eve"], "r-1"))).status).toBe(409);
    await expect.poll(() => seen.map(({ repeat }) => repeat)).toEqual([undefined, "same", "other"]);
  });
});

describe("what is shown", () => {
  test("a batch as a table", async () => {
    const { url, seen } = await listen();
    const receipt = { ops_request_id: "r-1" };
    const messages = [
      {
        push_id: "ann",
        params: { title: "hello", items: [{ id: "1" }] },
        "#ops_receipt_properties": receipt,
      },
      { push_id: "\u001b[31mbob", params: null, "#ops_receipt_properties": receipt },
      { push_id: "", custom_params: { level: "3" }, "#ops_receipt_properties": receipt },
    ];
    await post(url, JSON.stringify(messages));
    await expect.poll(() => seen.length).toBe(1);
    const text = formatSeen({ ...seen[0]!, time: "2026-01-02T03:04:05.678Z", ms: 7 });
    expect(text.split("\n")).toEqual([
      "03:04:05.678  POST /  3 messages, 307 bytes",
      "  request id  r-1",
      "  signature   matches",
      '  receipt     {"ops_request_id":"r-1"}',
      "  #  PUSH ID        PARAMS                           CUSTOM PARAMS  FAULT",
      '  1  ann            title=hello, items=[{"id":"1"}]',
      "  2  \\u001b[31mbob  null",
      "  3                                                  level=3        push_id is required",
      expect.stringMatching(/^ {2}response {4}HTTP 200 after 7 ms: \{"return_code":0,/),
      "",
      "",
    ]);
  });

  const causes: [name: string, sent: string, signed: string, words: string][] = [
    [
      "a body that was written again",
      '[{"a": 1}]',
      sign('[{"a":1}]', secret),
      "signed before the body was written again",
    ],
    ["another secret", "[]", sign("[]", "other"), "no other known cause fits"],
    ["no hexadecimal", "[]", "bad", "the value is neither hexadecimal nor base64"],
  ];
  test.each(causes)("the cause of a mismatch: %s", async (_name, sent, signed, words) => {
    const { url, seen } = await listen();
    await post(url, sent, signed);
    await expect.poll(() => seen.map(({ signature }) => signature)).toEqual([expect.stringContaining(words)]);
  });

  test("what a batch of another secret holds", async () => {
    const { url, seen } = await listen();
    await post(url, batchOf(["ann"]), sign(batchOf(["ann"]), "other"));
    await expect.poll(() => seen).toMatchObject([{ answer: { status: 401 }, messages: [{ pushId: "ann" }] }]);
  });

  test("twenty messages, and how many more", async () => {
    const { url, seen } = await listen({ secret: undefined });
    await post(url, batchOf(Array.from({ length: 23 }, (_, at) => `user-${at}`)));
    await expect.poll(() => seen.length).toBe(1);
    const text = formatSeen(seen[0]!);
    expect(text).toContain("\n  and 3 more\n");
    expect(text).toContain("\n  signature   not verified\n");
  });
});

describe("forwarding", () => {
  const forwardTo = (url: string) =>
    createExchange({
      url,
      maxConnections: 1,
      maxResponseBytes: 1_000,
      outbound: createOutbound({ allow: ["127.0.0.0/8"] }),
    });

  test("hands on bytes and headers, and the answer back", async () => {
    const body = batchOf(["ann"], "r-1");
    const target = await openRawServer(
      (received) => received.endsWith("]"),
      (socket) => socket.end("HTTP/1.1 418 Teapot\r\nContent-Length: 2\r\n\r\n{}"),
    );
    using open = forwardTo(target.url);
    const { url, seen } = await listen({ exchange: open.exchange });
    expect(await post(url, body)).toEqual({ status: 418, text: "{}" });
    expect(target.received()).toContain(`x-svc-ops-signature: ${sign(body, secret)}\r\n`);
    expect(target.received().endsWith(body.toString())).toBe(true);
    await expect.poll(() => seen.map(({ signature }) => signature)).toEqual(["matches"]);
  });

  test("reports a missing server", async () => {
    using open = forwardTo("http://127.0.0.1:1/");
    const { url } = await listen({ exchange: open.exchange });
    expect(await post(url, "[]")).toEqual({
      status: 502,
      text: '{"return_code":1,"return_message":"not forwarded: connection refused by 127.0.0.1:1"}',
    });
  });
});

test("the command says where it listens, shows batches and ends on a signal", async () => {
  const child = startEngage(["listen", "--port", "0", "--secret", secret, "--fail", "1"]);
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  const [, url = ""] =
    /^listening on (http:\S+), signatures are verified; press Ctrl-C to stop$/.exec(String(first)) ?? [];
  expect((await post(url, batchOf(["ann"], "r-1"))).text).toBe(failList([1, "failed as configured"]));
  expect((await lines.next()).value).toMatch(/ {2}POST \/ {2}1 message, \d+ bytes$/);
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});
