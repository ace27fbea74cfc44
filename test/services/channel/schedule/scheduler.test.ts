import { create } from "@bufbuild/protobuf";
import { expect, it, vi } from "vitest";
import { TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { type ScheduleObserver, startScheduler } from "../../../../services/channel/schedule/scheduler.ts";
import { encodeTask } from "../../../../services/channel/tasks/codec.ts";
import type { ChannelStore, DueClaim, DueTask } from "../../../../store/channels/channels.ts";
import { projects } from "../channels/sample-channel.ts";

const silent: ScheduleObserver = { taken() {}, refused() {}, failed() {} };
const ms = (text: string): number => Date.parse(text);
const nineMs = ms("2026-03-02T08:00:00Z");

/** Returns the claims of a scheduler at this moment, and its wait after that. */
async function claimsAt(
  nowMs: number,
  schedule: { at?: string; cron?: string },
): Promise<[DueClaim, number]> {
  const definition = encodeTask(create(TaskSchema, { schedule }));
  const due = {
    taskId: "t1",
    channelId: "c1",
    definition,
    state: "scheduled",
    nextRunAtMs: nineMs,
    createdAtMs: 0,
  } as DueTask;
  const claims: DueClaim[] = [];
  const waits: number[] = [];
  const store = {
    dueTasks: async () => ({ due: claims.length === 0 ? [due] : [], nextAtMs: nowMs + 5_000 }),
    channel: async () => ({ projectId: 1 }),
    async claimDueTask(claim: DueClaim) {
      claims.push(claim);
      return { kind: "lost" };
    },
  } as unknown as ChannelStore;
  const slept = Promise.withResolvers<void>();
  const scheduler = startScheduler({
    store,
    projects,
    now: () => nowMs,
    sleep(waitMs, signal) {
      waits.push(waitMs);
      slept.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
    observer: { ...silent, failed: (error) => slept.reject(error) },
  });
  await slept.promise;
  await scheduler[Symbol.asyncDispose]();
  return [claims[0]!, waits[0]!];
}

const following = ms("2026-03-03T08:00:00Z");
const run = { day: "2026-03-02" };

it.each<[string, number, { at?: string; cron?: string }, Partial<DueClaim>]>([
  ["a time is taken when it has come", nineMs, { cron: "0 9 * * *" }, { followingAtMs: following, run }],
  [
    "a time missed by an hour is made up for",
    nineMs + 3_600_000,
    { cron: "0 9 * * *" },
    { followingAtMs: following, run },
  ],
  [
    "an older one passes",
    nineMs + 3_600_001,
    { cron: "0 9 * * *" },
    { followingAtMs: following, run: null, failure: expect.stringContaining("missed") as never },
  ],
  [
    "of several that were missed the last one counts",
    nineMs + 5 * 3_600_000 + 60_000,
    { cron: "0 * * * *" },
    { followingAtMs: nineMs + 6 * 3_600_000, run },
  ],
  ["no time follows the only one", nineMs, { at: "2026-03-02 09:00:00" }, { followingAtMs: null, run }],
  [
    "an only time may be too late",
    nineMs + 4_000_000,
    { at: "2026-03-02 09:00:00" },
    { followingAtMs: null, run: null },
  ],
])("%s", async (_what, nowMs, schedule, claim) => {
  expect((await claimsAt(nowMs, schedule))[0]).toMatchObject({ taskId: "t1", nextRunAtMs: nineMs, ...claim });
});

it("waits until the next time", async () => {
  expect((await claimsAt(nineMs, { cron: "0 9 * * *" }))[1]).toBe(5_000);
});

it("goes on after a failure, and looks at once when it is woken", async () => {
  const errors: unknown[] = [];
  const dueTasks = vi
    .fn()
    .mockRejectedValueOnce(new Error("away"))
    .mockResolvedValue({ due: [], nextAtMs: null });
  const waits: number[] = [];
  let wake = (): void => {};
  const twice = Promise.withResolvers<void>();
  const scheduler = startScheduler({
    store: { dueTasks } as unknown as ChannelStore,
    projects,
    now: () => 0,
    sleep(waitMs, signal) {
      if (waits.push(waitMs) === 2) twice.resolve();
      const woken = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      queueMicrotask(() => wake());
      return woken;
    },
    observer: { ...silent, failed: (error) => errors.push(error) },
  });
  wake = scheduler.wake;
  await twice.promise;
  expect(waits.slice(0, 2)).toEqual([5_000, 30_000]);
  expect(errors).toMatchObject([{ message: "away" }]);
  await scheduler[Symbol.asyncDispose]();
});

it("takes a time once when the clock is set back before it while it is taken", async () => {
  const [claim] = await claimsAt(nineMs - 600_000, { cron: "0 9 * * *" });
  expect(claim).toMatchObject({ nextRunAtMs: nineMs, followingAtMs: following });
});

it("fails a task that cannot be read, and takes those after it", async () => {
  const due = ["broken", "whole"].map((taskId) => ({
    taskId,
    channelId: "c1",
    state: "scheduled",
    nextRunAtMs: nineMs,
    createdAtMs: 0,
    definition:
      taskId === "broken"
        ? new Uint8Array([0xff])
        : encodeTask(create(TaskSchema, { schedule: { cron: "0 9 * * *" } })),
  }));
  const claimDueTask = vi.fn(async (_claim: DueClaim) => ({ kind: "claimed", run: null }));
  const dueTasks = vi.fn().mockResolvedValueOnce({ due, nextAtMs: null });
  dueTasks.mockResolvedValue({ due: [], nextAtMs: null });
  const store = { dueTasks, claimDueTask, channel: async () => null } as unknown as ChannelStore;
  const [refused, taken] = [vi.fn(), vi.fn()];
  const slept = Promise.withResolvers<void>();
  const scheduler = startScheduler({
    store,
    projects,
    now: () => nineMs,
    observer: { refused, taken, failed: slept.reject },
    async sleep() {
      slept.resolve();
    },
  });
  await slept.promise;
  await scheduler[Symbol.asyncDispose]();
  expect(claimDueTask.mock.calls.map(([claim]) => claim)).toMatchObject([
    { taskId: "broken", followingAtMs: null, run: null, failure: "its definition cannot be read" },
    { taskId: "whole", run: { day: "2026-03-02" } },
  ]);
  expect(refused.mock.calls).toEqual([["broken", expect.any(Error)]]);
  expect(taken.mock.calls).toEqual([["whole", "missed"]]);
});
