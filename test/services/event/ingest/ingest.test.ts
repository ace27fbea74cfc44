import { brotliCompressSync, gzipSync } from "node:zlib";
import { compress as snappy } from "snappyjs";
import { describe, expect, it } from "vitest";
import { RecordsUnavailableError } from "../../../../store/records/records.ts";
import { sendHttp1 } from "../../../e2e/raw.ts";
import { nowMs, openCollector } from "../collector-server.ts";
import { readCase } from "../record/checking.ts";

const record = {
  "#account_id": "a",
  "#type": "track",
  "#event_name": "e",
  "#time": "2026-01-02 03:04:05",
  properties: { price: 1 },
};
const bad = { ...record, "#event_name": "1a" };
const plain = { appid: "APP_ID", "content-type": "application/plaintext" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const json = JSON.stringify([record]);
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64");

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
    ["JSON behind a byte order mark", "/sync_json", `\ufeff${json}`, plain],
    ["pretty JSON", "/sync_json", JSON.stringify([record], null, 2), plain],
    ["one record", "/sync_json", JSON.stringify(record), plain],
    ["gzip", "/sync_server", gzip, { ...plain, compress: "gzip" }],
    ["gzip that nobody told of", "/logbus", gzip, plain],
    [
      "gzip twice told",
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
    expect(server.told).toEqual([["taken", 1, "ingest", 1]]);
  });

  it("of no records is taken, and nothing kept", async () => {
    const server = await openCollector();
    expect((await server.post("/sync_server", "[]", plain)).text).toBe('{"code":0}');
    expect(server.lines).toEqual([]);
  });
});

describe("hostile bodies", () => {
  const notJson = "Data format error, not json format";
  it.each<[string, string | Uint8Array, Record<string, string>, string]>([
    ["nothing", "", {}, notJson],
    ["a text", "hello", {}, notJson],
    ["a number", "1", {}, notJson],
    ["half of an array", json.slice(0, -3), {}, notJson],
    ["two values", `${json}${json}`, {}, notJson],
    ["NaN", '[{"a":NaN}]', {}, notJson],
    ["no UTF-8", Buffer.from('[{"a":"\xff"}]', "latin1"), {}, notJson],
    ["nesting without end", "[".repeat(90_000), {}, notJson],
    ["gzip that is none", "not gzip!", { compress: "gzip" }, "Data format error, not gzip"],
    ["gzip cut off", gzipSync(json).subarray(0, 20), { compress: "gzip" }, "Data format error, not gzip"],
    ["gzip of no JSON", gzipSync("x"), { compress: "gzip" }, notJson],
    ["a bomb", gzipSync(Buffer.alloc(9_000_000, " ")), {}, "Data format error, longer than 120000 bytes"],
    ["a small bomb", gzipSync(Buffer.alloc(200_000, " ")), {}, "Data format error, longer than 120000 bytes"],
    ["snappy that is none", "xyz", { compress: "snappy" }, "Data format error, not snappy"],
    [
      "snappy that says it is long",
      Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f),
      { compress: "snappy" },
      "Data format error, longer than 120000 bytes",
    ],
    [
      "snappy that is short",
      Uint8Array.of(0x80, 0x80, 0x02, 0),
      { compress: "snappy" },
      "Data format error, not snappy",
    ],
    [
      "another compression",
      json,
      { compress: "lz4" },
      'Data format error, compress "lz4" is not gzip, snappy or none',
    ],
    [
      "more parameters than any form has",
      "&a".repeat(90_000),
      {},
      "Data format error, more than 1000 parameters",
    ],
    [
      "a multipart form that is none",
      "--B",
      { "content-type": "multipart/form-data; boundary=B" },
      "Data format error, not multipart form data",
    ],
    ["a form without data", "appid=APP_ID&x=1", form, "Data format error, no parameter data"],
    [
      "more records than one transaction takes",
      gzipSync(`[${"1,".repeat(50_000)}1]`),
      {},
      "Data format error, 50001 records, at most 50000 are valid",
    ],
  ])("%s", async (_name, body, headers, msg) => {
    const server = await openCollector();
    const { status, text } = await server.post("/sync_server", body, { ...plain, ...headers });
    expect([status, JSON.parse(text)]).toEqual([200, { code: -1, msg }]);
    expect(server.lines).toEqual([]);
    expect(server.told).toEqual([["rejected", "format"]]);
  });

  it.each([
    ["prototypes", '[{"__proto__":{"#type":"track"},"constructor":{"prototype":{"x":1}}}]'],
    ["a key twice", '[{"#type":"track","#type":"user_set"}]'],
    ["1e400", '[{"properties":{"n":1e400}}]'],
    ["numbers", "[1,2,3]"],
    ["deep values", `[${"[".repeat(5_000)}${"]".repeat(5_000)}]`],
  ])("%s are JSON and wait for the rules", async (_name, body) => {
    const server = await openCollector();
    expect((await server.post("/sync_server", body, plain)).text).toBe('{"code":0}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("is too large for the gateway", async () => {
    const server = await openCollector();
    const { status, text } = await server.post("/sync_server", Buffer.alloc(300_000), plain);
    expect([status, JSON.parse(text).code]).toEqual([413, -1]);
  });

  it.each(["/sync_json", "/data_debug"])("is too deep to be looked at closely: %s", async (path) => {
    const server = await openCollector();
    const body = `[${"[".repeat(5_000)}${"]".repeat(5_000)}]`;
    const { status, text } = await server.post(path, body, { ...plain, debug: "1" });
    expect(status).toBe(200);
    expect(text).toContain("Data format error, more than 64 levels");
  });
});

describe("a list with a record that is no JSON", () => {
  const nan = '{"#type":"track","properties":{"a":"]},{","n":NaN}}';
  const message = 'record 2 of the list is not JSON at byte 46 of it, "NaN" is not a JSON value';
  const note = { index: 1, reason: "not_json", field: "", message };
  const one = JSON.stringify(record);
  const list = `[${one},${nan}\n , ${one}]`;

  it.each<[string, string, string | Uint8Array, Record<string, string>]>([
    ["as a list", "/sync_server", list, plain],
    ["as gzip", "/sync_server", gzipSync(list), plain],
    ["within an envelope", "/sync_xcx", `{"data":${list},"#app_id":"APP_ID"}`, {}],
    [
      "in a form",
      "/sync_js",
      `&data=${encodeURIComponent(base64(`{"data":${list},"#app_id":"APP_ID"}`))}`,
      {},
    ],
    ["looked at closely", "/sync_json?debug=1", list, plain],
  ])("%s: the others are kept, and it is reported with its place", async (_name, path, body, headers) => {
    const server = await openCollector();
    expect(JSON.parse((await server.post(path, body, headers)).text)).toEqual({ code: 0, records: [note] });
    expect(server.lines.map(({ b }) => b)).toEqual([[record, record]]);
    expect(server.letters).toMatchObject([{ reason: "not_json", message, line: nan, index: "project 1" }]);
    const source = path.includes("debug") ? "ingest_debug" : "ingest";
    expect(server.told).toEqual([
      ["taken", 1, source, 2],
      ["refused", 1, source, "not_json"],
    ]);
  });

  it("data_debug reports it", async () => {
    const server = await openCollector();
    const body = `appid=APP_ID&data=${encodeURIComponent(list)}`;
    expect(JSON.parse((await server.post("/data_debug", body, form)).text)).toEqual({
      errorLevel: 2,
      errorReasons: [message],
    });
    expect(server.lines.map(({ b }) => b)).toEqual([[record, record]]);
  });

  it.each([
    ['{"n":NaN}'],
    ['{"n":-Infinity}'],
    ['{"n":Infinity,"b":[1,{}]}'],
    ["NaN"],
    ['{"n":undefined}'],
    ['{"n":.5}'],
    ['{"n":01}'],
    ["{n:1}"],
    ['{"n":1,}'],
    ['{"n" 1}'],
    ['{"n":"\\x"}'],
    ['{"n":"a\tb"}'],
    ["1 2"],
    ["None"],
  ])("is told apart from what is around it: %s", async (broken) => {
    const server = await openCollector();
    const { text } = await server.post("/sync_server", `[${one},${broken},${one}]`, plain);
    expect(JSON.parse(text)).toMatchObject({ code: 0, records: [{ index: 1, reason: "not_json" }] });
    expect(server.lines.map(({ b }) => b)).toEqual([[record, record]]);
  });

  it.each([
    [`[${one},,${one}]`],
    [`[${one},]`],
    [`[,${one}]`],
    [`[${one},{"a":[NaN},${one}]`],
    [`[${one},{"a":"NaN}`],
    [`[${one},NaN`],
    [`[${one},NaN] x`],
    [`{"data":[${one},NaN],"x":NaN}`],
    [`{"data":[${one},NaN],"#type":"track"}`],
    [`{"data":[${one}],}`],
    [`{,"data":[${one}]}`],
  ])("that can't be told apart is no list: %s", async (body) => {
    const server = await openCollector();
    const { text } = await server.post("/sync_server", body, plain);
    expect(JSON.parse(text)).toEqual({ code: -1, msg: "Data format error, not json format" });
    expect(server.lines).toEqual([]);
  });
});

describe("a list with many records that are refused", () => {
  const one = JSON.stringify(record);
  const linesIn = (letters: readonly Readonly<Record<string, unknown>>[]): number =>
    letters.reduce((sum, { lines = 1 }) => sum + Number(lines), 0);

  it.each([
    ["no JSON", "/sync_server", "x"],
    ["no JSON, looked at closely", "/sync_json?debug=1", "x"],
    ["no objects, looked at closely", "/sync_json?debug=1", "1"],
    ["with a bad name, looked at closely", "/sync_json?debug=1", JSON.stringify(bad)],
  ])("%s: 100 are listed, each is kept, in few letters", async (_name, path, element) => {
    const server = await openCollector();
    const count = 900;
    const body = `[${one},${Array.from({ length: count }, () => element).join(",")}]`;
    const answer = JSON.parse((await server.post(path, body, plain)).text);
    expect(answer).toMatchObject({
      code: 0,
      msg: "900 of 901 records were refused or lost properties, 100 are listed",
    });
    expect(answer.records).toHaveLength(100);
    expect(server.letters.length).toBeLessThan(110);
    expect(linesIn(server.letters)).toBe(count);
  });

  it("data_debug lists 100, and their number", async () => {
    const server = await openCollector();
    const list = `[${one},${Array.from({ length: 900 }, () => "1").join(",")}]`;
    const body = `appid=APP_ID&data=${encodeURIComponent(list)}`;
    const { errorReasons } = JSON.parse((await server.post("/data_debug", body, form)).text);
    expect(errorReasons).toHaveLength(101);
    expect(errorReasons.at(-1)).toBe("900 of 901 records were refused, 100 are listed");
    expect(linesIn(server.letters)).toBe(900);
  });

  it("Track has a result for each, and keeps each, in few letters", async () => {
    const server = await openCollector();
    const jsonLines = Buffer.from([one, ...Array.from({ length: 900 }, () => "x")].join("\n"));
    const body = JSON.stringify({ projectId: 1, jsonLines: jsonLines.toString("base64") });
    const { results } = JSON.parse(
      (await server.post("/v1/events:track", body, { "content-type": "application/json" })).text,
    );
    expect(results).toHaveLength(901);
    expect(server.letters.length).toBeLessThan(110);
    expect(linesIn(server.letters)).toBe(900);
  });
});

describe("numbers of a body", () => {
  const exact = JSON.stringify(record).replace(
    '"price":1',
    '"role_id":9007199254740993,"list":[12345678901234567890.0]',
  );
  it.each<[string, string, string]>([
    ["list", "/sync_server", `[${exact}]`],
    ["envelope", "/sync_xcx", `{"data":[${exact}]}`],
    ["closely", "/sync_json?debug=1", `[${exact}]`],
    ["a form", "/data_debug", `data=${encodeURIComponent(exact)}`],
  ])("keep their digits: %s", async (_name, path, body) => {
    const server = await openCollector();
    await server.post(path, body, plain);
    expect(server.texts).toEqual([`{"p":1,"r":${nowMs},"b":[${exact}]}`]);
  });

  it("beyond 2^53 are dropped of a numeric property, with advice", async () => {
    const server = await openCollector();
    const role = { table: "event", name: "role_id", number: 1, type: "number" } as const;
    server.schema = { version: 1, events: new Map(), properties: new Map([["event:role_id", role]]) };
    const message =
      "role_id 9007199254740993 is beyond ±9007199254740991 and would be changed, send it as text";
    const debug = await server.post("/data_debug", `[${exact}]`, plain);
    expect(JSON.parse(debug.text)).toEqual({
      errorLevel: 1,
      errorProperties: [{ propertyName: "role_id", errorReason: "number_range", errorMessage: message }],
    });
    const closely = await server.post("/sync_json?debug=1", `[${exact}]`, plain);
    expect(JSON.parse(closely.text)).toEqual({
      code: 0,
      records: [{ index: 0, dropped: [{ name: "role_id", reason: "number_range", message }] }],
    });
  });
});

describe("a byte order mark", () => {
  const marked = `\ufeff${json}`;
  const paths = ["/sync_server", "/sync_json", "/sync_data", "/sync", "/sync_xcx", "/sync_js", "/logbus"];
  const bodies: readonly (readonly [string, string | Uint8Array, Record<string, string>])[] = [
    ["JSON", marked, plain],
    ["gzip", gzipSync(marked), plain],
    ["snappy", snappy(Buffer.from(marked)), { ...plain, compress: "snappy" }],
    ["base64", base64(marked), plain],
    ["base64 of gzip", base64(gzipSync(marked)), plain],
    ["a form", `data=${encodeURIComponent(marked)}`, plain],
    ["a form of gzip", `&data=${encodeURIComponent(base64(gzipSync(marked)))}`, plain],
  ];
  it.each(
    paths.flatMap((path) => bodies.map(([name, body, headers]) => [path, name, body, headers] as const)),
  )("%s: %s", async (path, _name, body, headers) => {
    const server = await openCollector();
    expect((await server.post(path, body, headers)).text).toBe('{"code":0}');
    expect(server.lines.map(({ b }) => b)).toEqual([[record]]);
  });
});

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
    expect(server.told).toEqual([["rejected", "appid"]]);
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
    expect(server.told).toEqual([["rejected", "appid"]]);
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

describe("debug", () => {
  it("tells of each record what is wrong, and keeps the good ones", async () => {
    const server = await openCollector();
    const odd = { ...record, "#os": "x", properties: { price: 1, "#user_id": 2 } };
    const { text } = await server.post("/sync_json", JSON.stringify([record, bad, odd]), {
      ...plain,
      debug: "1",
    });
    expect(JSON.parse(text)).toEqual({
      code: 0,
      records: [
        {
          index: 1,
          reason: "event_name",
          field: "#event_name",
          message:
            '#event_name "1a" is not valid, valid is a letter followed by at most 49 letters, digits and underscores',
        },
        {
          index: 2,
          dropped: [
            { name: "#os", reason: "root_key" },
            { name: "#user_id", reason: "reserved" },
          ],
        },
      ],
    });
    expect(server.lines).toEqual([{ p: 1, r: nowMs, b: [record, odd] }]);
    expect(server.letters).toMatchObject([
      { source: "event", index: "project 1", reason: "event_name", line: JSON.stringify(bad) },
    ]);
    expect(server.told).toEqual([
      ["taken", 1, "ingest_debug", 2],
      ["refused", 1, "ingest_debug", "event_name"],
      ["dropped", 1, "ingest_debug", "root_key"],
      ["dropped", 1, "ingest_debug", "reserved"],
    ]);
  });

  it("is −1 when no record was taken", async () => {
    const server = await openCollector();
    const { text } = await server.post("/sync_json?debug=1", JSON.stringify(bad), plain);
    expect(JSON.parse(text)).toMatchObject({ code: -1, records: [{ index: 0, reason: "event_name" }] });
    expect(server.lines).toEqual([]);
  });

  it.each([
    [
      { ...record, properties: { "#user_id": 1 } },
      { errorLevel: 1, errorProperties: [{ propertyName: "#user_id", errorReason: "reserved" }] },
      1,
    ],
    [
      { ...record, "#time": "today" },
      {
        errorLevel: 2,
        errorReasons: ['#time "today" is not valid, valid is yyyy-MM-dd HH:mm:ss or yyyy-MM-dd HH:mm:ss.SSS'],
      },
      0,
    ],
  ])("data_debug tells what is wrong with %j", async (data, answer, kept) => {
    const server = await openCollector();
    const body = new URLSearchParams({ appid: "APP_ID", data: JSON.stringify(data), dryRun: "0" });
    expect(JSON.parse((await server.post("/data_debug", body.toString(), form)).text)).toEqual(answer);
    expect(server.lines).toHaveLength(kept);
  });

  it.each([
    ["appid=nobody&data={}", "unknown appid"],
    ["appid=APP_ID&data=x", "Data format error, not json format"],
  ])("data_debug refuses %s", async (body, reason) => {
    const server = await openCollector();
    const { text } = await server.post("/data_debug", body, form);
    expect(JSON.parse(text)).toEqual({ errorLevel: 2, errorReasons: [reason] });
  });

  it("dryRun keeps nothing, not even letters", async () => {
    const server = await openCollector();
    const body = new URLSearchParams({ appid: "APP_ID", data: JSON.stringify([record, bad]), dryRun: "1" });
    expect(JSON.parse((await server.post("/data_debug", body.toString(), form)).text)).toMatchObject({
      errorLevel: 2,
    });
    expect([server.lines, server.letters, server.told]).toEqual([[], [], []]);
  });
});

describe("when nothing can be kept", () => {
  it.each(["/sync_server", "/sync_json?debug=1", "/data_debug"])("%s says to come again", async (path) => {
    const server = await openCollector();
    server.onDisk = () => Promise.reject(new RecordsUnavailableError("disk full"));
    const { status, text, headers } = await server.post(path, json, plain);
    expect([status, text]).toEqual([503, '{"code":-1,"msg":"the spool is temporarily unavailable"}']);
    expect(headers.get("retry-after")).toBe("1");
    expect(server.told).toEqual([]);
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
