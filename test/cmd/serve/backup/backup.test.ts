import { cpSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { folderWith } from "../../config/load.ts";
import { openEventServer, trackOf } from "../../event-server.ts";
import { runEngage } from "../../run-engage.ts";
import { contents, failed, fill, makeFolder, messages, patience } from "./filled-server.ts";

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
