import { statfsSync } from "node:fs";
import { expect, test } from "vitest";
import { createFreeSpace, freeBytesOf } from "../../../base/files/free-space.ts";

test("is measured ten times a second, and estimated in between", () => {
  let [nowMs, free] = [0, 1_000];
  const space = createFreeSpace(
    () => free,
    () => nowMs,
  );
  expect(space.bytes()).toBe(1_000);
  free = 500;
  space.take(100);
  nowMs = 99;
  expect(space.bytes()).toBe(900);
  nowMs = 100;
  expect(space.bytes()).toBe(500);
  free = 200;
  expect(space.measure()).toBe(200);
  expect(space.bytes()).toBe(200);
});

test("is measured again after a measurement that failed", () => {
  const fail = (): number => {
    throw new Error("no such folder");
  };
  const results = [fail, () => 7, fail, fail, () => 5];
  const space = createFreeSpace(
    () => results.shift()!(),
    () => 0,
  );
  expect(() => space.bytes()).toThrow("no such folder");
  expect(space.bytes()).toBe(7);
  expect(() => space.measure()).toThrow("no such folder");
  expect(() => space.bytes()).toThrow("no such folder");
  expect(space.bytes()).toBe(5);
});

test("of a folder is what its file system reports", () => {
  const { bsize } = statfsSync(import.meta.dirname);
  expect(freeBytesOf(import.meta.dirname) % bsize).toBe(0);
  expect(() => freeBytesOf("/nowhere/at/all")).toThrow("ENOENT");
});
