import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../../base/text/digest.ts";
import { openEventServer } from "../../event-server.ts";
import { runEngage } from "../../run-engage.ts";
import { failed, fill, makeFolder, messages } from "./filled-server.ts";

/** The files of a folder with digests of their contents, without the lock, which names the last process. */
function treeOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== "lock")
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path, sha256Hex(readFileSync(path, "latin1"))]));
}

describe("engage backup and engage restore", () => {
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
});
