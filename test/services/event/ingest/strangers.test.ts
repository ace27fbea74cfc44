import { brotliCompressSync, gzipSync } from "node:zlib";
import { compress as snappy } from "snappyjs";
import { describe, expect, it } from "vitest";
import { sendHttp1 } from "../../../e2e/raw.ts";
import { openCollector } from "../collector-server.ts";
import { base64, form, json, record } from "./requests.ts";

describe("bodies of strangers", () => {
  const zeros = Buffer.alloc(100_000, " ");
  it.each<[string, string | Uint8Array, Record<string, string>]>([
    [
      "a form that names nobody, and a bomb",
      `data=${encodeURIComponent(base64(gzipSync(zeros)))}&appid=nobody`,
      form,
    ],
    ["an unknown name, and nothing that is a body", "hello", { appid: "nobody" }],
    ["a name that is longer than any", `appid=${"x".repeat(100_000)}&data=%5B%5D`, form],
    ["a list", json, {}],
    ["an envelope of nobody", `{"data":${json},"#app_id":"nobody"}`, {}],
    ["an envelope whose name is within a record", `{"data":[{"#app_id":"APP_ID"}]}`, {}],
    ["an envelope whose name is a text", `{"data":${json},"x":"\\"#app_id\\":\\"APP_ID\\""}`, {}],
    ["an envelope whose name is no text", `{"data":${json},"#app_id":["APP_ID"]}`, {}],
  ])("are not read: %s", async (_name, body, headers) => {
    const server = await openCollector();
    const { text } = await server.post("/sync_server", body, headers);
    expect(text).toBe('{"code":-2,"msg":"unknown appid"}');
    expect(server.lines).toEqual([]);
  });

  it.each<[string, Uint8Array | string, Record<string, string>]>([
    ["gzip", gzipSync(zeros), {}],
    ["base64 of gzip", base64(gzipSync(zeros)), {}],
    ["snappy", snappy(zeros), { compress: "snappy" }],
    ["a form", `data=${encodeURIComponent(base64(gzipSync(zeros)))}`, form],
  ])("are inflated to 64 KiB: %s", async (_name, body, headers) => {
    const server = await openCollector();
    expect(JSON.parse((await server.post("/sync_server", body, headers)).text)).toEqual({
      code: -2,
      msg: expect.stringMatching(
        /^unknown appid: a compressed body of more than (65536|75136) bytes needs it as header or query parameter$/,
      ),
    });
    expect(server.reported).toEqual([["rejected", "appid"]]);
  });

  const paths = [
    "/sync_server",
    "/sync_json",
    "/sync_data",
    "/sync",
    "/sync_xcx",
    "/sync_js",
    "/logbus",
    "/data_debug",
  ];
  it.each(
    paths.flatMap((path) => [
      [path, { appid: "nobody" }, 200, "unknown appid"] as const,
      [`${path}?appid=nobody`, {}, 200, "unknown appid"] as const,
      [path, { appid: "nobody", "content-encoding": "br" }, 200, "unknown appid"] as const,
      [path, { "content-encoding": "br" }, 413, "larger than the limit of 65536 bytes"] as const,
      [path, {}, 413, "larger than the limit of 200000 bytes"] as const,
    ]),
  )("of which nothing is sent are answered all the same: %s %j", async (path, headers, status, text) => {
    const server = await openCollector();
    const port = Number(new URL(server.url).port);
    const answer = await sendHttp1(port, `POST ${path}`, { "content-length": "90000000", ...headers });
    expect([answer.status, `${answer.body}`]).toEqual([status, expect.stringContaining(text)]);
  });

  it.each(paths)("are inflated to 64 KiB by the gateway, too: %s", async (path) => {
    const server = await openCollector();
    const headers = { "content-encoding": "br" };
    const { status, text } = await server.post(path, brotliCompressSync("&a".repeat(1_048_576)), headers);
    expect([status, text]).toEqual([413, expect.stringContaining("larger than the limit of 65536 bytes")]);
  });

  it.each([
    ["after the records", (data: string) => `{"data":${data},"#app_id":"APP_ID","#flush_time":1}`],
    ["before the records", (data: string) => `{ "#app_id" : "\\u0041PP_ID", "data":${data}}`],
  ])("of somebody known are found by the name %s", async (_name, envelope) => {
    const server = await openCollector();
    const many = JSON.stringify(
      Array.from({ length: 700 }, (_, i) => ({ ...record, "#uuid": `${i}${"x".repeat(20)}` })),
    );
    expect((await server.post("/sync_xcx", envelope(many))).text).toBe('{"code":0}');
    expect(server.lines.flatMap(({ b }) => b)).toHaveLength(700);
  });
});

describe("app ids", () => {
  it.each<[string, Record<string, string>]>([
    ["/sync_server", {}],
    ["/sync_server", { appid: "nobody" }],
    ["/sync_json?appid=nobody", {}],
    ["/sync_json?appid=APP_ID", { appid: "nobody" }],
  ])("%s %j is not known", async (path, headers) => {
    const server = await openCollector();
    expect((await server.post(path, json, headers)).text).toBe('{"code":-2,"msg":"unknown appid"}');
    expect(server.reported).toEqual([["rejected", "appid"]]);
  });

  it.each([
    ["/check_appid?appid=APP_ID", '{"code":0}'],
    ["/check_appid?appid=nobody", '{"code":-2,"msg":"unknown appid"}'],
    ["/check_appid", '{"code":-2,"msg":"unknown appid"}'],
    ["/config?appid=APP_ID&other=1", '{"code":0,"data":{"sync_interval":15,"sync_batch_size":20}}'],
    ["/config?appid=nobody", '{"code":-2,"msg":"unknown appid"}'],
    ["/health-check", '{"code":0}'],
  ])("GET %s", async (path, text) => {
    const server = await openCollector();
    expect(await server.get(path)).toMatchObject({ status: 200, text });
  });
});
