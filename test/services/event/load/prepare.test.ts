import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import {
  folder,
  lettersOf,
  prepare,
  prepareText,
  receivedMs,
  rewind,
  rowsOf,
  spooled,
  start,
  timeMs,
  track,
  usePreparer,
  user,
} from "./preparer-rig.ts";

usePreparer();

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
    rewind();
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
