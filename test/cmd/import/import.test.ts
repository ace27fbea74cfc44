import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { runImport } from "../../../cmd/import/import.ts";
import { UsageError } from "../../../cmd/terminal/user-error.ts";
import { openEventServer, trackOf } from "../event-server.ts";
import { day, exported, importFiles, lines, openPlace, signal } from "./import-place.ts";

describe("import", () => {
  it("stores NDJSON, plain and gzipped and from standard input, and tells what was refused", async () => {
    const place = openPlace({
      "a.ndjson": `\ufeff${lines(trackOf("a"))}\r\n\nno JSON\n${lines(trackOf("b")).trim()}`,
    });
    writeFileSync(
      join(place.cwd, "b.ndjson.gz"),
      gzipSync(lines(trackOf("c"), trackOf("d", { "#time": "2001-01-01 00:00:00" }))),
    );
    const files = ["a.ndjson", "b.ndjson.gz", "-"];
    const { code, err } = await importFiles(
      place,
      files,
      {},
      lines(trackOf("e", { properties: { "#user_id": 1 } })),
    );
    expect(code).toBe(0);
    expect(err).toMatch(/^4 records stored in .+ s, .+ a second\n/);
    expect(err.split("\n").slice(1, -1)).toEqual([
      "records refused:",
      "  bad_line: 1",
      "  time_too_old: 1",
      "properties dropped:",
      "  reserved: 1",
    ]);
    const events = (await exported(place, { users: false })).map((record) => record["#account_id"]);
    expect(events.sort()).toEqual(["a", "b", "c", "e"]);
  });

  it("fails with strict when a record is refused", async () => {
    const place = openPlace({ "a.ndjson": lines(trackOf("a")), "b.ndjson": "1\n" });
    expect((await importFiles(place, ["a.ndjson"], { strict: true })).code).toBe(0);
    expect((await importFiles(place, ["b.ndjson"], { strict: true })).code).toBe(1);
  });

  it("stores nothing in a dry run, but tells the same", async () => {
    const place = openPlace({
      "a.ndjson": lines(
        trackOf("a"),
        trackOf("b", { "#type": "x" }),
        trackOf("c", { "#uuid": "u" }),
        trackOf("c", { "#uuid": "u" }),
      ),
    });
    const { code, err } = await importFiles(place, ["a.ndjson"], { dryRun: true, strict: true });
    expect(code).toBe(1);
    expect(err).toMatch(/^2 records valid/);
    expect(err).toContain("  type: 1\nrecords that were there before:\n  uuid: 1\n");
    expect(await exported(place)).toEqual([]);
  });

  it("makes records of CSV by a mapping", async () => {
    const place = openPlace({
      "orders.csv": `user;at;amount;note\nu1;${day} 10:00:00;12.5;"a;b"\nu2;${day} 11:00:00;;x\n;;1;\n`,
      "map.yaml":
        'separator: ";"\nmapping: { "#type": { value: track }, "#event_name": { value: order }, "#account_id": user, "#time": at }\n',
    });
    const options = { mapping: join(place.cwd, "map.yaml"), map: ["amount=amount:number"] };
    const { err } = await importFiles(place, ["orders.csv"], options);
    expect(err).toContain("  time_format: 1");
    const events = await exported(place, { users: false });
    expect(events.map((record) => [record["#account_id"], record["properties"]])).toEqual([
      ["u1", { amount: 12.5, note: "a;b", "#zone_offset": 0 }],
      ["u2", { note: "x", "#zone_offset": 0 }],
    ]);
  });

  it("takes all rows of CSV whose line ends are mixed, without a line end in their values", async () => {
    const place = openPlace({
      "a.csv": `who,at\r\na1,${day} 10:00:00\na2,${day} 10:00:00\ra3,${day} 10:00:00\r\n`,
    });
    const map = ["#account_id=who", "#time=at", "at=at", "#event_name:=x"];
    const { err } = await importFiles(place, ["a.csv"], { map });
    expect(err).toMatch(/^3 records stored/);
    const events = await exported(place, { users: false });
    expect(events.map((record) => record["#account_id"])).toEqual(["a1", "a2", "a3"]);
  });

  it.each([
    { what: "nothing", csv: "", stored: 0, rejects: [] },
    { what: "a header alone", csv: "who,at\n", stored: 0, rejects: [] },
    { what: "UTF-16", csv: `\ufeffwho,at\né,${day} 10:00:00\n`, encoding: "utf16le", stored: 1, rejects: [] },
    { what: "a cell too few", csv: `at,who,x\n${day} 10:00:00,ann\n`, stored: 1, rejects: [] },
    { what: "further empty cells", csv: `who,at\nann,${day} 10:00:00,,\n`, stored: 1, rejects: [] },
    {
      what: "further cells",
      csv: `who,at\nann,${day} 10:00:00,3\nbob,${day} 10:00:00\n`,
      stored: 1,
      rejects: ["too_many_cells: has 3 cells, more than the header has columns"],
    },
  ])("takes CSV with $what, and loses nothing of it silently", async ({ csv, encoding, stored, rejects }) => {
    const place = openPlace({ "a.csv": "" });
    writeFileSync(join(place.cwd, "a.csv"), Buffer.from(csv, (encoding ?? "utf8") as BufferEncoding));
    const map = ["#account_id=who", "#time=at", "#event_name:=x"];
    const file = join(place.cwd, "rejects.ndjson");
    const { err } = await importFiles(place, ["a.csv"], { map, rejects: file });
    expect(err).toMatch(new RegExp(`^${stored} records? stored`));
    const kept = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    expect(
      kept.map((line) => JSON.parse(line)).map(({ reason, message }) => `${reason}: ${message}`),
    ).toEqual(rejects);
  });

  it.each([
    [
      "a quote that is never closed",
      `who,at\n"ann,${day} 10:00:00\nb,c\n`,
      "opens in line 2 is never closed",
    ],
    ["a column twice", "who,at,who\n", 'the header has the column "who" more than once'],
    ["another encoding", Buffer.from("who,at\n\xe9,1\n", "latin1"), "line 2 is not UTF-8"],
  ])("refuses CSV with %s, and says where", async (_name, csv, message) => {
    const place = openPlace({ "a.csv": "" });
    writeFileSync(join(place.cwd, "a.csv"), csv);
    const map = ["#account_id=who", "#time=at", "#event_name:=x"];
    await expect(importFiles(place, ["a.csv"], { map })).rejects.toThrow(message);
  });

  it("refuses NDJSON in UTF-16", async () => {
    const place = openPlace({ "a.ndjson": "" });
    writeFileSync(join(place.cwd, "a.ndjson"), Buffer.from("\ufeff{}\n", "utf16le"));
    await expect(importFiles(place, ["a.ndjson"], {})).rejects.toThrow("it is UTF-16, valid is UTF-8");
  });

  it("makes records of Parquet by a mapping", async () => {
    const place = openPlace();
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(
      `COPY (SELECT 'u' || i AS user, TIMESTAMP '${day} 10:00:00' AS at, i / 2 AS amount, [1, 2] AS list FROM range(3000) r(i))
       TO '${join(place.cwd, "a.parquet")}' (FORMAT parquet)`,
    );
    instance.closeSync();
    const map = ["#account_id=user", "#time=at"];
    writeFileSync(
      join(place.cwd, "m.yaml"),
      'mapping: { "#type": { value: track }, "#event_name": { value: p } }',
    );
    const { err } = await importFiles(place, ["a.parquet"], { map, mapping: join(place.cwd, "m.yaml") });
    expect(err).toMatch(/^3,000 records stored/);
    const [first] = await exported(place, { users: false });
    expect(first).toMatchObject({ "#account_id": "u0", properties: { amount: 0, list: ["1", "2"] } });
  });

  const event = ["#account_id=user", "#time=at", "#event_name=what"];
  const csv = `user,at,what,#type\nann,${day} 10:00:00,a,track\nbob,${day} 10:00:00,b,user_set\n`;

  it.each([
    { what: "an event name", csv: csv.replaceAll(/,#type|,track|,user_set/g, ""), map: event, types: 2 },
    { what: "a column of types", csv, map: event, types: 1 },
    { what: "a text", csv, map: ["#type:=user_set", ...event], types: 0 },
  ])("takes from $what what a record is", async ({ csv, map, types }) => {
    const place = openPlace({ "a.csv": csv });
    const { err } = await importFiles(place, ["a.csv"], { map });
    expect(err).toMatch(/^2 records stored/);
    expect(await exported(place, { users: false })).toHaveLength(types);
  });

  it("refuses columns that a table lacks before it stores anything", async () => {
    const place = openPlace({ "a.csv": csv, "b.csv": csv.replace("what", "name"), "a.ndjson": "" });
    const importing = importFiles(place, ["a.csv", "b.csv"], { map: event });
    await expect(importing).rejects.toThrow(
      'there is no column "what", valid are "user", "at", "name", "#type"',
    );
    await expect(importing).rejects.toBeInstanceOf(UsageError);
    await expect(importFiles(place, ["-"], { map: ["x=y"], format: "csv" }, csv)).rejects.toThrow(
      'there is no column "y", valid are "user", "at", "what", "#type"',
    );
    expect(await exported(place)).toEqual([]);
  });

  it.each([
    { file: "a.ndjson", map: undefined, message: "bad_line: it is no JSON" },
    { file: "b.ndjson", map: undefined, message: 'type: #type "x" is not valid' },
    { file: "c.csv", map: ["#time=at:time"], message: 'invalid_value: at: "now" is not a time' },
  ])("fails when all of $file is refused, and tells why the first was", async ({ file, map, message }) => {
    const place = openPlace({
      "a.ndjson": "no: json\n- at all\n",
      "b.ndjson": lines(trackOf("a", { "#type": "x" })),
      "c.csv": "at\nnow\n",
    });
    for (const dryRun of [true, false]) {
      const { code, err } = await importFiles(place, [file], { dryRun, ...(map && { map }) });
      expect(code).toBe(1);
      expect(err).toContain(`the first was refused as ${message}`);
    }
  });

  it("is no failure when all was there before", async () => {
    const place = openPlace({ "a.ndjson": lines(trackOf("a", { "#uuid": "u" })) });
    expect((await importFiles(place, ["a.ndjson", "a.ndjson"])).code).toBe(0);
    expect((await importFiles(place, ["a.ndjson"])).code).toBe(0);
  });

  it.each([
    { options: { project: 7 }, message: "there is no project 7, valid are 1" },
    { options: { format: "csv" as const }, message: /is CSV, all of which is text: give --mapping or --map/ },
    {
      options: { map: ["x"] },
      message: '--map is "x", give target=column, target=column:type or target:=text',
    },
    { options: { map: ["x=y:time2", "a=b:thing"] }, message: '--map has the type "thing", valid are' },
    { options: { url: "nonsense" }, message: '--url is "nonsense"' },
  ])("refuses $options", async ({ options, message }) => {
    const place = openPlace({ "a.ndjson": "" });
    await expect(importFiles(place, ["a.ndjson"], options)).rejects.toThrow(message);
  });

  it.each([
    ["no mapping", { format: "csv" as const }],
    ["no column", { map: ["x"] }],
    ["an unknown type", { map: ["a=b:thing"] }],
  ])("takes %s for a wrong command line", async (_, options) => {
    const place = openPlace({ "a.ndjson": "" });
    await expect(importFiles(place, ["a.ndjson"], options)).rejects.toMatchObject({ exitCode: 2 });
  });

  it("refuses a file that isn't there before it stores anything", async () => {
    const place = openPlace({ "a.ndjson": lines(trackOf("a")) });
    await expect(importFiles(place, ["a.ndjson", "gone.ndjson"])).rejects.toThrow(/no such file/);
    expect(await exported(place)).toEqual([]);
  });

  it("sends to a running server", async () => {
    const place = openPlace();
    const server = await openEventServer(place.data);
    const records = Array.from({ length: 5_000 }, (_, i) => trackOf(`a${i}`));
    writeFileSync(join(place.cwd, "a.ndjson"), lines(...records, trackOf("x", { "#type": "y" })));
    writeFileSync(join(place.cwd, "short.ndjson"), "{}\n".repeat(25_000));
    const { code, err } = await importFiles(place, ["a.ndjson"], {
      url: server.url,
      project: 1,
      strict: true,
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^5,000 records accepted/);
    expect(err).toContain("records refused:\n  type: 1\n");
    const short = await importFiles(place, ["short.ndjson"], { url: server.url, project: 1 });
    expect(short.code).toBe(1);
    expect(short.err).toContain(
      "  type: 25,000\nengage: no record was accepted, the first was refused as type: ",
    );
    await expect(importFiles(place, ["a.ndjson"], { url: server.url, project: 9 })).rejects.toThrow(
      /project_id 9 is not configured/,
    );
  });
});

it("import shows its progress in a terminal", async () => {
  const place = openPlace({ "a.ndjson": lines(trackOf("a")) });
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, cursorTo() {}, clearLine() {} });
  const streams = { stdin: Readable.from([]), stdout: terminal(), stderr: terminal() };
  const drawn = text(streams.stderr);
  await runImport({ env: {}, cwd: place.cwd }, [join(place.cwd, "a.ndjson")], {}, streams, signal);
  streams.stderr.end();
  expect(await drawn).toMatch(/100% of 0\.0 MiB/);
});
