import { gzipSync } from "node:zlib";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { compress as snappy } from "snappyjs";
import { describe, expect, it } from "vitest";
import { EventCollector } from "../../../../gen/engage/event/v1/event_collector_pb.ts";
import { RecordsUnavailableError } from "../../../../store/records/records.ts";
import { nowMs, openCollector } from "../collector-server.ts";
import { readCase } from "../record/checking.ts";
import { base64, form, json, plain, record } from "./requests.ts";

describe("handed cases", () => {
  it("t007: what the Node SDK posts", async () => {
    const server = await openCollector();
    const { headers, body } = readCase("t007_node_sdk_batch.json") as {
      headers: Record<string, string>;
      body: unknown;
    };
    const answer = await server.post("/sync_server", gzipSync(JSON.stringify(body)), headers);
    expect(answer).toMatchObject({ status: 200, text: '{"code":0}' });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(server.lines).toEqual([{ p: 1, r: nowMs, b: body }]);
  });

  it("t014: gzip on the wire", async () => {
    const server = await openCollector();
    const { headers, body_base64 } = readCase("t014_sync_server_gzip_wire.json") as {
      headers: Record<string, string>;
      body_base64: string;
    };
    const { text } = await server.post("/sync_server", Buffer.from(body_base64, "base64"), headers);
    expect(text).toBe('{"code":0}');
    expect(server.lines).toHaveLength(1);
  });

  it("t015: a form to look at closely", async () => {
    const server = await openCollector();
    const { form: fields } = readCase("t015_data_debug_form.json") as { form: Record<string, string> };
    const { text } = await server.post("/data_debug", new URLSearchParams(fields).toString(), form);
    expect(text).toBe('{"errorLevel":0}');
    expect(server.lines).toEqual([{ p: 1, r: nowMs, b: [JSON.parse(fields["data"]!)] }]);
  });

  it("t017: one record as JSON, and what is none", async () => {
    const server = await openCollector();
    const { url, headers, body, expect_ok, expect_bad } = readCase("t017_restful_json.json") as {
      url: string;
      headers: Record<string, string>;
    } & Record<"body" | "expect_ok" | "expect_bad", unknown>;
    const good = await server.post(url, JSON.stringify(body), headers);
    const none = await server.post(url, "not json", headers);
    expect([JSON.parse(good.text), JSON.parse(none.text)]).toEqual([expect_ok, expect_bad]);
    expect(server.lines).toEqual([{ p: 1, r: nowMs, b: [body] }]);
  });
});

describe("forms of a body", () => {
  const gzip = gzipSync(json);
  const envelope = JSON.stringify({ "#app_id": "APP_ID", "#flush_time": 1, data: [record] });
  it.each<[string, string, string | Uint8Array, Record<string, string>]>([
    ["JSON", "/sync_server", json, plain],
    ["JSON, not compressed", "/sync_server", json, { ...plain, compress: "none" }],
    ["JSON without a content type", "/sync_server", Buffer.from(json), { appid: "APP_ID" }],
    ["JSON after a byte order mark", "/sync_json", `\ufeff${json}`, plain],
    ["pretty JSON", "/sync_json", JSON.stringify([record], null, 2), plain],
    ["one record", "/sync_json", JSON.stringify(record), plain],
    ["gzip", "/sync_server", gzip, { ...plain, compress: "gzip" }],
    ["gzip without a header", "/logbus", gzip, plain],
    [
      "gzip with two headers",
      "/sync_server",
      gzipSync(gzip),
      { ...plain, compress: "gzip", "content-encoding": "gzip" },
    ],
    ["snappy", "/logbus", snappy(Buffer.from(json)), { ...plain, compress: "snappy" }],
    ["base64 of gzip", "/sync", base64(gzip), plain],
    ["base64 of an envelope", "/sync", base64(gzipSync(envelope)), { "content-type": "text/plain" }],
    ["an envelope", "/sync_xcx", envelope, { "content-type": "application/json" }],
    ["appid in the query", "/sync_json?appid=APP_ID", json, {}],
    ["a form of JSON", "/sync_data", `appid=APP_ID&data=${encodeURIComponent(json)}`, form],
    [
      "a form of gzip",
      "/sync_data",
      `data=${encodeURIComponent(base64(gzip))}`,
      { ...form, appid: "APP_ID" },
    ],
    ["a form nobody escaped", "/sync_data", `data=${base64(gzip)}&appid=APP_ID`, form],
    [
      "a form with a leading &",
      "/sync_js",
      `&data=${encodeURIComponent(base64(json))}&ext=crc%3D1&appid=APP_ID`,
      {},
    ],
    ["JSON that is said to be a form", "/sync_json", json, { ...form, appid: "APP_ID" }],
  ])("%s", async (_name, path, body, headers) => {
    const server = await openCollector();
    expect((await server.post(path, body, headers)).text).toBe('{"code":0}');
    expect(server.lines.map(({ p, b }) => [p, [b].flat()])).toEqual([[1, [record]]]);
    expect(server.reported).toEqual([["taken", 1, "ingest", 1]]);
  });

  it("of no records is taken, and nothing kept", async () => {
    const server = await openCollector();
    expect((await server.post("/sync_server", "[]", plain)).text).toBe('{"code":0}');
    expect(server.lines).toEqual([]);
  });
});

describe("when nothing can be kept", () => {
  it.each(["/sync_server", "/sync_json?debug=1", "/data_debug"])("%s says to come again", async (path) => {
    const server = await openCollector();
    server.onDisk = () => Promise.reject(new RecordsUnavailableError("disk full"));
    const { status, text, headers } = await server.post(path, json, plain);
    expect([status, text]).toEqual([503, '{"code":-1,"msg":"the spool is temporarily unavailable"}']);
    expect(headers.get("retry-after")).toBe("1");
    expect(server.reported).toEqual([]);
  });

  it("answers only when the records are on disk", async () => {
    const server = await openCollector();
    const disk = Promise.withResolvers<void>();
    server.onDisk = () => disk.promise;
    const order: string[] = [];
    const answer = server.post("/sync_server", json, plain).then(() => order.push("answered"));
    await server.get("/health-check");
    order.push("on disk");
    disk.resolve();
    await answer;
    expect(order).toEqual(["on disk", "answered"]);
  });
});

it("a typed answer of the SDK paths comes over Connect, too", async () => {
  const server = await openCollector();
  const client = createClient(
    EventCollector,
    createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  );
  const response = await client.ingest({
    appid: "APP_ID",
    debug: 1,
    body: { data: Buffer.from(JSON.stringify({ ...record, "#event_name": "" })) },
  });
  expect(response).toMatchObject({ code: -1, records: [{ index: 0 }] });
});
