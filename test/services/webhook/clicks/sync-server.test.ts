import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { createSyncServer } from "../../../../services/webhook/clicks/sync-server.ts";
import type { RecordReceiver } from "../../../../store/records/records.ts";
import { openIngestServer } from "../ingest-server.ts";

const never = new AbortController().signal;
const records = ['{"b":1.0,"a":9007199254740993}', '{"2":"\\u00e9","1":"é","b":{ "x" : [ ] }}'];
const bytes = records.map((text) => Buffer.from(text));

function receiverOf(url: string, options: { allow?: string[]; timeoutMs?: number } = {}): RecordReceiver {
  const { allow = ["127.0.0.1"], timeoutMs = 10_000 } = options;
  const outbound = createOutbound({ allow });
  const receiver = createSyncServer({ url, appid: "APP_ID", timeoutMs, outbound, now: () => 0 });
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

describe("a call", () => {
  it.each(["", "/", "/base", "/base//"])("goes to /sync_server after the path %j", async (path) => {
    await using ingest = await openIngestServer();
    await receiverOf(`${ingest.url}${path}`).send(bytes, never);
    expect(ingest.calls.map((call) => call.path)).toEqual([`${path.replace(/\/+$/, "")}/sync_server`]);
  });

  it("is a gzip array of the records byte for byte", async () => {
    await using ingest = await openIngestServer();
    expect(await receiverOf(ingest.url).send(bytes, never)).toEqual({ kind: "taken" });
    expect(ingest.calls.map(({ text }) => text)).toEqual([`[${records.join(",")}]`]);
  });

  it("has the form of the SDKs' calls (t014)", async () => {
    const file = new URL("../../../testdata/cases/t014_sync_server_gzip_wire.json", import.meta.url);
    const known = JSON.parse(readFileSync(file, "utf8"));
    const body = gunzipSync(Buffer.from(known.body_base64, "base64")).toString();
    await using ingest = await openIngestServer();
    ingest.reply = () => ({ text: JSON.stringify(known.expect) });
    const record = Buffer.from(body.slice(1, -1));
    expect(await receiverOf(ingest.url).send([record], never)).toEqual({ kind: "taken" });
    const [{ text, headers } = { text: "", headers: {} }] = ingest.calls;
    expect(text).toBe(body);
    expect(headers).toMatchObject({
      "content-type": known.headers["Content-Type"],
      appid: known.headers.appid,
      compress: known.headers.compress,
    });
    expect(headers).not.toHaveProperty("content-encoding");
  });
});

test.each([
  [200, '{"code":0}', { kind: "taken" }],
  [200, '{"code":0,"msg":"ok"}', { kind: "taken" }],
  [200, '{"code":-1}', { kind: "refused", reason: 'HTTP 200: {"code":-1}' }],
  [400, '{"code":-1}', { kind: "refused", reason: 'HTTP 400: {"code":-1}' }],
  [413, "too large", { kind: "refused", reason: "HTTP 413: too large" }],
  [200, '{"code":-2}', { kind: "unknown_appid", reason: 'HTTP 200: {"code":-2}' }],
  [200, '{"code":-1000}', { kind: "retry", reason: 'HTTP 200: {"code":-1000}' }],
  [200, '{"code":"0"}', { kind: "retry", reason: 'HTTP 200: {"code":"0"}' }],
  [200, "", { kind: "retry", reason: "HTTP 200" }],
  [200, "<html>", { kind: "retry", reason: "HTTP 200: an HTML page without a title" }],
  [200, "null", { kind: "retry", reason: "HTTP 200: null" }],
  [302, '{"code":-1}', { kind: "retry", reason: 'HTTP 302: {"code":-1}' }],
  [404, "not found", { kind: "retry", reason: "HTTP 404: not found" }],
  [404, '{"code":0}', { kind: "retry", reason: 'HTTP 404: {"code":0}' }],
  [500, '{"code":0}', { kind: "retry", reason: 'HTTP 500: {"code":0}' }],
  [503, '{"code":-1}', { kind: "retry", reason: 'HTTP 503: {"code":-1}' }],
])("an answer of %i with %s is understood", async (status, text, outcome) => {
  await using ingest = await openIngestServer();
  ingest.reply = () => ({ status, text });
  expect(await receiverOf(ingest.url).send(bytes, never)).toEqual(outcome);
});

describe("a receiver that is unavailable", () => {
  it("names the time to come again", async () => {
    await using ingest = await openIngestServer();
    ingest.reply = () => ({ status: 503, text: "", headers: { "retry-after": "7" } });
    const outcome = await receiverOf(ingest.url).send(bytes, never);
    expect(outcome).toEqual({ kind: "retry", reason: "HTTP 503", afterMs: 7_000 });
  });

  it("is tried again when no server listens", async () => {
    const ingest = await openIngestServer();
    await ingest[Symbol.asyncDispose]();
    expect(await receiverOf(ingest.url).send(bytes, never)).toMatchObject({
      kind: "retry",
      reason: expect.stringContaining("connection refused"),
    });
  });

  it("is tried again when it hangs up", async () => {
    await using ingest = await openIngestServer();
    ingest.reply = () => undefined;
    expect(await receiverOf(ingest.url).send(bytes, never)).toMatchObject({ kind: "retry" });
  });

  it("is tried again when it does not answer", async () => {
    await using ingest = await openIngestServer();
    ingest.reply = () => new Promise(() => {});
    const outcome = await receiverOf(ingest.url, { timeoutMs: 20 }).send(bytes, never);
    expect(outcome).toEqual({ kind: "retry", reason: "no response within 20 ms" });
  });

  it("is left when the signal says so", async () => {
    await using ingest = await openIngestServer();
    const cut = new AbortController();
    ingest.reply = () => {
      cut.abort();
      return new Promise(() => {});
    };
    expect(await receiverOf(ingest.url).send(bytes, cut.signal)).toMatchObject({ kind: "retry" });
  });

  it("is not dialled at an address that is not public", async () => {
    await using ingest = await openIngestServer();
    expect(await receiverOf(ingest.url, { allow: [] }).send(bytes, never)).toMatchObject({
      kind: "retry",
      reason: expect.stringContaining("is not public"),
    });
    expect(ingest.calls).toEqual([]);
  });
});
