import { describe, expect, it } from "vitest";
import {
  addChannel,
  addTask,
  batchOf,
  beginRun,
  bytes,
  day,
  leaseAll,
  type OpenWorld,
  succeeded,
  text,
} from "./store.ts";

const counted = { planned: 5, filtered: 1, control: 1 };

export function testPreparation(open: OpenWorld): void {
  describe("preparation", () => {
    it("is leased to one process, oldest run first, until its lease ends", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      for (let i = 0; i < 2; i++)
        await world.store.startRun((await addTask(world.store, channelId)).taskId, { day });
      const first = (await world.store.leasePreparation("one", 1_000))!;
      const second = (await world.store.leasePreparation("two", 2_000))!;
      expect([first.run.taskId, second.run.taskId]).toEqual(["t1", "t2"]);
      expect(second.run.seq).toBeGreaterThan(first.run.seq);
      expect(await world.store.leasePreparation("three", 1_000)).toBeNull();
      world.clock.ms += 1_000;
      const third = (await world.store.leasePreparation("three", 1_000))!;
      expect(third.run.runId).toBe(first.run.runId);
      expect(await world.store.extendPreparation(first.token, 1_000)).toBeNull();
      expect(await world.store.extendPreparation(second.token, 5_000)).toBe(world.clock.ms + 5_000);
      expect(await world.store.failRun(first.token, "late")).toBe(false);
    });

    it("is never leased twice by concurrent callers", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      for (let i = 0; i < 3; i++)
        await world.store.startRun((await addTask(world.store, channelId)).taskId, { day });
      const given = await Promise.all(
        Array.from({ length: 10 }, (_, i) => world.store.leasePreparation(`${i}`, 1_000)),
      );
      const ids = given.flatMap((one) => (one === null ? [] : [one.run.runId]));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThan(0);
    });

    it("can be released", async () => {
      await using world = await open();
      const { preparation } = await beginRun(world.store);
      await world.store.releasePreparation(preparation.token, 0);
      expect(await world.store.leasePreparation("two", 1_000)).toMatchObject({
        run: { runId: preparation.run.runId },
      });
      expect(await world.store.extendPreparation(preparation.token, 1)).toBeNull();
      await world.store.releasePreparation("no token", 0);
    });

    it("can be released for later, which delays no other run", async () => {
      await using world = await open();
      const { preparation } = await beginRun(world.store);
      const { preparation: younger } = await beginRun(world.store, "sms");
      await world.store.releasePreparation(preparation.token, 5_000);
      await world.store.releasePreparation(younger.token, 0);
      expect((await world.store.leasePreparation("two", 60_000))?.run.runId).toBe(younger.run.runId);
      expect(await world.store.leasePreparation("three", 60_000)).toBeNull();
      world.clock.ms += 5_000;
      expect((await world.store.leasePreparation("three", 60_000))?.run.runId).toBe(preparation.run.runId);
    });

    it("continues where the last batches were stored", async () => {
      await using world = await open();
      const { preparation, run } = await beginRun(world.store);
      const append = { cursor: "b", isLast: false, counted, resumeData: null };
      expect(
        await world.store.appendBatches(preparation.token, {
          ...append,
          afterNumber: 0,
          batches: [batchOf(["a"]), batchOf(["b"])],
        }),
      ).toMatchObject({ kind: "appended", run: { batches: 2, cursor: "b", state: "preparing" } });
      await world.reopen();
      world.clock.ms += 1_000;
      const resumed = (await world.store.leasePreparation("two", 1_000))!;
      expect(resumed.run).toMatchObject({ runId: run.runId, batches: 2, cursor: "b" });
      const last = { batches: [batchOf(["c"])], cursor: "c", isLast: true, counted, resumeData: null };
      expect(await world.store.appendBatches(preparation.token, { ...last, afterNumber: 2 })).toEqual({
        kind: "stale",
      });
      expect(await world.store.appendBatches(resumed.token, { ...last, afterNumber: 0 })).toEqual({
        kind: "stale",
      });
      expect(await world.store.appendBatches(resumed.token, { ...last, afterNumber: 2 })).toMatchObject({
        kind: "appended",
        run: { batches: 3, state: "sending", preparedAtMs: world.clock.ms },
      });
      expect(await world.store.appendBatches(resumed.token, { ...last, afterNumber: 3 })).toEqual({
        kind: "stale",
      });
      expect(await world.store.statistics(run.runId)).toEqual({
        planned: 10,
        filtered: 2,
        control: 2,
        batched: 3,
        batches: 3,
        settledBatches: 0,
        sent: 0,
        succeeded: 0,
        failed: [],
        retried: 0,
        warnings: 0,
        segments: [],
      });
      expect(await world.store.task(run.taskId)).toMatchObject({ state: "sending" });
    });

    it("stores all batches of a call, or none", async () => {
      await using world = await open();
      const { preparation, run } = await beginRun(world.store);
      const broken = { ...batchOf(["b"]), size: null as unknown as number };
      const append = { afterNumber: 0, cursor: "b", isLast: false, counted, resumeData: null };
      const all = [batchOf(["a"]), broken];
      await expect(
        world.store.appendBatches(preparation.token, { ...append, batches: all }),
      ).rejects.toThrow();
      expect((await world.store.batches(run.runId, {}, { limit: 9 })).items).toEqual([]);
      expect(await world.store.run(run.runId)).toMatchObject({ cursor: null, batches: 0 });
    });

    it("ends the run when nothing remains to be sent", async () => {
      await using world = await open();
      const { preparation, run, channelId } = await beginRun(world.store);
      const append = { cursor: "a", counted, resumeData: null };
      await world.store.appendBatches(preparation.token, {
        ...append,
        afterNumber: 0,
        batches: [batchOf(["a"])],
        isLast: false,
      });
      const [batch] = await leaseAll(world.store, channelId);
      await world.store.settleBatches([{ token: batch!.token, outcome: succeeded }]);
      expect(await world.store.run(run.runId)).toMatchObject({ state: "preparing" });
      expect(
        await world.store.appendBatches(preparation.token, {
          ...append,
          afterNumber: 1,
          batches: [],
          isLast: true,
        }),
      ).toMatchObject({ run: { state: "done", endedAtMs: world.clock.ms } });
      expect(await world.store.task(run.taskId)).toMatchObject({ state: "done" });
    });

    it("keeps the audience data of batches until the run is prepared", async () => {
      await using world = await open();
      const { preparation, run } = await beginRun(world.store);
      const append = { cursor: "", isLast: false, counted };
      const keep = (page: number, data: string) => ({ page, data: bytes(data) });
      await world.store.appendBatches(preparation.token, {
        ...append,
        afterNumber: 0,
        batches: [batchOf(["a"])],
        resumeData: keep(0, "one"),
      });
      await world.store.appendBatches(preparation.token, {
        ...append,
        afterNumber: 1,
        batches: [batchOf(["b"])],
        resumeData: keep(1, "two"),
      });
      const stale = { ...append, afterNumber: 1, batches: [batchOf(["c"])], resumeData: keep(1, "three") };
      expect(await world.store.appendBatches(preparation.token, stale)).toEqual({ kind: "stale" });
      expect(text(await world.store.audience(run.runId, 0))).toBe("one");
      expect(text(await world.store.audience(run.runId, 1))).toBe("two");
      expect(await world.store.audience(run.runId, 2)).toBeNull();
      const less = { planned: -1, filtered: -1, control: 0 };
      await world.store.appendBatches(preparation.token, {
        afterNumber: 2,
        batches: [],
        cursor: "",
        isLast: true,
        counted: less,
        resumeData: null,
      });
      expect(await world.store.audience(run.runId, 0)).toBeNull();
      expect(await world.store.statistics(run.runId)).toMatchObject({ planned: 9, filtered: 1, control: 2 });
    });

    it("may fail with a reason", async () => {
      await using world = await open();
      const { preparation, run } = await beginRun(world.store);
      await world.store.appendBatches(preparation.token, {
        afterNumber: 0,
        batches: [batchOf(["a"])],
        cursor: "a",
        isLast: false,
        counted,
        resumeData: null,
      });
      expect(await world.store.failRun(preparation.token, "the cohort is gone")).toBe(true);
      expect(await world.store.task(run.taskId)).toMatchObject({
        state: "failed",
        failure: "the cohort is gone",
      });
      expect(await world.store.run(run.runId)).toMatchObject({
        state: "failed",
        failure: "the cohort is gone",
      });
      expect(await world.store.statistics(run.runId)).toMatchObject({
        failed: [{ reason: "cancelled", count: 1 }],
      });
      expect(await world.store.startRun(run.taskId, { day })).toMatchObject({
        kind: "started",
        task: { failure: "" },
      });
    });

    it("notifies at once when there is work", async () => {
      await using world = await open();
      let reported = 0;
      const listener = world.store.onWork(() => {
        reported += 1;
      });
      const { preparation } = await beginRun(world.store);
      expect(reported).toBe(1);
      await world.store.appendBatches(preparation.token, {
        afterNumber: 0,
        batches: [batchOf(["a"])],
        cursor: "",
        isLast: true,
        counted,
        resumeData: null,
      });
      expect(reported).toBe(2);
      listener[Symbol.dispose]();
      await world.store.startRun("t1", { day });
      expect(reported).toBe(2);
    });
  });
}
