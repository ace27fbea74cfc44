import { describe, expect, it } from "vitest";
import { PageCursorError } from "../../../store/channels/channels.ts";
import { addChannel, addTask, batchOf, day, noCounts, type OpenWorld, preparedRun, text } from "./store.ts";

export function testTasks(open: OpenWorld): void {
  describe("tasks", () => {
    it("begin as drafts, or scheduled", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      const atMs = world.clock.ms + 60_000;
      const draft = await addTask(world.store, channelId);
      expect(draft).toMatchObject({ taskId: "t1", channelId, state: "draft", version: 1, runId: null });
      expect(await addTask(world.store, channelId, atMs)).toMatchObject({
        state: "scheduled",
        nextRunAtMs: atMs,
      });
      await world.reopen();
      expect(text((await world.store.task("t1"))!.definition)).toBe("task");
      expect(await world.store.task("t3")).toBeNull();
    });

    it("are listed newest first, in pages, of a channel", async () => {
      await using world = await open();
      const a = await addChannel(world.store, "a");
      const b = await addChannel(world.store, "b");
      for (const channelId of [a, b, a, a]) await addTask(world.store, channelId);
      const first = await world.store.tasks({ channelId: a }, { limit: 2 });
      expect(first.items.map(({ taskId }) => taskId)).toEqual(["t4", "t3"]);
      const second = await world.store.tasks({ channelId: a }, { limit: 2, after: first.next! });
      expect([second.items.map(({ taskId }) => taskId), second.next]).toEqual([["t1"], null]);
      expect((await world.store.tasks({}, { limit: 9 })).items).toHaveLength(4);
      await expect(world.store.tasks({}, { limit: 2, after: "x" })).rejects.toThrow(PageCursorError);
    });

    it("are listed by their states, in pages, of a channel too", async () => {
      await using world = await open();
      const a = await addChannel(world.store, "a");
      const b = await addChannel(world.store, "b");
      for (const channelId of [a, b, a, a]) await addTask(world.store, channelId);
      await addTask(world.store, a, world.clock.ms + 60_000);
      await world.store.cancelTask("t3");
      const idsOf = async (filter: Parameters<typeof world.store.tasks>[0], after?: string) => {
        const { items, next } = await world.store.tasks(filter, {
          limit: 2,
          ...(after !== undefined && { after }),
        });
        return [items.map(({ taskId }) => taskId), next] as const;
      };
      expect(await idsOf({ states: ["cancelled", "scheduled"] })).toEqual([["t5", "t3"], null]);
      const [first, next] = await idsOf({ states: ["draft"] });
      expect([first, await idsOf({ states: ["draft"] }, next!)]).toEqual([
        ["t4", "t2"],
        [["t1"], null],
      ]);
      expect(await idsOf({ channelId: a, states: ["draft"] })).toEqual([["t4", "t1"], null]);
      expect(await idsOf({ channelId: b, states: ["done", "failed"] })).toEqual([[], null]);
    });

    it("are listed without their definitions, which may be long", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      await addTask(world.store, channelId);
      const long = await world.store.tasks({}, { limit: 1 });
      const short = await world.store.tasks({ withoutDefinition: true }, { limit: 1 });
      expect(text(long.items[0]!.definition)).toBe("task");
      expect(short.items).toEqual([{ ...long.items[0], definition: expect.any(Uint8Array) }]);
      expect(short.items[0]!.definition).toHaveLength(0);
    });

    it("run once at a time, with an id of the day", async () => {
      await using world = await open();
      const { taskId, run } = await preparedRun(world.store, []);
      expect(run).toMatchObject({ runId: `${taskId}_${day}`, state: "preparing", cursor: null, batches: 0 });
      const ids: string[] = [];
      for (const at of [day, day, "2023-11-15"]) {
        const started = await world.store.startRun(taskId, { day: at });
        expect(started).toMatchObject({ kind: "started", task: { state: "preparing" } });
        expect(await world.store.startRun(taskId, { day: at })).toMatchObject({ kind: "refused" });
        const preparation = (await world.store.leasePreparation("one", 1_000))!;
        ids.push(preparation.run.runId);
        const rest = {
          afterNumber: 0,
          batches: [],
          cursor: "",
          isLast: true,
          counted: noCounts,
          resumeData: null,
        };
        await world.store.appendBatches(preparation.token, rest);
      }
      expect(ids).toEqual([`t1_${day}_2`, `t1_${day}_3`, "t1_2023-11-15"]);
      expect(await world.store.task(taskId)).toMatchObject({ state: "done", runId: "t1_2023-11-15" });
      expect(await world.store.startRun("t9", { day })).toEqual({ kind: "unknown_task" });
    });

    it("keep the trace in which they began", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      const { taskId } = await addTask(world.store, channelId);
      const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 a=1";
      const started = await world.store.startRun(taskId, { day, trace });
      expect(started).toMatchObject({ run: { trace } });
      expect(await world.store.run(`${taskId}_${day}`)).toMatchObject({ trace });
      expect((await world.store.leasePreparation("one", 1_000))!.run.trace).toBe(trace);
      const other = await addTask(world.store, channelId);
      await world.store.startRun(other.taskId, { day });
      expect((await world.store.run(`${other.taskId}_${day}`))!.trace).toBeUndefined();
    });

    it("are started by one of many", async () => {
      await using world = await open();
      const { taskId } = await addTask(world.store, await addChannel(world.store));
      const results = await Promise.all(
        Array.from({ length: 8 }, () => world.store.startRun(taskId, { day })),
      );
      expect(results.filter(({ kind }) => kind === "started")).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === "refused")).toHaveLength(7);
    });

    it("are due at their time, and claimed by one of many", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      const atMs = world.clock.ms + 1_000;
      const { taskId } = await addTask(world.store, channelId, atMs);
      expect(await world.store.dueTasks(10)).toEqual({ due: [], nextAtMs: atMs });
      world.clock.ms = atMs;
      expect(await world.store.dueTasks(10)).toMatchObject({
        due: [{ taskId, nextRunAtMs: atMs }],
        nextAtMs: null,
      });
      const claim = { taskId, nextRunAtMs: atMs, followingAtMs: atMs + 500, run: { day } };
      const results = await Promise.all(Array.from({ length: 8 }, () => world.store.claimDueTask(claim)));
      expect(results.filter(({ kind }) => kind === "claimed")).toMatchObject([
        { task: { state: "preparing", nextRunAtMs: atMs + 500 }, run: { runId: `t1_${day}` } },
      ]);
      expect(results.filter(({ kind }) => kind === "lost")).toHaveLength(7);
    });

    it("skip a time while a run is active, and are scheduled again after it", async () => {
      await using world = await open();
      const { taskId } = await addTask(world.store, await addChannel(world.store), world.clock.ms);
      const claim = { taskId, nextRunAtMs: world.clock.ms, followingAtMs: 5, run: { day } };
      await world.store.claimDueTask(claim);
      expect(await world.store.claimDueTask({ ...claim, nextRunAtMs: 5, followingAtMs: 6 })).toMatchObject({
        kind: "claimed",
        task: { state: "preparing", nextRunAtMs: 6 },
        run: null,
      });
      const { token } = (await world.store.leasePreparation("one", 1_000))!;
      await world.store.appendBatches(token, {
        afterNumber: 0,
        batches: [],
        cursor: "",
        isLast: true,
        counted: noCounts,
        resumeData: null,
      });
      expect(await world.store.task(taskId)).toMatchObject({ state: "scheduled", nextRunAtMs: 6 });
    });

    it("are done when their only time is skipped", async () => {
      await using world = await open();
      const { taskId } = await addTask(world.store, await addChannel(world.store), world.clock.ms);
      const claim = { taskId, nextRunAtMs: world.clock.ms, followingAtMs: null, run: null };
      expect(await world.store.claimDueTask(claim)).toMatchObject({
        kind: "claimed",
        task: { state: "done", nextRunAtMs: null, runId: null },
        run: null,
      });
      const other = await addTask(world.store, await addChannel(world.store, "sms"), world.clock.ms);
      expect(
        await world.store.claimDueTask({ ...claim, taskId: other.taskId, failure: "too late" }),
      ).toMatchObject({ kind: "claimed", task: { state: "failed", failure: "too late" }, run: null });
    });

    it("are cancelled permanently", async () => {
      await using world = await open();
      const { taskId } = await addTask(world.store, await addChannel(world.store), world.clock.ms);
      expect(await world.store.cancelTask(taskId)).toMatchObject({
        kind: "cancelled",
        task: { state: "cancelled", nextRunAtMs: null, version: 2 },
      });
      expect(await world.store.cancelTask(taskId)).toMatchObject({ kind: "ended" });
      expect(await world.store.startRun(taskId, { day })).toMatchObject({ kind: "refused" });
      expect(await world.store.cancelTask("t9")).toEqual({ kind: "unknown_task" });
      expect(await world.store.dueTasks(1)).toEqual({ due: [], nextAtMs: null });
    });

    it("lose their preparation and pending batches when they are cancelled", async () => {
      await using world = await open();
      const { taskId, channelId, run, preparation } = await preparedRun(world.store, []);
      await world.store.startRun(taskId, { day });
      const next = (await world.store.leasePreparation("one", 1_000))!;
      const append = {
        batches: [batchOf(["a", "b"]), batchOf(["c"])],
        cursor: "c",
        counted: noCounts,
        resumeData: null,
      };
      await world.store.appendBatches(next.token, { ...append, afterNumber: 0, isLast: false });
      await world.store.cancelTask(taskId);
      expect(
        await world.store.appendBatches(next.token, { ...append, afterNumber: 2, isLast: true }),
      ).toEqual({
        kind: "stale",
      });
      expect(await world.store.busyChannels()).toEqual([]);
      expect(
        (await world.store.leaseBatches({ channelId, maxBatches: 9, leaseMs: 1, owner: "" })).batches,
      ).toEqual([]);
      expect(await world.store.statistics(next.run.runId)).toMatchObject({
        batches: 2,
        settledBatches: 2,
        sent: 0,
        failed: [{ reason: "cancelled", count: 3 }],
      });
      expect(await world.store.run(run.runId)).toMatchObject({ state: "done" });
      expect(await world.store.run(next.run.runId)).toMatchObject({
        state: "cancelled",
        endedAtMs: world.clock.ms,
      });
      expect(await world.store.extendPreparation(preparation.token, 5)).toBeNull();
    });
  });
}
