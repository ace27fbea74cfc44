import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { backUp } from "../../../../cmd/serve/backup/backup.ts";
import { restore } from "../../../../cmd/serve/backup/restore.ts";
import { captureOutput } from "../../captured-output.ts";
import { folderWith, loadText } from "../../config/load.ts";
import { runEngage } from "../../run-engage.ts";

const { signal } = new AbortController();

/** An empty data folder, and a folder with its backup `old`. */
async function openFolder() {
  const data = join(folderWith({}), "data");
  mkdirSync(data);
  const backups = folderWith({});
  const { config } = loadText(JSON.stringify({ data, projects: [{ id: 1 }] }));
  /** Makes a backup and keeps no other one. Returns what it prints, and its error. */
  const add = async (name: string, json = false): Promise<{ printed: string; fault: unknown }> => {
    const { streams, written } = captureOutput();
    const made = backUp(config, join(backups, name), { keep: 1 }, { ...streams, json, signal });
    const fault = await made.catch((error: unknown) => error);
    return { printed: written.stdout, fault };
  };
  expect(await add("old")).toMatchObject({ fault: undefined });
  return { data, backups, config, add, names: () => readdirSync(backups).sort() };
}

/** Makes the data of a backup too deep to be deleted. Returns what makes it as it was. */
function blockDeletion(backup: string): () => void {
  const deep = Array.from({ length: 12 }, () => "d".repeat(200)).join("/");
  const half = `${backup}-half`;
  const whole = join(backup, "data", deep);
  for (const folder of [join(half, deep), whole]) mkdirSync(folder, { recursive: true });
  renameSync(half, join(whole, "half"));
  return () => renameSync(join(whole, "half"), half);
}

describe("engage backup --keep", () => {
  test("keeps backups of another data folder at the same path", async () => {
    const { data, add, names } = await openFolder();
    renameSync(data, `${data}-first`);
    mkdirSync(data);
    expect(await add("other")).toMatchObject({ fault: undefined });
    expect(names()).toEqual(["old", "other"]);
    await add("new");
    expect(names()).toEqual(["new", "old"]);
  });

  test("keeps the backups from before a restore into a new data folder", async () => {
    const { data, backups, config, add, names } = await openFolder();
    renameSync(data, `${data}-broken`);
    mkdirSync(data);
    await restore(config, join(backups, "old"), {}, { ...captureOutput().streams, signal });
    await add("new");
    expect(names()).toEqual(["new", "old"]);
  });

  test("never takes the new backup for an old one", async () => {
    const { backups, add, names } = await openFolder();
    mkdirSync(join(backups, "real"));
    symlinkSync("real", join(backups, "link"));
    const { printed } = await add("link");
    expect(printed).toContain(`"${join(backups, "link")}" is complete`);
    expect(printed).toContain(`"${join(backups, "old")}" is deleted`);
    expect(names()).toEqual(["link", "real"]);
  });

  test("deletes those beside a backup into the current folder", async () => {
    const { data, backups, names } = await openFolder();
    const here = join(backups, "here");
    mkdirSync(here);
    const env = { ENGAGE_DATA: data };
    const { stdout } = await runEngage(["backup", ".", "--keep", "1"], { cwd: here, env });
    expect(stdout).toMatch(/"\." is complete: .*\n".*\/old" is deleted\n$/);
    expect(names()).toEqual(["here"]);
  });

  test("reports the new backup before an old one that cannot be deleted, and goes on with that one", async () => {
    const { backups, add, names } = await openFolder();
    const old = join(backups, "old");
    const unblock = blockDeletion(old);
    const { printed, fault } = await add("second");
    expect(printed).toMatch(/second" is complete: 0 files, 0 B\n$/);
    expect(String(fault)).toContain(`second" is complete, but the old backup "${old}" cannot be deleted: `);
    // It is no backup any more.
    expect(existsSync(join(old, "backup.json"))).toBe(false);
    const third = await add("third", true);
    expect(third.fault).toBeInstanceOf(Error);
    expect(JSON.parse(third.printed)).toMatchObject({ folder: join(backups, "third"), deleted: [] });
    unblock();
    const deleted = ["old", "second", "third"].map((name) => join(backups, name));
    expect(JSON.parse((await add("fourth", true)).printed)).toMatchObject({ deleted });
    expect(names()).toEqual(["fourth", "old-half"]);
  });
});
