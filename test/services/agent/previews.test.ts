import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { TaskSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { createPreviews, type Previews } from "../../../services/agent/push/previews.ts";

const minuteMs = 60_000;

/** Adds a preview whose task has about so many bytes; returns its token. */
function addOf(previews: Previews, caller: string, bytes = 10): string {
  const task = create(TaskSchema, { name: "x".repeat(bytes) });
  return previews.add({ task, projectId: 1n, pushIdProperty: "#account_id", caller }).token;
}

/** The places of the tokens in their list that are still valid. */
function validIn(previews: Previews, caller: string, tokens: readonly string[]): readonly number[] {
  return tokens.flatMap((token, at) => (previews.find(token, caller) === undefined ? [] : [at]));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

it("returns what was previewed, for its life", () => {
  const clock = { nowMs: 0 };
  const previews = createPreviews(() => clock.nowMs);
  const task = create(TaskSchema, { name: "Spring", contents: [{ language: "default" }] });
  const preview = { task, projectId: 7n, pushIdProperty: "id", caller: "agent" };
  const { token, endMs } = previews.add(preview);
  clock.nowMs = endMs - 1;
  expect(previews.find(token, "agent")).toEqual(preview);
  expect(previews.find(token, "another")).toBeUndefined();
  clock.nowMs = endMs;
  expect(previews.find(token, "agent")).toBeUndefined();
});

it("keeps a bounded number for each caller, and a new caller takes none from the others", () => {
  const previews = createPreviews(() => 0);
  const few = [addOf(previews, "few"), addOf(previews, "few")];
  const many = range(0, 50).map(() => addOf(previews, "many"));
  expect(validIn(previews, "many", many)).toEqual(range(30, 50));
  expect(validIn(previews, "few", few)).toEqual([0, 1]);
});

it("keeps a bounded number of bytes, of which the caller with the most gives", () => {
  const previews = createPreviews(() => 0, 10_000);
  const small = range(0, 3).map(() => addOf(previews, "small", 100));
  const large = range(0, 5).map(() => addOf(previews, "large", 3_000));
  expect(validIn(previews, "large", large)).toEqual([2, 3, 4]);
  small.push(addOf(previews, "small", 900));
  expect(validIn(previews, "large", large)).toEqual([3, 4]);
  expect(validIn(previews, "small", small)).toEqual([0, 1, 2, 3]);
});

it("gives the bytes of previews that have ended to new ones", () => {
  const clock = { nowMs: 0 };
  const previews = createPreviews(() => clock.nowMs, 10_000);
  const before = range(0, 3).map(() => addOf(previews, "agent", 3_000));
  clock.nowMs = 15 * minuteMs;
  const after = range(0, 3).map(() => addOf(previews, "agent", 3_000));
  expect(validIn(previews, "agent", before)).toEqual([]);
  expect(validIn(previews, "agent", after)).toEqual([0, 1, 2]);
});
