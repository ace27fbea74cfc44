import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { runExport } from "../../../cmd/export/export.ts";
import { runImport } from "../../../cmd/import/import.ts";
import { openLedger } from "../../../cmd/import/ledger.ts";
import type { ImportOptions } from "../../../cmd/import/target.ts";
import { UsageError } from "../../../cmd/terminal/user-error.ts";
import { openEventServer, recordTime, trackOf } from "../event-server.ts";
import { exported, importFiles, lines, openPlace, type Place, run, signal } from "./import-place.ts";

const day = recordTime().slice(0, 10);

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
    await expect(importing).rejects.toThrow('no column "what", columns: user, at, name, #type');
    await expect(importing).rejects.toBeInstanceOf(UsageError);
    await expect(importFiles(place, ["-"], { map: ["x=y"], format: "csv" }, csv)).rejects.toThrow(
      'no column "y", columns: user, at, what, #type',
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
    { options: { project: 7 }, message: "there is no project 7, projects are 1" },
    { options: { format: "csv" as const }, message: /is CSV, all of which is text: give --mapping or --map/ },
    {
      options: { map: ["x"] },
      message: '--map is "x", give target=column, target=column:type or target:=text',
    },
    { options: { map: ["x=y:time2", "a=b:thing"] }, message: '--map has the type "thing", valid types are' },
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

describe("export", () => {
  const records = [
    trackOf("a", { properties: { n: 1, list: ["x"], object: { k: "v" }, group: [{ k: 1 }, { k: 2 }] } }),
    trackOf("b", { "#time": `${day} 00:00:00.001`, "#distinct_id": "d" }),
    { "#type": "user_set", "#time": `${day} 00:00:00`, "#account_id": "a", properties: { level: 3 } },
  ];

  it("writes what import takes, and the same comes out again", async () => {
    const place = openPlace({ "a.ndjson": lines(...records) });
    await importFiles(place, ["a.ndjson"]);
    const file = join(place.cwd, "out.ndjson.gz");
    const { err } = await run((streams) => runExport({ env: {}, cwd: place.cwd }, file, {}, streams, signal));
    expect(err).toBe("4 records exported\n");
    const first = gunzipSync(readFileSync(file)).toString();
    const other = openPlace({ "a.ndjson": first });
    await importFiles(other, ["a.ndjson"], { strict: true });
    const withoutTimes = (all: readonly Record<string, unknown>[]) =>
      all.map((record) => (record["#type"] === "user_set" ? { ...record, "#time": "" } : record));
    const before = first
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(withoutTimes(await exported(other))).toEqual(withoutTimes(before));
  });

  it("comes back into its own project beside what is there, but for what has an id", async () => {
    const updatable = { "#type": "track_update", "#event_id": "e1" };
    const place = openPlace({ "a.ndjson": lines(trackOf("a", { "#uuid": "u" }), trackOf("b", updatable)) });
    await importFiles(place, ["a.ndjson"]);
    const before = await exported(place, { users: false });
    writeFileSync(join(place.cwd, "out.ndjson"), lines(...before));
    await importFiles(place, ["out.ndjson"]);
    const after = await exported(place, { users: false });
    expect(after.map((record) => record["#account_id"]).sort()).toEqual(["a", "a", "b"]);
  });

  it("leaves out users and other days if configured", async () => {
    const place = openPlace({ "a.ndjson": lines(...records) });
    await importFiles(place, ["a.ndjson"]);
    expect((await exported(place, { users: false, from: day, to: day })).length).toBe(2);
    expect(await exported(place, { users: false, to: "2020-01-01" })).toEqual([]);
  });

  it.each([
    { options: { from: "yesterday" }, message: '--from is "yesterday", give a day such as' },
    {
      options: { from: "2026-02-02", to: "2026-02-01" },
      message: "--from 2026-02-02 is after --to 2026-02-01",
    },
    { options: { project: 3 }, message: "there is no project 3, projects are 1" },
  ])("refuses $options", async ({ options, message }) => {
    await expect(exported(openPlace(), options)).rejects.toThrow(message);
  });
});

describe("the same file again", () => {
  const twice = async (
    first: ImportOptions,
    second: ImportOptions,
    text = lines(trackOf("a"), trackOf("b")),
  ) => {
    const place = openPlace({ "a.ndjson": text });
    await importFiles(place, ["a.ndjson"], first);
    const again = importFiles(place, ["a.ndjson"], second).then(
      ({ err }) => err,
      (error: Error) => error.message,
    );
    return { place, text: await again };
  };
  const countOf = async (place: Place) => (await exported(place, { users: false })).length;

  it("is refused, since its events would be counted twice", async () => {
    const { place, text } = await twice({}, {});
    expect(text).toMatch(
      /^".*a\.ndjson" was imported at \S+: its events would be counted twice; --again imports/,
    );
    expect(await countOf(place)).toBe(2);
  });

  it("is refused by its content, whatever its name is", async () => {
    const { place } = await twice({}, { again: true });
    writeFileSync(join(place.cwd, "b.ndjson"), readFileSync(join(place.cwd, "a.ndjson")));
    await expect(importFiles(place, ["b.ndjson"])).rejects.toThrow(
      /"\S+b\.ndjson" was imported at \S+ as "\S+a\.ndjson"/,
    );
    const both = importFiles(openPlace({ "a.ndjson": lines(trackOf("a")) }), ["a.ndjson", "./a.ndjson"]);
    await expect(both).rejects.toThrow("are the same, whose events would be counted twice");
  });

  it.each<[string, ImportOptions, ImportOptions, number]>([
    ["with --again", {}, { again: true }, 4],
    ["by another mapping", {}, { map: ["#account_id=#account_id"] }, 4],
    ["after a dry run", { dryRun: true }, {}, 2],
  ])("is taken %s", async (_name, first, second, events) => {
    const { place, text } = await twice(first, second);
    expect(text).toMatch(/^\d+ records? stored|^\d+ records stored/);
    expect(await countOf(place)).toBe(events);
  });

  it("is taken with a warning where its records carry #uuid", async () => {
    const { text } = await twice({}, {}, lines(trackOf("a", { "#uuid": "u" })));
    expect(text).toMatch(
      /^engage: warning: ".*a\.ndjson" was imported at .*, but for records whose #uuid is still known\n/,
    );
  });

  it("is taken after the part that was imported, and not before it", () => {
    const { cwd } = openPlace({ "a.ndjson": lines(trackOf("a"), trackOf("b")) });
    const file = join(cwd, "a.ndjson");
    const { config } = loadConfig({ env: {}, cwd });
    const ledger = (skip: number) => openLedger(config, 1, { skip });
    ledger(0).record([file], { files: [file], skip: 1 });
    expect(ledger(1).check([file], () => false)).toEqual([]);
    expect(() => ledger(0).check([file], () => false)).toThrow(
      /1 lines of ".*" were imported at .*: --skip 1 goes on/,
    );
    ledger(1).record([file], { files: [], skip: 0 });
    expect(() => ledger(1).check([file], () => false)).toThrow("was imported at");
  });

  it("is taken when it has grown", async () => {
    const { place } = await twice({}, { again: true });
    appendFileSync(join(place.cwd, "a.ndjson"), lines(trackOf("c")));
    expect((await importFiles(place, ["a.ndjson"], { skip: 2 })).err).toMatch(/^1 record stored/);
  });
});

describe("refused records", () => {
  const rejectsOf = (place: Place) =>
    readFileSync(join(place.cwd, "rejects"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const place = () =>
    openPlace({
      "a.ndjson": `${lines(trackOf("a"))}\nno: "JSON"\n${lines(trackOf("b", { "#type": "x" }))}`,
      "b.csv": `who,at\n,now\nbob,${day} 10:00:00\nann,now\n`,
    });
  const map = ["#account_id=who", "#time=at:time", "#event_name:=x"];

  it.each([{}, { dryRun: true }])("are kept with their place and the reason: %j", async (options) => {
    const here = place();
    const rejects = join(here.cwd, "rejects");
    const { err } = await importFiles(here, ["a.ndjson"], { ...options, rejects, examples: 2 });
    expect(err).toMatch(/ {2}bad_line: 1\n {4}.*a\.ndjson:3: it is no JSON\n/);
    expect(err).toMatch(/ {2}type: 1\n {4}.*a\.ndjson:4: #type "x" is not valid/);
    const file = join(here.cwd, "a.ndjson");
    expect(rejectsOf(here)).toEqual([
      { file, line: 3, reason: "bad_line", message: "it is no JSON", data: 'no: "JSON"' },
      {
        file,
        line: 4,
        reason: "type",
        message: expect.stringContaining('#type "x"'),
        data: expect.stringContaining('"b"'),
      },
    ]);
  });

  it("are kept of tables by their row", async () => {
    const here = place();
    const rejects = join(here.cwd, "rejects");
    await importFiles(here, ["b.csv"], { map, rejects });
    expect(rejectsOf(here)).toMatchObject([
      { row: 1, reason: "invalid_value", data: '{"who":"","at":"now"}' },
      { row: 3, reason: "invalid_value", data: '{"who":"ann","at":"now"}' },
    ]);
  });

  it("are kept of a server too", async () => {
    const here = place();
    const rejects = join(here.cwd, "rejects");
    const { url } = await openEventServer(openPlace().data);
    await importFiles(here, ["a.ndjson"], { url, rejects, project: 1 });
    expect(rejectsOf(here)).toMatchObject([
      { line: 3, data: 'no: "JSON"' },
      { line: 4, data: expect.stringContaining('"b"') },
    ]);
  });

  it("are not written over what is read, nor where nothing can be", async () => {
    const here = place();
    const rejects = join(here.cwd, "a.ndjson");
    await expect(importFiles(here, ["a.ndjson"], { rejects })).rejects.toThrow(
      "is one of the files that are read",
    );
    const folder = importFiles(here, ["a.ndjson"], { rejects: here.cwd });
    await expect(folder).rejects.toThrow(
      `cannot write ${JSON.stringify(here.cwd)}: it is a folder, not a file`,
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
