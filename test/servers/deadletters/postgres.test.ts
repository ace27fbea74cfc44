import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { encodeDeadLetter } from "../../../store/deadletters/deadletters.ts";
import { openDurablePostgresDeadLetters } from "../../../store/deadletters/durable.ts";
import { moveDeadLetters } from "../../../store/deadletters/move.ts";
import { createNdjsonList } from "../../../store/deadletters/ndjson-list.ts";
import { createPostgresList } from "../../../store/deadletters/postgres/list.ts";
import {
  migrate,
  openPostgresDeadLetters,
  type PostgresDeadLettersOptions,
} from "../../../store/deadletters/postgres/open.ts";
import { describeDeadLetterList } from "../../conformance/deadletter-list.ts";
import { batch, createTallies, describeDeadLetters, letter } from "../../conformance/deadletters.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let lists = 0;

beforeAll(async () => {
  server = await openPostgresServer();
  await migrate(server, "engage");
});
afterAll(() => server[Symbol.asyncDispose]());

const oneLetter = batch(letter()).ndjson.length;

function readLines(list: string): Record<string, unknown>[] {
  const lines = server.query(
    `SELECT content FROM engage.deadletters WHERE list = '${list}' ORDER BY part, number`,
  );
  return lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line));
}

function open(options: Partial<PostgresDeadLettersOptions> = {}) {
  const tallies = createTallies();
  const list = options.list ?? `list-${++lists}`;
  const defaults = { connection: server, schema: "engage", maxBytes: 1e6, keepFiles: 2, observer: tallies };
  const letters = openPostgresDeadLetters({ ...defaults, ...options, list });
  return { list, letters, counts: tallies.counts, read: () => readLines(list) };
}

describeDeadLetters(async (observer) => {
  const { letters, read } = open({ observer });
  return { letters, read: async () => read() };
});

describeDeadLetterList(async () => {
  const { letters, list } = open();
  const kept = createPostgresList({
    connection: server,
    schema: "engage",
    list,
    byIndex: true,
    maxScanned: 3,
  });
  onTestFinished(async () => {
    await letters[Symbol.asyncDispose]();
    await kept[Symbol.asyncDispose]();
  });
  return { letters, list: kept };
});

describe("a list of dead letters", () => {
  it("can be searched although lines have NUL, or are no Unicode", async () => {
    const { letters, list, read } = open();
    const lines = ["a\0b", "\ud800", 'a "quoted" \\u0000 line', "\u2028"];
    letters.append(batch(...lines.map((line) => letter({ line, message: `bad: ${line}` }))));
    await letters[Symbol.asyncDispose]();
    expect(read().map(({ line, line_base64 }) => line ?? line_base64)).toEqual([
      Buffer.from("a\0b").toString("base64"),
      Buffer.from("\ufffd").toString("base64"),
      ...lines.slice(2),
    ]);
    const found = `SELECT count(*) FROM engage.deadletters WHERE content->>'message' LIKE 'bad: %'`;
    expect(server.query(`${found} AND list = '${list}'`)).toBe("4");
  });

  it("continues in another part before one grows too large, and the oldest are deleted", async () => {
    const { letters, read, counts } = open({ maxBytes: 3 * oneLetter, keepFiles: 2 });
    letters.append(batch(...Array.from({ length: 20 }, (_, n) => letter({ line: String(n % 10) }))));
    await letters[Symbol.asyncDispose]();
    expect(read().map(({ line }) => line)).toEqual(["2", "3", "4", "5", "6", "7", "8", "9"]);
    expect(counts).toEqual({ written: 20, dropped: 0, failed: 0, resumed: 0 });
  });

  it("deletes thousands at once", async () => {
    const { letters, read } = open({ maxBytes: 6_000 * oneLetter, keepFiles: 0 });
    letters.append(batch(...Array.from({ length: 12_001 }, () => letter())));
    await letters[Symbol.asyncDispose]();
    expect(read()).toHaveLength(1);
  });

  it("can contain one dead letter larger than a part", async () => {
    const { letters, read } = open({ maxBytes: 300, keepFiles: 1 });
    letters.append(batch(letter({ line: "a" }), letter({ line: "b".repeat(1_000) }), letter({ line: "c" })));
    await letters[Symbol.asyncDispose]();
    expect(read().map(({ line }) => line)).toEqual(["b".repeat(1_000), "c"]);
  });

  it("takes those of several processes, each once and in its order", async () => {
    const first = open();
    const both = [first, open({ list: first.list })];
    for (const [n, { letters }] of both.entries()) {
      for (let i = 0; i < 100; i++) letters.append(batch(letter({ source: `${n}`, line: `${i}` })));
    }
    await Promise.all(both.map(({ letters }) => letters[Symbol.asyncDispose]()));
    const expected = Array.from({ length: 100 }, (_, i) => `${i}`);
    for (const source of ["0", "1"]) {
      const own = first.read().filter((one) => one.source === source);
      expect(own.map(({ line }) => line)).toEqual(expected);
    }
  });
});

describe("a database that is not available", () => {
  it("gets the dead letters when it is, and each once", async () => {
    const { letters, read, counts } = open({ retryMs: 10 });
    letters.append(batch(letter({ line: "before" })));
    await letters.flush();
    await server.kill();
    letters.append(batch(letter({ line: "meanwhile" })));
    await vi.waitUntil(() => counts.failed === 1);
    letters.append(batch(letter({ line: "after" })));
    await server.start();
    await vi.waitUntil(() => counts.written === 3, { timeout: 30_000 });
    await letters[Symbol.asyncDispose]();
    expect(read().map(({ line }) => line)).toEqual(["before", "meanwhile", "after"]);
    expect(counts).toEqual({ written: 3, dropped: 0, failed: 1, resumed: 1 });
  });

  it("stores a write once whose reply was lost", async () => {
    const list = `list-${++lists}`;
    // The commit succeeds, and the deletion after it does not.
    server.query(`
      CREATE FUNCTION engage.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'lost'; END $$;
      CREATE TRIGGER fail BEFORE DELETE ON engage.deadletters EXECUTE FUNCTION engage.fail();`);
    const { letters, read, counts } = open({ list, maxBytes: oneLetter, keepFiles: 0, retryMs: 10 });
    letters.append(batch(letter({ line: "1" }), letter({ line: "2" })));
    await vi.waitUntil(() => counts.failed === 1);
    server.query("DROP TRIGGER fail ON engage.deadletters");
    await vi.waitUntil(() => counts.written === 2, { timeout: 30_000 });
    await letters[Symbol.asyncDispose]();
    expect(read().map(({ line }) => line)).toEqual(["2"]);
  });

  it("without its tables is reported once", async () => {
    const failed = vi.fn();
    const { letters } = open({ schema: "never", observer: { ...createTallies(), failed } });
    letters.append(batch(letter()));
    await letters.flush();
    expect(failed).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        name: "DeadLettersOpenError",
        message: 'dead letter store schema "never" has version 0, this program needs 1: run engage migrate',
      }),
    );
    await letters[Symbol.asyncDispose]();
  });
});

it("moves files into a list without those that were replayed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "engage-deadletters-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "parser.ndjson");
  const lines = ["a", "b 战", "c"].map((line) => encodeDeadLetter(letter({ line })));
  await writeFile(file, lines.join(""));
  const list = `list-${++lists}`;
  const files = createNdjsonList({ file, byIndex: false });
  const { items } = await files.list({}, { limit: 1, order: "newest" });
  await files.remove(items.map(({ id }) => id));
  const connection = { ...server, schema: "engage" };
  const moved = { file, keepFiles: 1, source: "folder", list, maxBytes: 1e6, connection };
  expect(await moveDeadLetters(moved)).toBe(2);
  expect(readLines(list).map(({ line }) => line)).toEqual(["a", "b 战"]);
});

describe("dead letters of which none may be lost", () => {
  it("are stored when the promise resolves, however long they are", async () => {
    const list = `list-${++lists}`;
    const observer = { failed: () => {}, resumed: () => {} };
    await using kept = openDurablePostgresDeadLetters({
      connection: server,
      schema: "engage",
      list,
      observer,
    });
    for (const line of ["first", "x".repeat(300_000)]) {
      await kept.keep(letter({ line }));
      expect(readLines(list).at(-1)).toMatchObject({ line });
    }
  });
});
