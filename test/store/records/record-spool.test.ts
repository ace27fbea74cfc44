import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRecordSpool } from "../../../store/records/record-spool.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "spool-"));
  folder = join(root, "records");
});
afterEach(() => rmSync(root, { recursive: true }));

const read = (name: string) => readFileSync(join(folder, name), "utf8");
const first = "000000000001.ndjson";
const record = (text: string) => Buffer.from(text);

describe("records", () => {
  it("are readable only by their owner", async () => {
    await using spool = openRecordSpool({ folder });
    await spool.append(record("{}"));
    expect([statSync(folder).mode & 0o777, statSync(join(folder, first)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });
});

describe("reopened spool", () => {
  it.each([
    ["whole lines", '{"a":1}\n', '{"a":1}\n{"b":1}\n'],
    ["a torn line", '{"a":1}\n{"torn":', '{"a":1}\n{"b":1}\n'],
    ["nothing but a torn line", '{"torn":', '{"b":1}\n'],
    ["a torn line longer than a read", `{"a":1}\n${"x".repeat(200_000)}`, '{"a":1}\n{"b":1}\n'],
  ])("continues after %s", async (_what, before, after) => {
    await using opened = openRecordSpool({ folder });
    await opened.append(record("{}"));
    writeFileSync(join(folder, first), before);
    await using spool = openRecordSpool({ folder });
    await spool.append(record('{"b":1}'));
    expect(read(first)).toBe(after);
  });
});

describe("failing disk", () => {
  it("that can't be opened fails the call with the reason", async () => {
    writeFileSync(folder, "in the way");
    await using spool = openRecordSpool({ folder });
    await expect(spool.append(record("{}"))).rejects.toThrow(
      /^cannot write to the record spool: cannot make the folder ".*": a file of that name is in the way$/,
    );
  });
});
