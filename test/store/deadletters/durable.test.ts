import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DeadLetter } from "../../../store/deadletters/deadletters.ts";
import { openDurableDeadLetters } from "../../../store/deadletters/durable.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "keeper-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const letter = (line: string): DeadLetter => ({
  time: new Date(0),
  source: "test",
  index: undefined,
  format: undefined,
  reason: "refused",
  message: "bad",
  line,
});
const quiet = { failed: () => {}, resumed: () => {} };

it("resolves when the dead letter is in the file, however long it is", async () => {
  const file = join(root, "letters.ndjson");
  await using keeper = openDurableDeadLetters({ file, observer: quiet });
  const lines = ["first", "x".repeat(300_000)];
  for (const line of lines) await keeper.keep(letter(line));
  const kept = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(kept.map((text) => JSON.parse(text).line)).toEqual(lines);
});

it("waits until the dead letter can be written", async () => {
  const file = join(root, "letters.ndjson");
  mkdirSync(file);
  const reported: string[] = [];
  await using keeper = openDurableDeadLetters({
    file,
    retryMs: 1,
    observer: {
      failed() {
        reported.push("failed");
        rmdirSync(file);
      },
      resumed: () => void reported.push("resumed"),
    },
  });
  await keeper.keep(letter("late"));
  expect([reported, JSON.parse(readFileSync(file, "utf8")).line]).toEqual([["failed", "resumed"], "late"]);
});

it("rejects when the store is closed before the dead letter was written", async () => {
  const file = join(root, "letters.ndjson");
  mkdirSync(file);
  const failed = Promise.withResolvers<unknown>();
  const keeper = openDurableDeadLetters({ file, observer: { ...quiet, failed: failed.resolve } });
  const kept = expect(keeper.keep(letter("lost"))).rejects.toThrow("the dead letter could not be written to");
  await failed.promise;
  await keeper[Symbol.asyncDispose]();
  await kept;
});
