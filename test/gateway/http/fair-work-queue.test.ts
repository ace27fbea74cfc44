import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { FairWorkQueue } from "../../../gateway/http/fair-work-queue.ts";

test("a turn begins a few pieces of work, of one key after another, and the turns that follow the rest", async () => {
  const queue = new FairWorkQueue<object>(3);
  const [a, b] = [{}, {}];
  const begun: string[] = [];
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6"]) queue.run(a, () => begun.push(name));
  for (const name of ["b1", "b2"]) queue.run(b, () => begun.push(name));
  const seen: string[][] = [];
  for (let turn = 0; turn < 4; turn++) {
    seen.push(begun.splice(0));
    await nextTurn();
  }
  queue.run(b, () => begun.push("b3"));
  seen.push(begun.splice(0));
  expect(seen).toEqual([["a1", "a2", "a3"], ["a4", "b1", "a5"], ["b2", "a6"], [], ["b3"]]);
});
