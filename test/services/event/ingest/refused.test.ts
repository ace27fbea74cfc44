import { gzipSync } from "node:zlib";
import { compress as snappy } from "snappyjs";
import { describe, expect, it } from "vitest";
import { nowMs, openCollector } from "../collector-server.ts";
import { bad, base64, form, json, plain, record } from "./requests.ts";

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
    expect(server.reported).toEqual([["rejected", "format"]]);
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
    expect(server.reported).toEqual([
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
  ])("is distinguished from what is around it: %s", async (broken) => {
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
  ])("that cannot be distinguished is no list: %s", async (body) => {
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
