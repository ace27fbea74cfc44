import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPreparer, type Preparer } from "../../../../services/event/load/prepare.ts";
import type { PreparedBatch, PrepareStart } from "../../../../services/event/load/prepared.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { emptySchema, type ProjectSchema } from "../../../../store/events/events.ts";
import type { Intake } from "../../../../store/intake/intake.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";

let folder = "";
let intake: Intake;
let preparer: Preparer;
let at = { number: 1, offset: 0 };
const receivedMs = Date.UTC(2026, 0, 2);

async function start(
  schema: ProjectSchema = emptySchema,
  limits: Pick<PrepareStart, "maxProperties" | "names"> = {},
): Promise<void> {
  await preparer.reset({
    loadedTo: undefined,
    ...limits,
    projects: new Map([
      [1, { schema, zone: "+00:00" }],
      [2, { schema: emptySchema, zone: "+08:00" }],
    ]),
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "prepare-"));
  intake = openSqliteIntake({ path: join(folder, "intake.db") });
  preparer = createPreparer({ intake, folder });
  at = { number: 1, offset: 0 };
  await start();
});
afterEach(async () => {
  await intake[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const spooled = (records: unknown, projectId = 1): string =>
  `${Buffer.from(encodeSpoolLine(projectId, receivedMs, Buffer.from(JSON.stringify(records)))).toString()}\n`;

async function prepareText(
  text: string,
  options: { maxRecords?: number; skipped?: readonly number[] } = {},
): Promise<PreparedBatch> {
  const bytes = new Uint8Array(Buffer.from(text));
  const prepared = await preparer.prepare({ from: at, bytes, maxRecords: 1_000, skipped: [], ...options });
  at = prepared.batch.to;
  return prepared;
}

const prepare = (...records: unknown[]): Promise<PreparedBatch> => prepareText(spooled(records));

function rowsOf(
  { batch }: PreparedBatch,
  kind: "days" | "updatesFile" | "seenFile" | "usersFile",
  project = 1,
): unknown[] {
  const given = batch.projects.find(({ projectId }) => projectId === project)?.[kind];
  const files =
    typeof given === "object" ? given.map(({ file }) => file) : given === undefined ? [] : [given];
  return files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

const lettersOf = ({ deadLetters }: PreparedBatch): { reason: string; line: string }[] =>
  deadLetters === undefined
    ? []
    : Buffer.from(deadLetters.ndjson)
        .toString()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));

const track = (changes: Record<string, unknown> = {}) => ({
  "#type": "track",
  "#event_name": "login",
  "#time": "2026-01-01 00:00:00",
  "#account_id": "a",
  ...changes,
});
const user = (operation: string, properties: unknown, changes: Record<string, unknown> = {}) => ({
  "#type": operation,
  "#time": "2026-01-01 00:00:00",
  "#account_id": "a",
  properties,
  ...changes,
});
const timeMs = Date.UTC(2026, 0, 1);

describe("records become rows", () => {
  it("of events, with new numbers for what is new", async () => {
    const prepared = await prepare(
      track({ "#distinct_id": "d", properties: { Price: 12.5, city: "Köln", vip: true, tags: ["x", "y"] } }),
      track({ "#event_name": "Login", properties: { price: "3", born: "2020-01-02 03:04:05.678" } }),
    );
    expect(rowsOf(prepared, "days")).toEqual([
      {
        e: 1,
        t: timeMs,
        r: receivedMs,
        u: 1,
        a: "a",
        d: "d",
        p: { 1: 12.5, 2: "Köln", 3: true, 4: ["x", "y"] },
      },
      { e: 2, t: timeMs, r: receivedMs, u: 1, a: "a", p: { 1: 3, 5: Date.UTC(2020, 0, 2, 3, 4, 5, 678) } },
    ]);
    const [rows] = prepared.batch.projects;
    expect(rows?.newEvents).toEqual([
      { name: "login", number: 1 },
      { name: "Login", number: 2 },
    ]);
    expect(rows?.newProperties.map(({ table, name, number, type }) => [table, name, number, type])).toEqual([
      ["event", "price", 1, "number"],
      ["event", "city", 2, "text"],
      ["event", "vip", 3, "boolean"],
      ["event", "tags", 4, "list"],
      ["event", "born", 5, "time"],
    ]);
    expect(rows?.counts).toEqual({ events: 2, updates: 0, seen: 1, users: 0 });
    expect(prepared.counts).toMatchObject({ records: 2, events: 2, refused: {}, dropped: {} });
  });

  it("of object groups, with a list for each member", async () => {
    const prepared = await prepare(track({ properties: { items: [{ id: 1, name: "x" }, { id: 2 }] } }));
    const [rows] = prepared.batch.projects;
    expect(rows?.newProperties).toEqual([
      { table: "event", name: "items", number: 1, type: "object_group" },
      { table: "event", name: "items.id", number: 2, type: "number", group: "items" },
      { table: "event", name: "items.name", number: 3, type: "text", group: "items" },
    ]);
    expect(rowsOf(prepared, "days")).toMatchObject([
      { p: { 1: '[{"id":1,"name":"x"},{"id":2}]', 2: [1, 2], 3: ["x", null] } },
    ]);
  });

  it("of events that may be changed, in their order", async () => {
    const update = (type: string) => track({ "#type": type, "#event_id": "o-1", properties: { n: 1 } });
    const prepared = await prepare(update("track_update"), update("track_overwrite"));
    expect(rowsOf(prepared, "updatesFile")).toEqual(
      ["update", "overwrite"].map((o) => ({
        i: "o-1",
        o,
        e: 1,
        t: timeMs,
        r: receivedMs,
        u: 1,
        a: "a",
        p: { 1: 1 },
      })),
    );
  });

  it("of users, and of what makes them known", async () => {
    const prepared = await prepare(
      user("user_set", { name: "n", address: { city: "x", zip: "1" } }),
      user("user_set", { address: { city: "y" } }, { "#distinct_id": "d" }),
      user("user_add", { coins: 5 }),
      user("user_unset", { name: 0 }),
      user("user_del", {}),
    );
    expect(rowsOf(prepared, "seenFile")).toEqual([
      { u: 1, a: "a" },
      { u: 1, a: "a", d: "d" },
    ]);
    expect(rowsOf(prepared, "usersFile")).toEqual([
      { u: 1, o: "set", p: { 1: "n", 2: '{"city":"x","zip":"1"}', 3: "x", 4: "1" } },
      { u: 1, o: "unset", p: { 4: null } },
      { u: 1, o: "set", p: { 2: '{"city":"y"}', 3: "y" } },
      { u: 1, o: "add", p: { 5: 5 } },
      { u: 1, o: "unset", p: { 1: null } },
      { u: 1, o: "del", p: {} },
    ]);
    expect(prepared.counts).toMatchObject({ records: 5, users: 5, events: 0 });
  });

  it("of users whose visitor is another user, without the visitor", async () => {
    const prepared = await prepare(
      user("user_set", { name: "n" }, { "#distinct_id": "d" }),
      user("user_set", { name: "m" }, { "#account_id": "b", "#distinct_id": "d" }),
      track({ "#account_id": undefined, "#distinct_id": "d" }),
    );
    expect(rowsOf(prepared, "seenFile")).toEqual([
      { u: 1, a: "a", d: "d" },
      { u: 2, a: "b" },
    ]);
    expect(rowsOf(prepared, "days")).toMatchObject([{ u: 1, d: "d" }]);
  });

  it("of integers beyond 2^53, exact within objects, lists and texts", async () => {
    const properties =
      '{"o":{"id":12345678901234567890,"n":1},"l":[9007199254740993],"big":12345678901234567890,"t":"x"}';
    const record = (given: string) =>
      `{"#type":"track","#event_name":"login","#time":"2026-01-01 00:00:00","#account_id":"a","properties":${given}}`;
    const prepared = await prepareText(
      `{"p":1,"r":${receivedMs},"b":[${record(properties)},${record('{"t":9007199254740993}')}]}\n`,
    );
    const [first, second] = rowsOf(prepared, "days") as { p: Record<string, unknown> }[];
    expect(Object.values(first!.p)).toEqual([
      '{"id":12345678901234567890,"n":1}',
      "12345678901234567890",
      1,
      ["9007199254740993"],
      "12345678901234567890",
      "x",
    ]);
    expect(Object.values(second!.p)).toEqual(["9007199254740993"]);
  });

  it("without integers beyond 2^53 of numeric properties, which become dead letters", async () => {
    const record = (given: string) =>
      `{"#type":"track","#event_name":"login","#time":"2026-01-01 00:00:00","#account_id":"a","properties":${given}}`;
    const prepared = await prepareText(
      `{"p":1,"r":${receivedMs},"b":[${record('{"id":1}')},${record('{"id":9007199254740993,"n":2}')}]}\n`,
    );
    expect(rowsOf(prepared, "days")).toMatchObject([{ p: { 1: 1 } }, { p: { 2: 2 } }]);
    expect(prepared.counts).toMatchObject({ events: 2, refused: {}, dropped: { number_range: 1 } });
    expect(lettersOf(prepared)).toMatchObject([
      {
        source: "event.load",
        index: "project 1",
        reason: "number_range",
        message: "id 9007199254740993 is beyond ±9007199254740991 and would be changed, send it as text",
        line: record('{"id":9007199254740993,"n":2}'),
      },
    ]);
  });

  it("of no record, whose refusal has its integers as they were", async () => {
    const prepared = await prepareText(
      `{"p":1,"r":${receivedMs},"b":{"#type":"track","n":12345678901234567890}}\n`,
    );
    expect(lettersOf(prepared)[0]?.line).toContain('"n":12345678901234567890');
  });

  it("of several projects, each with its zone and numbers", async () => {
    const prepared = await prepareText(
      spooled(track({ properties: { x: 1 } })) + spooled([track({ properties: { y: 1 } })], 2),
    );
    expect(rowsOf(prepared, "days", 1)).toMatchObject([{ e: 1, t: timeMs, u: 1, p: { 1: 1 } }]);
    expect(rowsOf(prepared, "days", 2)).toMatchObject([
      { e: 1, t: timeMs - 8 * 3_600_000, u: 1, p: { 1: 1 } },
    ]);
  });

  it("of several days, each with a file of its own and the properties that its events have", async () => {
    const prepared = await prepare(
      track({ properties: { a: 1, o: { b: 2 } } }),
      track({ "#time": "2025-12-31 23:59:59.999", properties: { c: 3 } }),
      track({ properties: { a: 2, d: "" } }),
      user("user_set", { x: 1 }),
    );
    const day = timeMs / 86_400_000;
    expect(prepared.batch.projects[0]?.days).toMatchObject([
      { day, events: 2, properties: [1, 2, 3] },
      { day: day - 1, events: 1, properties: [4] },
    ]);
    expect(rowsOf(prepared, "days")).toMatchObject([{ p: { 1: 1, 3: 2 } }, { p: { 1: 2 } }, { p: { 4: 3 } }]);
  });

  it("with the numbers that the store knows", async () => {
    await start({
      version: 3,
      events: new Map([["login", { name: "login", number: 7 }]]),
      properties: new Map([["event:price", { table: "event", name: "price", number: 9, type: "text" }]]),
    });
    const prepared = await prepare(
      track({ properties: { price: 1, extra: 1 } }),
      track({ "#event_name": "other" }),
    );
    expect(rowsOf(prepared, "days")).toMatchObject([
      { e: 7, p: { 9: "1", 10: 1 } },
      { e: 8, p: {} },
    ]);
  });
});

describe("records that give no row", () => {
  it("are counted and handed out with the reason", async () => {
    const prepared = await prepare(
      track({ "#type": "tracks" }),
      track({ "#account_id": undefined }),
      track({ "#time": "2022-01-01 00:00:00" }),
      track({ "#time": "2026-02-30 00:00:00" }),
      7,
      track(),
    );
    expect(prepared.counts).toMatchObject({
      records: 6,
      events: 1,
      refused: { type: 1, no_id: 1, time_too_old: 1, time_format: 1, not_an_object: 1 },
    });
    const letters = lettersOf(prepared);
    expect(letters.map(({ reason }) => reason)).toEqual([
      "type",
      "no_id",
      "time_too_old",
      "time_format",
      "not_an_object",
    ]);
    expect(letters[0]).toMatchObject({
      source: "event.load",
      index: "project 1",
      line: expect.stringContaining("tracks"),
    });
  });

  it("are those that were there before", async () => {
    const first = await prepare(
      track({ "#uuid": "u-1" }),
      track({ "#uuid": "u-1" }),
      track({ "#first_check_id": "c" }),
    );
    const second = await prepare(
      track({ "#first_check_id": "c" }),
      track({ "#uuid": "u-1" }),
      track({ "#uuid": "u-2" }),
    );
    expect(first.counts).toMatchObject({ events: 2, duplicates: { uuid: 1, first_check_id: 0 } });
    expect(second.counts).toMatchObject({ events: 1, duplicates: { uuid: 1, first_check_id: 1 } });
  });

  it("tell properties that were dropped", async () => {
    const prepared = await prepare(
      track({ properties: { o: { "1bad": 1 }, n: 1, "#user_id": 3 }, oops: 1 }),
      track({ properties: { n: "x" } }),
    );
    expect(prepared.counts).toMatchObject({
      events: 2,
      dropped: { name: 1, root_key: 1, reserved: 1, type: 1 },
    });
  });

  it.each([
    { text: '{"p":1,"r":1\n', reason: "bad_line" },
    { text: '{"p":"1","r":1,"b":[]}\n', reason: "bad_line" },
    { text: "null\n", reason: "bad_line" },
    { text: spooled([track()], 3), reason: "unknown_project" },
  ])("are lines such as $text", async ({ text, reason }) => {
    const prepared = await prepareText(text + spooled([track()]));
    expect(prepared.counts).toMatchObject({ records: 2, events: 1, refused: { [reason]: 1 } });
    expect(lettersOf(prepared)).toMatchObject([{ reason }]);
  });

  it("are lines that are to be left out", async () => {
    const first = spooled([track(), track()]);
    const prepared = await prepareText(first + spooled([track()]), { skipped: [0] });
    expect(prepared.counts).toMatchObject({ records: 2, events: 1, refused: { internal: 1 } });
    expect(lettersOf(prepared)[0]?.line).toBe(first.trimEnd());
  });

  it.each([65, 100_000])("have the beginning of their text, also with %d levels", async (levels) => {
    const deep = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const line = Buffer.from(encodeSpoolLine(1, receivedMs, Buffer.from(deep))).toString();
    const [letter] = lettersOf(await prepareText(`${line}\n`));
    expect(letter?.line.length).toBeGreaterThan(5 * 65);
    expect(deep.startsWith(letter?.line ?? "-")).toBe(true);
  });
});

describe("a project with limits on names", () => {
  const names = { maxEventNames: 2, maxNewNamesPerMinute: 3 };
  const of = (name: string, properties: unknown = {}) => track({ "#event_name": name, properties });
  const from = (appid: string, ...records: unknown[]): string => {
    const line = encodeSpoolLine(1, receivedMs, Buffer.from(JSON.stringify(records)), appid);
    return `${Buffer.from(line).toString()}\n`;
  };

  it("refuses events of further names, as dead letters, and says so", async () => {
    await start(emptySchema, { names });
    const prepared = await prepare(of("a"), of("b"), of("c", { p: 1 }), of("a"));
    expect(prepared.counts).toMatchObject({ events: 3, refused: { event_limit: 1 } });
    expect(prepared.batch.projects[0]).toMatchObject({
      newEvents: [{ name: "a" }, { name: "b" }],
      newProperties: [],
    });
    expect(lettersOf(prepared)).toMatchObject([
      { reason: "event_limit", line: JSON.stringify(of("c", { p: 1 })) },
    ]);
    expect(prepared.limited).toEqual([{ projectId: 1, reason: "event_limit", name: "c" }]);
  });

  it("limits the new names of each app id in a minute, in any batches", async () => {
    await start(emptySchema, { names });
    const first = await prepareText(from("x", of("a", { p: 1 })));
    const second = await prepareText(from("x", of("a", { q: 1, r: 1 })) + from("y", of("a", { s: 1 })));
    expect(first.limited).toEqual([]);
    expect(second.limited).toEqual([{ projectId: 1, reason: "name_rate", name: "r" }]);
    expect(second.batch.projects[0]?.newProperties.map(({ name }) => name)).toEqual(["q", "s"]);
  });

  it("goes on counting where what the store has loaded left it", async () => {
    await start(emptySchema, { names });
    const { rates } = await prepareText(from("x", of("a", { p: 1, q: 1 })));
    await preparer.reset({
      loadedTo: undefined,
      names,
      projects: new Map([[1, { schema: emptySchema, zone: "+00:00", rates: rates?.get(1) }]]),
    });
    expect((await prepareText(from("x", of("a")))).counts.refused).toEqual({ name_rate: 1 });
  });

  it("takes any number of new properties of what names no app id", async () => {
    await start(emptySchema, { names });
    const { counts } = await prepare(of("a", { p: 1, q: 1, r: 1, s: 1, t: 1 }));
    expect(counts).toMatchObject({ events: 1, dropped: {} });
  });

  it("starts with any number of names", async () => {
    const events = new Map(
      Array.from({ length: 200_000 }, (_, i) => [`e${i}`, { name: `e${i}`, number: i + 1 }]),
    );
    await start({ ...emptySchema, events }, { names });
    expect((await prepare(of("e7"), of("new"))).counts).toMatchObject({
      events: 1,
      refused: { event_limit: 1 },
    });
  });
});

describe("a project with as many properties as it may have", () => {
  it("keeps those, and gets no further ones", async () => {
    await start(emptySchema, { maxProperties: 2 });
    const first = await prepare(track({ properties: { a: 1 } }), user("user_set", { x: 1, y: 2, z: 3 }));
    const second = await prepare(
      track({ properties: { b: 1, c: 2 } }),
      track({ properties: { d: 3, A: 4 } }),
    );
    expect(rowsOf(first, "usersFile")).toMatchObject([{ p: { 2: 1, 3: 2 } }]);
    expect(rowsOf(second, "days")).toMatchObject([{ p: { 4: 1 } }, { p: { 1: 4 } }]);
    expect(second.batch.projects[0]?.newProperties.map(({ name }) => name)).toEqual(["b"]);
    expect([first, second].map(({ counts }) => counts)).toMatchObject([
      { events: 1, users: 1, dropped: { property_limit: 1 } },
      { events: 2, refused: {}, dropped: { property_limit: 2 } },
    ]);
    expect([...first.overLimit]).toEqual([[1, { name: "z", reason: "property_limit" }]]);
  });

  it("counts each project by itself, and only what records define that are kept", async () => {
    await start(emptySchema, { maxProperties: 1 });
    await prepare(track({ "#uuid": "u" }));
    const duplicate = track({ "#uuid": "u", properties: { a: 1 } });
    const prepared = await prepareText(
      spooled([duplicate, track({ properties: { b: 1 } })]) + spooled([track({ properties: { c: 1 } })], 2),
    );
    expect(prepared.counts).toMatchObject({ events: 2, duplicates: { uuid: 1 }, dropped: {} });
    expect(prepared.overLimit.size).toBe(0);
  });

  it("keeps more when the store has more already", async () => {
    const stored = ["p", "q"].map(
      (name, at) => ({ table: "event", name, number: at + 1, type: "number" }) as const,
    );
    const properties = new Map(stored.map((one) => [`event:${one.name}`, one]));
    await start({ ...emptySchema, properties }, { maxProperties: 1 });
    const prepared = await prepare(track({ properties: { p: 1, q: 2, r: 3 } }));
    expect(rowsOf(prepared, "days")).toMatchObject([{ p: { 1: 1, 2: 2 } }]);
    expect(prepared.counts.dropped).toEqual({ property_limit: 1 });
  });
});

describe("batches", () => {
  it("take whole lines until there are enough records", async () => {
    const line = spooled([track(), track()]);
    const prepared = await prepareText(line.repeat(3), { maxRecords: 3 });
    expect(prepared.batch).toMatchObject({
      from: { number: 1, offset: 0 },
      to: { number: 1, offset: line.length * 2 },
    });
    expect(prepared).toMatchObject({ lines: 2, firstReceivedMs: receivedMs });
  });

  it("prepared again after a reset are the same", async () => {
    const records = [
      track({ "#uuid": "u", properties: { x: 1 } }),
      user("user_set", { y: 1 }, { "#distinct_id": "d" }),
    ];
    const first = await prepare(...records);
    const rows = [rowsOf(first, "days"), rowsOf(first, "seenFile"), rowsOf(first, "usersFile")];
    at = { number: 1, offset: 0 };
    await start();
    const second = await prepare(...records);
    expect(second).toEqual(first);
    expect([rowsOf(second, "days"), rowsOf(second, "seenFile"), rowsOf(second, "usersFile")]).toEqual(rows);
  });

  it("that can't be written keep no file open", async () => {
    const nextFile = (): number => {
      const file = openSync(join(folder, "intake.db"), "r");
      closeSync(file);
      return file;
    };
    const day = timeMs / 86_400_000;
    mkdirSync(join(folder, `1-0-1-day${day + 1}.ndjson`));
    const unwritable = track({ "#time": "2026-01-02 00:00:00" });
    const large = Array.from({ length: 400 }, () => track({ properties: { text: "x".repeat(1_000) } }));
    const before = nextFile();
    for (let i = 0; i < 20; i++) {
      await expect(prepare(unwritable, ...large)).rejects.toThrow("EISDIR");
      await start();
    }
    expect(nextFile()).toBeLessThan(before + 20);
  });

  it("hold bytes of any text", async () => {
    const text = '\u0000\u001f"\\ \u2028 ä 😀 \ud800';
    const prepared = await prepare(track({ "#distinct_id": text, properties: { text } }));
    expect(rowsOf(prepared, "days")).toMatchObject([
      { d: text.toWellFormed(), p: { 1: text.toWellFormed() } },
    ]);
  });
});
