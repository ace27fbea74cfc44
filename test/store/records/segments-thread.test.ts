import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import { createSegmentsThread } from "../../../store/records/segments-thread.ts";

let root = "";
let folder = "";
let workers: Worker[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "segments-thread-"));
  folder = join(root, "records");
  workers = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const file = new URL("../../../cmd/serve/event/spool-worker.ts", import.meta.url);
const segments = createSegmentsThread((setup) => {
  const worker = new Worker(file, { workerData: setup });
  workers.push(worker);
  return worker;
});
const torn: unknown[] = [];
const open = () =>
  openRecordSpool({ folder, segments, maxFileBytes: 20, torn: (...what) => torn.push(what) });
const record = (n: number) => Buffer.from(`{"n":${n}}`);
const files = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));

it("keeps records in their order, and in as many files as they need", async () => {
  await using spool = open();
  const lines = Buffer.from('{"n":1}\n{"n":2}\n');
  await Promise.all([spool.appendLines(lines), spool.append(record(3))]);
  for (const n of [4, 5]) await spool.append(record(n));
  expect(files()).toEqual(['{"n":1}\n{"n":2}\n', '{"n":3}\n{"n":4}\n', '{"n":5}\n']);
  expect(await spool.end()).toEqual({ number: 3, offset: 8 });
  expect(lines.length).toBe(16);
  expect(workers).toHaveLength(1);
});

it("reports a torn line, and continues after it when it is opened again", async () => {
  mkdirSync(folder);
  const first = join(folder, "000000000001.ndjson");
  writeFileSync(first, '{"n":1}\n{"torn":');
  await using spool = open();
  await spool.append(record(2));
  expect(files()).toEqual(['{"n":1}\n{"n":2}\n']);
  expect(torn).toEqual([[first, 8]]);
});

it("fails with what is wrong with the disk, and tries again", async () => {
  writeFileSync(folder, "in the way");
  await using spool = open();
  await expect(spool.append(record(1))).rejects.toThrow(
    /^cannot write to the record spool: cannot make the folder ".*": a file of that name is in the way$/,
  );
  rmSync(folder);
  await spool.append(record(2));
  expect(files()).toEqual(['{"n":2}\n']);
});

it("fails what a thread had that ended, and starts another", async () => {
  await using spool = open();
  await spool.append(record(1));
  // The thread ends before it can reply: a record that was appended before might be written in time.
  const ended = workers[0]!.terminate();
  await expect(spool.append(record(2))).rejects.toThrow(/the thread that writes records ended/);
  await ended;
  await spool.append(record(3));
  expect(files().join("")).toMatch(/^\{"n":1\}\n(?:\{"n":2\}\n)?\{"n":3\}\n$/);
  expect(workers).toHaveLength(2);
});

it("writes no file again that was removed before a thread ended", async () => {
  await using spool = open();
  await spool.append(record(1));
  rmSync(folder, { recursive: true });
  await workers[0]!.terminate();
  await spool.append(record(2));
  expect(await spool.end()).toEqual({ number: 2, offset: 8 });
});
