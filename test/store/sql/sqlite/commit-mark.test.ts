import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readMark } from "../../../../base/files/mark-file.ts";
import { ChannelsOpenError } from "../../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../../store/channels/sqlite/open.ts";
import { InboxOpenError } from "../../../../store/inbox/inbox.ts";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import type { CommitMark } from "../../../../store/sql/sqlite/commit-mark.ts";
import { addChannel } from "../../../conformance/channels/store.ts";
import { batchOf } from "../../../conformance/inbox/batches.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "commit-mark-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, "store", "a.db");
const mark = () => ({ path: join(folder, "marks", "a.mark"), advice: "do this" });
const markedNumber = () => Object.values(readMark<CommitMark>(mark().path)!.numbers)[0];
const small = { reserveBytes: 0, minFreeBytes: 0 };

const stores = {
  inbox: {
    OpenError: InboxOpenError,
    numbers: (count: number) => `${count} batches`,
    missing: (from: number, to: number) => `batches ${from} to ${to}`,
    /** Opens it, adds some, and copies its files as they were before it is closed. */
    async add(count: number, copyTo?: string): Promise<void> {
      await using inbox = await openSqliteInbox({ path: file(), mark: mark(), ...small });
      for (let at = 0; at < count; at++)
        await inbox.accept(batchOf(["p1"], { requestId: `${Math.random()}` }));
      if (copyTo !== undefined) copyFiles(copyTo);
    },
  },
  "channel store": {
    OpenError: ChannelsOpenError,
    numbers: (count: number) => `${count} channels, 0 tasks, 0 runs`,
    missing: (from: number, to: number) => `channels ${from} to ${to}`,
    async add(count: number, copyTo?: string): Promise<void> {
      await using store = await openSqliteChannels({ path: file(), mark: mark(), ...small });
      for (let at = 0; at < count; at++) await addChannel(store, `c${Math.random()}`);
      if (copyTo !== undefined) copyFiles(copyTo);
    },
  },
};

/** As a kill would leave them: with the log. */
function copyFiles(to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(join(folder, "store")))
    copyFileSync(join(folder, "store", name), join(to, name));
}

function restore(from: string): void {
  rmSync(join(folder, "store"), { recursive: true });
  mkdirSync(join(folder, "store"));
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(folder, "store", name));
}

describe.each(Object.entries(stores))("%s", (noun, store) => {
  const killed = () => join(folder, "killed");

  it("reopens with the acknowledged numbers any number of times", async () => {
    await store.add(3);
    await store.add(2);
    await store.add(0);
    expect(markedNumber()).toBe(5);
  });

  it("continues after the process was killed", async () => {
    await store.add(3, killed());
    restore(killed());
    await store.add(1);
    await store.add(0);
    expect(markedNumber()).toBe(4);
  });

  it("names the missing commits when the end of its log was truncated", async () => {
    await store.add(4, killed());
    const kept = statSync(join(killed(), "a.db-wal")).size;
    restore(killed());
    await store.add(6, killed());
    restore(killed());
    const log = join(folder, "store", "a.db-wal");
    expect(statSync(log).size).toBeGreaterThan(kept);
    truncateSync(log, kept);
    const refused = await store.add(0).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(store.OpenError);
    expect((refused as Error).message).toMatch(
      new RegExp(
        `^${noun} file ".*a\\.db" has lost its last \\d+ of \\d+ commits, among them \\w+ \\d+ to 10: restore it with its "-wal" file, or do this$`,
      ),
    );
    // The file is unchanged, so that it can be saved.
    expect(existsSync(file())).toBe(true);
  });

  const losses: readonly (readonly [what: string, lose: () => void | Promise<void>, words: () => string])[] =
    [
      [
        "it is deleted",
        () => rmSync(join(folder, "store"), { recursive: true }),
        () => `is missing; it had ${store.numbers(5)} in `,
      ],
      ["its log is deleted", () => rmSync(`${file()}-wal`), () => `has lost its last `],
      [
        "a copy from before is in its place",
        () => restore(join(folder, "older")),
        () => `has lost its last 3 of `,
      ],
      [
        "another one is in its place",
        async () => {
          rmSync(join(folder, "store"), { recursive: true });
          rmSync(join(folder, "marks"), { recursive: true });
          const known = join(folder, "kept");
          mkdirSync(known);
          await store.add(9);
          copyFileSync(join(folder, "mark"), mark().path);
        },
        () => `is not the database which had ${store.numbers(5)} in `,
      ],
    ];

  it.each(losses)("says so when %s, and goes on when that was accepted", async (_what, lose, words) => {
    await store.add(2);
    copyFiles(join(folder, "older"));
    await store.add(3, killed());
    restore(killed());
    copyFileSync(mark().path, join(folder, "mark"));
    await lose();
    await expect(store.add(0)).rejects.toThrow(`${noun} file "${file()}" ${words()}`);
    await expect(store.add(0)).rejects.toThrow(store.OpenError);
    rmSync(mark().path);
    await store.add(1);
    await store.add(0);
  });

  it("opens a file of a version without marks", async () => {
    await store.add(2);
    rmSync(mark().path);
    await store.add(1);
    expect(Object.values(readMark<CommitMark>(mark().path)!.numbers)[0]).toBe(3);
  });
});
