import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { sha256Hex } from "../../../../base/text/digest.ts";
import { holdServed } from "../../../../cmd/serve/backup/hold-socket.ts";
import { folderWith } from "../../config/load.ts";
import { type EventServer, openEventServer, settingsOf, trackOf } from "../../event-server.ts";
import { type RunResult, runEngage } from "../../run-engage.ts";

const patience = { timeout: 20_000 };
const messages = {
  webhook: {
    channels: { mail: { auth: "off", targets: ["box"] } },
    targets: { box: { kind: "pull" } },
    inbox: { minFreeBytes: 0 },
  },
  channel: { outbound: { allow: ["127.0.0.0/8"] } },
};
const channel = {
  name: "mail",
  projectId: 1,
  url: "http://127.0.0.1:9/",
  pushIdProperty: "#account_id",
  authentication: { secret: "a-shared-secret" },
  contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true }],
};

/** A folder with a configuration, whose data folder is `data` in it. */
function makeFolder(changes: object = {}): string {
  return folderWith({ "engage.yaml": settingsOf("data", { ...messages, ...changes }) });
}

/** Stores something of each kind. */
async function fill(server: EventServer): Promise<void> {
  await server.send([trackOf("a"), trackOf("b"), { ...trackOf("c"), "#type": "user_set" }]);
  await vi.waitFor(async () => expect(await server.times("login")).toBe(2), patience);
  await server.post("/webhook/mail", [{ push_id: "ann", "#ops_receipt_properties": {} }]);
  expect(await server.post("/v1/channels", channel)).toContain('"channelId":"c1"');
  await server.post("/sync_server", ["broken"], { appid: "app", compress: "none" });
}

const contents = {
  projects: 1,
  events: 2,
  users: 3,
  waitingBytes: 0,
  batches: 1,
  pushChannels: 1,
  tasks: 0,
  savedQueries: 0,
  tokens: 1,
};

interface BackupList {
  readonly contents: typeof contents;
  readonly files: readonly { readonly path: string }[];
}

function listOf(backup: string): BackupList {
  return JSON.parse(readFileSync(join(backup, "backup.json"), "utf8")) as BackupList;
}

/** Only this user can read a backup, which has the files of stores alone. */
function expectPrivate(backup: string, { files }: BackupList): void {
  const paths = files.map(({ path }) => path);
  const modes = ["", "backup.json", "data", ...paths].map(
    (path) => statSync(join(backup, path)).mode & 0o077,
  );
  expect(new Set(modes)).toEqual(new Set([0]));
  expect(paths).toContain("data/events/store/events.duckdb");
  expect(paths.filter((path) => /\/lock|\.sock|temp|scratch|staging|reserve|-shm|-wal/.test(path))).toEqual(
    [],
  );
}

/** The files of a folder with digests of their contents, without the lock, which names the last process. */
function treeOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== "lock")
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path, sha256Hex(readFileSync(path, "latin1"))]));
}

const failed = (message: string): Partial<RunResult> => ({
  code: 1,
  stderr: expect.stringContaining(message),
});

describe("engage backup and engage restore", () => {
  test("copy what a stopped server has, and put it back", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    await runEngage(["token", "create", "one", "--project", "1"], { cwd });
    await server.stop();
    const backed = await runEngage(["backup", "monday"], { cwd });
    expect(backed).toMatchObject({ code: 0, stderr: expect.stringContaining("of a stopped server") });
    expect(backed.stdout).toMatch(
      /^2 events and 3 users of 1 project\n1 webhook batch, 1 push channel, 0 tasks\n0 saved queries, 1 query token\n"monday" is complete: \d+ files, /,
    );
    const list = listOf(join(cwd, "monday"));
    expect(list.contents).toEqual(contents);
    expectPrivate(join(cwd, "monday"), list);
    rmSync(join(cwd, "data"), { recursive: true });
    const restored = await runEngage(["restore", "monday"], { cwd });
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('is restored into "') });
    const again = await openEventServer(join(cwd, "data"), messages);
    expect(await again.times("login")).toBe(2);
    expect(JSON.parse(await again.get("/v1/channels"))).toMatchObject({ channels: [{ name: "mail" }] });
    expect(await again.get("/v1/webhook/deliveries")).toContain('"pushId":"ann"');
    await again.send([trackOf("a")]);
    await vi.waitFor(async () => expect(await again.times("login")).toBe(3), patience);
  });

  test("copy what a running server has, of the moment of the copy", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    const backed = await runEngage(["backup", "monday", "--json"], { cwd });
    expect(backed.code).toBe(0);
    expect(JSON.parse(backed.stdout)).toMatchObject({
      folder: "monday",
      contents: { ...contents, tokens: 0 },
      notIncluded: [],
    });
    await server.send([trackOf("d")]);
    await vi.waitFor(async () => expect(await server.times("login")).toBe(3), patience);
    expect(await runEngage(["restore", "monday"], { cwd })).toMatchObject(
      failed("a server runs on the data folder"),
    );
    await server.stop();
    const restored = await runEngage(["restore", "monday", "--replace", "--json"], { cwd });
    expect(restored.code).toBe(0);
    expect(restored.stderr).toMatch(/^what was there before is kept in ".*data\/replaced-/);
    expect(JSON.parse(restored.stdout)).toMatchObject({ contents: { events: 2 } });
    const again = await openEventServer(join(cwd, "data"), messages);
    expect(await again.times("login")).toBe(2);
  });

  test("find damage before anything is changed", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    await server.stop();
    await runEngage(["backup", "monday"], { cwd });
    rmSync(join(cwd, "data"), { recursive: true });
    const monday = join(cwd, "monday");
    await cp(monday, join(cwd, "damaged"), { recursive: true });
    const damaged = join(cwd, "damaged", "data");
    const database = "events/store/events.duckdb";
    const bytes = readFileSync(join(damaged, database));
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(join(damaged, database), bytes);
    appendFileSync(join(damaged, "inbox", "inbox.db"), "x");
    rmSync(join(damaged, "channels", "channels.db"));
    writeFileSync(join(damaged, "more"), "");
    const found = await runEngage(["restore", "damaged"], { cwd });
    expect([found.code, found.stderr.trim().split("\n")]).toEqual([
      1,
      [
        'engage: "damaged" is damaged, nothing was restored',
        "data/more is not in the list",
        "data/channels/channels.db is missing",
        `data/${database} has another checksum`,
        expect.stringMatching(/^data\/inbox\/inbox\.db has \d+ bytes instead of \d+$/),
      ],
    ]);
    rmSync(join(cwd, "damaged", "backup.json"));
    expect(await runEngage(["restore", "damaged"], { cwd })).toMatchObject(
      failed('"damaged" is not a complete backup'),
    );
    expect(existsSync(join(cwd, "data"))).toBe(false);
    const checked = await runEngage(["restore", "monday", "--check"], { cwd });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("is intact: ") });
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });

  test("refuse what would mix or lose data", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    await server.stop();
    expect(await runEngage(["backup", "data/inside"], { cwd })).toMatchObject(
      failed("is in the data folder"),
    );
    expect(await runEngage(["backup", "."], { cwd })).toMatchObject(failed('"." is not empty'));
    await runEngage(["backup", "monday"], { cwd });
    expect(await runEngage(["backup", "monday"], { cwd })).toMatchObject(failed('"monday" is not empty'));
    expect(await runEngage(["restore", "monday"], { cwd })).toMatchObject(
      failed("exists: move the data folder away"),
    );
    writeFileSync(join(cwd, "file"), "");
    expect(await runEngage(["backup", "file/monday"], { cwd })).toMatchObject(
      failed('cannot write "file/monday"'),
    );
    const none = makeFolder();
    expect(await runEngage(["backup", "monday"], { cwd: none })).toMatchObject(failed("does not exist"));
    const shared = folderWith({
      "engage.yaml": JSON.stringify({
        data: "data",
        stores: {
          driver: "shared",
          postgres: { url: "postgresql://127.0.0.1:9/x" },
          clickhouse: { shards: ["http://127.0.0.1:9"] },
        },
      }),
    });
    expect(await runEngage(["backup", "monday"], { cwd: shared })).toMatchObject(
      failed("copy PostgreSQL and ClickHouse together"),
    );
  });

  test("delete only the oldest backups of this data folder, and only after a new one", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    await server.stop();
    const backups = join(cwd, "backups");
    const copyOf = (name: string, changes: object): string => {
      const folder = join(backups, name);
      cpSync(join(backups, "first"), folder, { recursive: true });
      const list = JSON.parse(readFileSync(join(folder, "backup.json"), "utf8")) as object;
      writeFileSync(join(folder, "backup.json"), JSON.stringify({ ...list, ...changes }));
      return folder;
    };
    await runEngage(["backup", "backups/first"], { cwd });
    copyOf("old", { time: "2026-01-02T00:00:00.000Z" });
    copyOf("oldest", { time: "2026-01-01T00:00:00.000Z" });
    copyOf("of-another", { time: "2026-01-01T00:00:00.000Z", data: "/other" });
    copyOf("newer-format", { time: "2026-01-01T00:00:00.000Z", format: 9 });
    writeFileSync(join(copyOf("with-notes", { time: "2026-01-01T00:00:00.000Z" }), "notes"), "");
    rmSync(join(copyOf("incomplete", {}), "backup.json"));
    symlinkSync("old", join(backups, "link"));
    writeFileSync(join(backups, "file"), "");
    const all = readdirSync(backups);
    expect(await runEngage(["backup", "backups/file/x", "--keep", "1"], { cwd })).toMatchObject({ code: 1 });
    expect(readdirSync(backups)).toEqual(all);
    const backed = await runEngage(["backup", "backups/second", "--keep", "2"], { cwd });
    expect(backed.stdout).toContain('\n"backups/oldest" is deleted\n"backups/old" is deleted\n');
    const left = [...all.filter((name) => !["old", "oldest"].includes(name)), "second"];
    expect(new Set(readdirSync(backups))).toEqual(new Set(left));
  });

  test("a restore that fails in the middle leaves the old data as it was", async () => {
    const cwd = makeFolder({ parser: { deadLetters: { file: "p" } } });
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    await server.stop();
    await runEngage(["backup", "monday"], { cwd });
    const data = join(cwd, "data");
    // The copies before this one are complete.
    const obstacle = join(data, "events", "store", "events.duckdb.restoring");
    mkdirSync(obstacle);
    const before = treeOf(data);
    expect(await runEngage(["restore", "monday", "--replace"], { cwd })).toMatchObject(
      failed(`cannot write ${JSON.stringify(obstacle)}`),
    );
    expect(treeOf(data)).toEqual(before);
    rmSync(obstacle, { recursive: true });
    // Moved away, its name would be too long.
    writeFileSync(join(data, `p.${"1".repeat(250)}`), "");
    const other = treeOf(data);
    expect(await runEngage(["restore", "monday", "--replace"], { cwd })).toMatchObject(
      failed("the name is too long"),
    );
    expect(treeOf(data)).toEqual(other);
  });

  test("a copy that lacks what was acknowledged is no backup", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    await server.stop();
    rmSync(join(cwd, "data", "inbox"), { recursive: true });
    expect(await runEngage(["backup", "monday"], { cwd })).toMatchObject(failed('inbox.db" is missing'));
    expect(readdirSync(join(cwd, "monday"))).toEqual([]);
  });
});

describe("held files", () => {
  test("accept records, which are loaded after the release", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    const held = (await holdServed({ data: join(cwd, "data") }))!;
    expect(await server.send([trackOf("d")])).toBe('{"code":0}');
    expect(await server.times("login")).toBe(2);
    held.check();
    await held[Symbol.asyncDispose]();
    await vi.waitFor(async () => expect(await server.times("login")).toBe(3), patience);
  });

  test("are no longer held when the server ends", async () => {
    const data = folderWith({});
    const server = await openEventServer(data, messages);
    await fill(server);
    await using held = (await holdServed({ data }))!;
    await server.stop();
    await vi.waitFor(
      () => expect(held.check).toThrow("the server ended while its files were copied"),
      patience,
    );
    expect(await holdServed({ data })).toBeUndefined();
  });
});
