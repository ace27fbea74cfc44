import { appendFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFileTarget } from "../../../../services/webhook/targets/file.ts";
import { writeReceived } from "../../../../services/webhook/targets/write.ts";
import { testTarget } from "../../../conformance/target.ts";
import { handedBatch, messageJson } from "../handed.ts";

async function openRig() {
  const root = await mkdtemp(join(tmpdir(), "engage-file-"));
  const folder = join(root, "messages");
  await mkdir(folder);
  const path = join(folder, "out.ndjson");
  const target = createFileTarget({ path, write: writeReceived });
  return {
    target,
    behave() {},
    async received() {
      const text = await readFile(path, "utf8").catch(() => "");
      return text.split("\n").slice(0, -1).map(parse);
    },
    goAway: () => rm(folder, { recursive: true }),
    comeBack: () => mkdir(folder),
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await rm(root, { recursive: true });
    },
  };
}

function parse(line: string) {
  const [, receipt = ""] = /"#ops_receipt_properties":(.*)\}$/.exec(line) ?? [];
  return { pushId: (JSON.parse(line) as { push_id: string }).push_id, receipt };
}

testTarget("file", openRig, []);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "engage-file-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const { signal } = new AbortController();

it("ends the line that a crash has torn", async () => {
  const path = join(folder, "out.ndjson");
  await writeFile(path, '{"half":');
  await using target = createFileTarget({ path, write: writeReceived });
  await target.deliver(handedBatch([messageJson("a")]), signal);
  expect(await readFile(path, "utf8")).toBe(`{"half":\n${messageJson("a")}\n`);
});

it("begins a new file when the old one was renamed", async () => {
  const path = join(folder, "out.ndjson");
  await using target = createFileTarget({ path, write: writeReceived });
  await target.deliver(handedBatch([messageJson("a")]), signal);
  await rename(path, `${path}.1`);
  await target.deliver(handedBatch([messageJson("b")]), signal);
  await appendFile(path, "");
  expect([await readFile(`${path}.1`, "utf8"), await readFile(path, "utf8")]).toEqual([
    `${messageJson("a")}\n`,
    `${messageJson("b")}\n`,
  ]);
});

it("keeps each message on one line", async () => {
  const path = join(folder, "out.ndjson");
  await using target = createFileTarget({ path, write: () => '{\r\n"a": "b\\n"\n}' });
  await target.deliver(handedBatch([messageJson("a"), messageJson("b")]), signal);
  expect(await readFile(path, "utf8")).toBe('{  "a": "b\\n" }\n'.repeat(2));
});

it("is shared by targets of one path, as the old and the new one while settings change", async () => {
  const path = join(folder, "out.ndjson");
  // So much text is written in several pieces.
  const text = JSON.stringify({ text: "x".repeat(3_000_001) });
  await using before = createFileTarget({ path, write: () => text });
  const after = createFileTarget({ path, write: () => text });
  const deliver = (target: typeof before) => target.deliver(handedBatch([messageJson("a")]), signal);
  await Promise.all([before, after, before, after].map(deliver));
  await after[Symbol.asyncDispose]();
  await deliver(before);
  const lines = (await readFile(path, "utf8")).split("\n");
  expect(lines.map((line) => line === text)).toEqual([...new Array<boolean>(5).fill(true), false]);
});
