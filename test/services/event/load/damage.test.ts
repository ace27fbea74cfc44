import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { openRecordSpool } from "../../../../store/records/record-spool.ts";
import { casesOf } from "../../../thorough.ts";
import { openRig, track } from "./load-rig.ts";
import { createMemoryStore } from "./memory-store.ts";

const received = Date.UTC(2026, 0, 2);
const records = Array.from({ length: 12 }, (_, n) => track(n));

interface Loaded {
  /** The texts of the stored rows. */
  readonly rows: readonly string[];
  /** The number of dead letters, and of lines that were cut off. */
  readonly reported: number;
  readonly letters: readonly string[];
}

async function fill(folder: string, checksums: boolean): Promise<void> {
  await using spool = openRecordSpool({ folder: join(folder, "spool"), maxFileBytes: 1_000, checksums });
  for (const record of records) {
    await spool.append(encodeSpoolLine(1, received, Buffer.from(JSON.stringify([record]))));
  }
}

/** Loads a spool after its files were damaged. */
async function loadAfter(damage: (folder: string) => void, checksums = true): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), "damage-"));
  try {
    await fill(folder, checksums);
    damage(join(folder, "spool"));
    const store = createMemoryStore();
    await using rig = openRig({ folder, store });
    await rig.flush();
    expect(rig.faults).toEqual([]);
    const names = new Map(
      Array.from(store.schema(1).properties.values(), ({ name, number }) => [number, name]),
    );
    const rows = store.rows.events.map(({ t, a, d, p }) => {
      const values = Object.entries(p).map(([number, value]) => [names.get(Number(number)), value]);
      return JSON.stringify([t, a, d, values]);
    });
    return { rows, reported: rig.letters.length + rig.torn.length, letters: rig.letters };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Changes one byte of all files together. */
const changeAt =
  (at: number, change: number) =>
  (folder: string): void => {
    let left = at;
    for (const name of readdirSync(folder).toSorted()) {
      const bytes = readFileSync(join(folder, name));
      if (left >= 0 && left < bytes.length) {
        bytes[left]! ^= change;
        writeFileSync(join(folder, name), bytes);
      }
      left -= bytes.length;
    }
  };

const sizeOfAll = 12 * 250;

it("loads what was taken or tells of it, whichever byte of the spool is changed", {
  timeout: 60_000,
}, async () => {
  const { rows: whole } = await loadAfter(() => {});
  expect(whole).toHaveLength(records.length);
  await fc.assert(
    fc.asyncProperty(fc.nat(sizeOfAll), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const { rows, reported } = await loadAfter(changeAt(at, change));
      expect(rows.filter((row) => !whole.includes(row))).toEqual([]);
      expect(rows.length === whole.length || reported > 0).toBe(true);
    }),
    { numRuns: casesOf(60) },
  );
});

it.each([
  { name: "a digit", of: '"n":5', by: '"n":7' },
  { name: "a letter of a name", of: '"e5"', by: '"f5"' },
  { name: "the project", of: '{"p":1', by: '{"p":3' },
  { name: "an account", of: '"a0"', by: '"a1"' },
])("keeps a line as a dead letter in which $name is another, and loads the others", async ({ of, by }) => {
  const { rows, letters } = await loadAfter((folder) => {
    const file = join(
      folder,
      readdirSync(folder)
        .toSorted()
        .find((name) => readFileSync(join(folder, name), "utf8").includes(of))!,
    );
    writeFileSync(file, readFileSync(file, "utf8").replace(of, by));
  });
  expect(rows).toHaveLength(records.length - 1);
  expect(letters.map((letter) => JSON.parse(letter))).toEqual([
    expect.objectContaining({
      reason: "bad_line",
      message: "line of the spool is damaged",
      line: expect.stringContaining(by),
    }),
  ]);
});

it("keeps the last line of a file as a dead letter when its line end is another byte", async () => {
  const { rows, letters } = await loadAfter((folder) => {
    const file = join(folder, readdirSync(folder).toSorted()[0]!);
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = 0x0b;
    writeFileSync(file, bytes);
  });
  expect(rows).toHaveLength(records.length - 1);
  expect(letters.map((letter) => JSON.parse(letter))).toEqual([
    expect.objectContaining({ reason: "bad_line", message: "line of the spool is damaged" }),
  ]);
});

it("keeps bytes that are no text as they are", async () => {
  const { letters } = await loadAfter((folder) => {
    const file = join(folder, readdirSync(folder).toSorted()[0]!);
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('"#time"') + 9] = 0xff;
    writeFileSync(file, bytes);
  });
  expect(JSON.parse(letters[0]!)).toMatchObject({ reason: "bad_line", line_base64: expect.any(String) });
});

it("loads a spool of a version without checksums", async () => {
  const { rows, reported } = await loadAfter(() => {}, false);
  expect([rows.length, reported]).toEqual([records.length, 0]);
});
