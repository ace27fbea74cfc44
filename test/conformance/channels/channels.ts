import { describe, expect, it } from "vitest";
import { addChannel, addTask, bytes, day, type OpenWorld, text } from "./store.ts";

const mail = { name: "mail", projectId: 1, definition: bytes("one") };

export function testChannels(open: OpenWorld): void {
  describe("channels", () => {
    it("are kept with their bytes, over a restart", async () => {
      await using world = await open();
      const saved = await world.store.createChannel({ ...mail, definition: new Uint8Array([0, 255, 1]) });
      expect(saved).toMatchObject({
        kind: "saved",
        channel: { channelId: "c1", name: "mail", projectId: 1, version: 1, createdAtMs: world.clock.ms },
      });
      await world.reopen();
      const found = await world.store.channel("c1");
      expect([...found!.definition]).toEqual([0, 255, 1]);
    });

    it.each(["", "c2", "c", "1", "t1", "c1 ", "c-1", "c99999999999999999999"])(
      "are not found by %j",
      async (channelId) => {
        await using world = await open();
        await addChannel(world.store);
        expect(await world.store.channel(channelId)).toBeNull();
      },
    );

    it("have a name of their own, case and all", async () => {
      await using world = await open();
      await addChannel(world.store);
      expect(await world.store.createChannel(mail)).toEqual({ kind: "name_taken" });
      expect(await world.store.createChannel({ ...mail, name: "Mail" })).toMatchObject({ kind: "saved" });
      expect(await world.store.updateChannel("c1", undefined, { ...mail, name: "Mail" })).toEqual({
        kind: "name_taken",
      });
    });

    it("are created once by concurrent callers", async () => {
      await using world = await open();
      const results = await Promise.all(Array.from({ length: 10 }, () => world.store.createChannel(mail)));
      expect(results.filter(({ kind }) => kind === "saved")).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === "name_taken")).toHaveLength(9);
    });

    it("change only from the version that is given", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      const changed = { ...mail, projectId: 2, definition: bytes("two") };
      world.clock.ms += 5;
      expect(await world.store.updateChannel(channelId, 1, changed)).toMatchObject({
        kind: "saved",
        channel: { version: 2, projectId: 2, updatedAtMs: world.clock.ms, createdAtMs: world.clock.ms - 5 },
      });
      expect(await world.store.updateChannel(channelId, 1, mail)).toEqual({ kind: "stale" });
      expect(await world.store.updateChannel("c9", undefined, mail)).toEqual({ kind: "unknown" });
      expect(text((await world.store.channel(channelId))!.definition)).toBe("two");
    });

    it("take one of several changes of the same version", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      const results = await Promise.all(
        Array.from({ length: 5 }, () => world.store.updateChannel(channelId, 1, mail)),
      );
      expect(results.map(({ kind }) => kind).toSorted()).toEqual([
        "saved",
        ...Array.from({ length: 4 }, () => "stale"),
      ]);
    });

    it("are listed by name, in pages, of a project", async () => {
      await using world = await open();
      for (const [name, projectId] of [
        ["b", 1],
        ["a", 1],
        ["Z", 2],
        ["é", 1],
      ] as const) {
        await world.store.createChannel({ ...mail, name, projectId });
      }
      const namesOf = async (filter: { projectId?: number }, after?: string) => {
        const page = await world.store.channels(filter, { limit: 2, ...(after !== undefined && { after }) });
        return [page.items.map(({ name }) => name), page.next];
      };
      expect(await namesOf({})).toEqual([["Z", "a"], "a"]);
      expect(await namesOf({}, "a")).toEqual([["b", "é"], null]);
      expect(await namesOf({ projectId: 1 })).toEqual([["a", "b"], "b"]);
      expect(await namesOf({ projectId: 3 })).toEqual([[], null]);
    });

    it("are deleted unless an unfinished task uses them", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      const { taskId } = await addTask(world.store, channelId);
      expect(await world.store.deleteChannel(channelId, 1)).toEqual({ kind: "in_use", taskId });
      await world.store.cancelTask(taskId);
      expect(await world.store.deleteChannel(channelId, 2)).toEqual({ kind: "stale" });
      expect(await world.store.deleteChannel(channelId, 1)).toEqual({ kind: "deleted" });
      expect(await world.store.deleteChannel(channelId, undefined)).toEqual({ kind: "unknown" });
      expect(await world.store.createTask({ ...mail, channelId, nextRunAtMs: null })).toEqual({
        kind: "unknown_channel",
      });
    });

    it("stay in a run as they were when it began", async () => {
      await using world = await open();
      const channelId = await addChannel(world.store);
      const { taskId } = await addTask(world.store, channelId);
      await world.store.startRun(taskId, { day });
      await world.store.updateChannel(channelId, undefined, mail);
      expect(text((await world.store.run(`${taskId}_${day}`))!.channel)).toBe("channel mail");
    });

    it.each([0, 1_001, 1.5])("are not listed %d at a time", async (limit) => {
      await using world = await open();
      await expect(world.store.channels({}, { limit })).rejects.toThrow(RangeError);
    });
  });
}
