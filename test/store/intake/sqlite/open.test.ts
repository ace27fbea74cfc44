import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IntakeOpenError } from "../../../../store/intake/intake.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";
import { type IntakeUnderTest, windowMs } from "../../../conformance/intake/store.ts";
import { describeIntake } from "../../../conformance/intake.ts";

interface Folder extends Disposable {
  readonly path: string;
}

function openFolder(): Folder {
  const folder = mkdtempSync(join(tmpdir(), "engage-intake-"));
  return {
    path: join(folder, "intake.db"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

async function start(options: { readonly maxCachedIds?: number } = {}): Promise<IntakeUnderTest> {
  const folder = openFolder();
  return {
    open: async () =>
      openSqliteIntake({ path: folder.path, uuidWindowMs: windowMs, lockWaitMs: 0, ...options }),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

describe("SQLite intake", () => {
  describeIntake(() => start());
});

describe("SQLite intake that keeps one id in memory", () => {
  describeIntake(() => start({ maxCachedIds: 1 }));
});

describe("SQLite intake's file", () => {
  it("is held by one at a time", () => {
    using folder = openFolder();
    const intake = openSqliteIntake({ path: folder.path, lockWaitMs: 0 });
    const open = () => openSqliteIntake({ path: folder.path, lockWaitMs: 0 });
    expect(open).toThrow(IntakeOpenError);
    expect(open).toThrow(`intake file "${folder.path}" is in use by another process`);
    intake[Symbol.dispose]();
    open()[Symbol.dispose]();
  });

  it("is refused when it is something else", () => {
    using folder = openFolder();
    writeFileSync(folder.path, "no database, but some text that is long enough to be looked at".repeat(100));
    expect(() => openSqliteIntake({ path: folder.path })).toThrow(/is damaged or not a SQLite database/);
  });

  it("assigns the same ids when it was copied between two commits and is older than its log", async () => {
    using folder = openFolder();
    using other = openFolder();
    using intake = openSqliteIntake({ path: folder.path });
    await intake.rewind(undefined);
    await intake.begin({ number: 1, offset: 0 });
    const ids = ["a", "b"].map((id) => intake.resolve(1, id, undefined).userId);
    await intake.commit({ number: 1, offset: 5 });
    // As a process that was killed leaves them.
    for (const end of ["", "-wal"]) copyFileSync(folder.path + end, other.path + end);
    using again = openSqliteIntake({ path: other.path });
    expect(await again.preparedTo()).toEqual({ number: 1, offset: 5 });
    await again.rewind({ number: 1, offset: 5 });
    await again.begin({ number: 1, offset: 5 });
    expect(["a", "b"].map((id) => again.resolve(1, id, undefined).userId)).toEqual(ids);
  });
});
