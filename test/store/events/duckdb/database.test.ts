import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { Database } from "../../../../store/events/duckdb/database.ts";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import {
  Batches,
  eventOf,
  openStore,
  recordsOf,
  userOf,
  userRecords,
} from "../../../conformance/events/world.ts";
import { createDuckDbWorld, smallStore } from "./duckdb-world.ts";

const script = join(import.meta.dirname, "load-loop.ts");

/** Creates a database with these statements instead of the store's. */
async function plant(folder: string, statements: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const instance = await DuckDBInstance.create(join(folder, "events.duckdb"));
  const connection = await instance.connect();
  await connection.run(statements);
  connection.closeSync();
  instance.closeSync();
}

describe("a store that can't be opened", () => {
  it("is used by another process, which is named", async () => {
    await using world = await createDuckDbWorld();
    const child = spawn(process.execPath, [script, world.folder], { stdio: ["ignore", "pipe", "inherit"] });
    await once(createInterface({ input: child.stdout }), "line");
    const options = { ...smallStore, folder: join(world.folder, "events"), stagingFolder: world.folder };
    const opening = openDuckDbStore(options);
    await expect(opening).rejects.toMatchObject({ name: "EventsOpenError" });
    await expect(opening).rejects.toThrow(
      `the events in "${join(options.folder, "events.duckdb")}" are in use by another process (${child.pid})`,
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    await using store = await openDuckDbStore(options);
    expect(store.loadedTo()!.offset).toBeGreaterThan(0);
  });

  it("is open in this process already, and stays usable there", async () => {
    await using world = await createDuckDbWorld();
    await using first = await world.open();
    await expect(world.open()).rejects.toThrow("it is open in this process already");
    expect((await first.stats()).projects).toEqual([]);
  });

  it.each<[string, (folder: string) => Promise<void>, RegExp]>([
    [
      "no database",
      (folder) => writeFile(join(folder, "events.duckdb"), "hello".repeat(10_000)),
      /not a valid DuckDB/,
    ],
    [
      "a database of another application",
      (folder) => plant(folder, "CREATE TABLE t (a INTEGER)"),
      /of another application/,
    ],
    [
      "a database of a later format",
      (folder) =>
        plant(folder, "CREATE TABLE store_info (format INTEGER); INSERT INTO store_info VALUES (3)"),
      /it has format 3, this version reads formats 1 and 2/,
    ],
  ])("is %s", async (_what, make, message) => {
    await using world = await createDuckDbWorld();
    await mkdir(world.options.folder);
    await make(world.options.folder);
    await expect(world.open()).rejects.toMatchObject({ name: "EventsOpenError" });
    await expect(world.open()).rejects.toThrow(message);
    await expect(world.open()).rejects.toThrow(/^the events in ".*events.duckdb" can't be opened: /);
  });

  it("has a truncated file", async () => {
    await using opened = await openStore(createDuckDbWorld);
    await using world = await createDuckDbWorld();
    await (await world.open())[Symbol.asyncDispose]();
    const file = join(world.options.folder, "events.duckdb");
    await copyFile(file, `${file}.whole`);
    await truncate(file, 9_000);
    await expect(world.open()).rejects.toMatchObject({
      name: "EventsOpenError",
      message: expect.stringMatching(
        /: restore it, or move it away to load again what the spool still holds$/,
      ),
    });
    await copyFile(`${file}.whole`, file);
    await using store = await world.open();
    expect((await store.stats()).projects).toEqual([]);
    expect(await recordsOf(opened.store)).toEqual([]);
  });

  it("has a damaged log, which is named", async () => {
    await using world = await createDuckDbWorld();
    const child = spawn(process.execPath, [script, world.folder], { stdio: ["ignore", "pipe", "inherit"] });
    await once(createInterface({ input: child.stdout }), "line");
    child.kill("SIGKILL");
    await once(child, "exit");
    const options = { ...smallStore, folder: join(world.folder, "events"), stagingFolder: world.folder };
    const log = join(options.folder, "events.duckdb.wal");
    const bytes = await readFile(log);
    await writeFile(log, Buffer.from(bytes).fill(0xa5, 40, 72));
    const opening = openDuckDbStore(options);
    await expect(opening).rejects.toMatchObject({ name: "EventsOpenError" });
    await expect(opening).rejects.toThrow(`the log "${log}" of the events is damaged: move it away`);
    await writeFile(log, bytes);
    await using store = await openDuckDbStore(options);
    expect(store.loadedTo()!.offset).toBeGreaterThan(0);
    expect(store.settledTo()).toBeUndefined();
  });

  it("has wild cards in its path", async () => {
    await using world = await createDuckDbWorld();
    const options = { ...world.options, stagingFolder: join(world.folder, "a*") };
    await expect(openDuckDbStore(options)).rejects.toThrow(/must not have any of \* \? \[ \] in its path/);
  });
});

describe("an opened store", () => {
  it("gets visitors which its file's format lacks", async () => {
    await using world = await createDuckDbWorld();
    const first = await world.open();
    const users = [
      userOf("seen", { a: "ada", d: "tab" }),
      userOf("seen", { u: 2, d: "tab" }),
      userOf("seen", { u: 3, a: "bob", d: "tab" }),
      userOf("seen", { u: 4, a: "eve", d: "phone" }),
    ];
    await first.load(await new Batches(world.folder).next({ users }));
    await first[Symbol.asyncDispose]();
    await plant(world.options.folder, 'DROP TABLE "v1"; UPDATE store_info SET format = 1');
    await (await world.open())[Symbol.asyncDispose]();
    await using store = await world.open();
    // A user without an account cannot have a visitor of another user.
    expect(await userRecords(store)).toEqual([
      { account: "ada", visitor: undefined },
      { account: undefined, visitor: "tab" },
      { account: "bob", visitor: undefined },
      { account: "eve", visitor: "phone" },
    ]);
    expect(await store.check(new AbortController().signal)).toEqual([]);
  });

  it("drops the leftovers of an interrupted rewrite", async () => {
    await using opened = await openStore(createDuckDbWorld);
    await opened.load({ events: [eventOf()] });
    await using world = await createDuckDbWorld();
    await (await world.open())[Symbol.asyncDispose]();
    await plant(
      world.options.folder,
      'CREATE TABLE "e1_20458_1" (event INTEGER); CREATE TABLE "c1_3" (user_id BIGINT)',
    );
    await using store = await world.open();
    expect(await store.check(new AbortController().signal)).toEqual([]);
  });

  it("has an empty folder for its own files", async () => {
    await using world = await createDuckDbWorld();
    const scratch = join(world.options.folder, "scratch");
    await mkdir(scratch, { recursive: true });
    await writeFile(join(scratch, "left.ndjson"), "{}");
    await using _store = await world.open();
    expect(await readdir(scratch)).toEqual([]);
  });

  it.each([
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM read_json('https://localhost/a.json')",
    "COPY (SELECT 1) TO '/tmp/engage-events-escaped.csv'",
    "ATTACH '/tmp/engage-events-escaped.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET allowed_directories = ['/']",
    "SET threads = 64",
  ])("refuses %s", async (statement) => {
    await using world = await createDuckDbWorld();
    const database = await Database.open(world.options);
    const session = await database.session();
    await expect(session.run(statement)).rejects.toThrow(/Permission Error|configuration has been locked/);
    await database.close();
  });
});

describe("the memory of statements that have ended", () => {
  it("is returned to the system by the engine's allocator", async () => {
    await using world = await createDuckDbWorld();
    const { folder, stagingFolder } = world.options;
    const database = await Database.open({ ...smallStore, folder, stagingFolder });
    await using session = await database.session();
    const names = ["background_threads", "flush_threshold", "bulk_deallocation_flush_threshold"];
    const values = names.map((name) => `CAST(current_setting('allocator_${name}') AS VARCHAR)`);
    expect(await session.rows(`SELECT ${values.join(", ")}`)).toEqual([["true", "15.2 MiB", "15.2 MiB"]]);
    await database.close();
  });
});
