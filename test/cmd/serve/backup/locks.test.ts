import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { packageRoot } from "../../../../base/package/root.ts";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { holdServed } from "../../../../cmd/serve/backup/hold-socket.ts";
import { lockFolder } from "../../../../cmd/serve/data/lock.ts";
import { openEmbeddedStore } from "../../../../cmd/serve/event/store.ts";
import { IntakeOpenError } from "../../../../store/intake/intake.ts";
import { type FileSchema, openFile } from "../../../../store/sql/sqlite/file.ts";
import { folderWith } from "../../config/load.ts";
import { openEventServer, settingsOf, trackOf } from "../../event-server.ts";
import { runEngage } from "../../run-engage.ts";

const messages = {
  webhook: {
    channels: { mail: { auth: "off", targets: ["box"] } },
    targets: { box: { kind: "pull" } },
    inbox: { minFreeBytes: 0 },
  },
};

/** Tries to write each file, and prints a line of JSON with the error of each. */
const writer = `
const { DatabaseSync } = require("node:sqlite");
const { DuckDBInstance } = require("@duckdb/node-api");
const lock = (path) => new DatabaseSync(path, { timeout: 0 }).exec("BEGIN IMMEDIATE");
const write = async (path) => {
  try {
    await (path.endsWith(".duckdb") ? DuckDBInstance.create(path) : lock(path));
  } catch (error) {
    return error.message;
  }
};
Promise.all(process.argv.slice(1).map(write)).then((found) => console.log(JSON.stringify(found)));
`;

/** What another process reports that tries to write the files. */
async function writeElsewhere(paths: readonly string[]): Promise<unknown> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["-e", writer, ...paths], { cwd: packageRoot });
  return JSON.parse(stdout);
}

const anyFile: FileSchema = {
  faults: { noun: "store", ifDamaged: "restore it", OpenError: IntakeOpenError },
  applicationId: 0,
  migrations: [],
};

function openSqlite(path: string): Disposable {
  const db = openFile(anyFile, { path, lockWaitMs: 0, configure() {}, holder: () => "a server" });
  return { [Symbol.dispose]: () => db.close() };
}

test("no other process writes what a server has, after a backup and after a second opening in the server", async () => {
  const cwd = folderWith({ "engage.yaml": settingsOf("data", messages) });
  const data = join(cwd, "data");
  const { config } = loadConfig({ env: {}, cwd });
  const server = await openEventServer(data, messages);
  await server.send([trackOf("a")]);
  await vi.waitFor(async () => expect(await server.times("login")).toBe(1), { timeout: 20_000 });
  await server.post("/webhook/mail", [{ push_id: "ann", "#ops_receipt_properties": {} }]);
  expect(await server.get("/v1/channels")).toContain('"channels"');
  expect(await server.get("/v1/projects/1/queries?token=query-token")).toContain('"savedQueries"');
  expect(await runEngage(["backup", "monday"], { cwd })).toMatchObject({ code: 0 });
  // Each file stays with one thread meanwhile.
  await using _held = await holdServed({ data });
  const files: Readonly<Record<string, (path: string) => unknown>> = {
    "inbox/inbox.db": openSqlite,
    "channels/channels.db": openSqlite,
    "savedqueries/savedqueries.db": openSqlite,
    "events/intake.db": openSqlite,
    "events/lock": () => lockFolder(join(data, "events"), 0),
    "events/store/events.duckdb": () => openEmbeddedStore(config),
  };
  const paths = Object.keys(files).map((name) => join(data, name));
  const isLocked = [
    ...Array.from({ length: 5 }, () => "database is locked"),
    expect.stringContaining("Could not set lock on file"),
  ];
  expect(await writeElsewhere(paths)).toEqual(isLocked);
  for (const [at, open] of Object.values(files).entries()) {
    await expect((async () => open(paths[at]!))()).rejects.toThrow(/is in use by|is open in this process/);
  }
  expect(await writeElsewhere(paths)).toEqual(isLocked);
});
