import { describe, expect, it } from "vitest";
import {
  type CreateEventsWorld,
  dayMs,
  eventOf,
  noonMs,
  openStore,
  properties,
  recordsOf,
  updateOf,
  userOf,
} from "./world.ts";

const { price } = properties;
const signal = () => new AbortController().signal;
const keepAll = new Map<number, number>();

export function testUpkeep(create: CreateEventsWorld): void {
  describe("upkeep", () => {
    it("rewrites closed days once, and again after late rows", async () => {
      await using opened = await openStore(create);
      const events = [0, 1, 2].map((day) => eventOf({ t: noonMs + day * dayMs, p: { [price.number]: day } }));
      await opened.load({ events: events.reverse() });
      const options = { nowMs: noonMs + 2 * dayMs, keepDays: keepAll, signal: signal() };
      const before = await recordsOf(opened.store);
      expect(await opened.store.compact(options)).toEqual({
        rewrittenDays: 2,
        droppedDays: 0,
        droppedEvents: 0,
      });
      expect(await recordsOf(opened.store)).toEqual(before);
      expect(await opened.store.compact(options)).toMatchObject({ rewrittenDays: 0 });
      await opened.load({ events: [eventOf({ t: noonMs - 1, p: { [price.number]: 9 } })] });
      expect(await (await opened.reopen()).compact(options)).toMatchObject({ rewrittenDays: 1 });
      expect(await recordsOf(opened.store)).toHaveLength(4);
      expect(await opened.store.check(signal())).toEqual([]);
    });

    it("rewrites days beside loads that add to them", async () => {
      await using opened = await openStore(create);
      const events = Array.from({ length: 2_000 }, (_, at) =>
        eventOf({ t: noonMs - at, p: { [price.number]: at } }),
      );
      await opened.load({ events });
      const late = await opened.batches.next({
        newProperties: [{ table: "event", name: "late", number: 50, type: "text" }],
        events: [eventOf({ p: { 50: "yes" } })],
      });
      const options = { nowMs: noonMs + dayMs, keepDays: keepAll, signal: signal() };
      await Promise.all([opened.store.compact(options), opened.store.load(late)]);
      await opened.store.compact(options);
      expect(await recordsOf(opened.store)).toHaveLength(2_001);
      expect(await opened.store.check(signal())).toEqual([]);
      expect(await opened.store.compact(options)).toMatchObject({ rewrittenDays: 0 });
    });

    it("drops days older than those to keep, of that project", async () => {
      await using opened = await openStore(create);
      const days = [0, 1, 2, 3];
      const events = days.map((day) => eventOf({ t: noonMs + day * dayMs }));
      const updates = days.map((day) => updateOf({ i: `u${day}`, t: noonMs + day * dayMs }));
      await opened.load(
        { events, updates, users: [userOf("seen", { a: "ada" })] },
        { projectId: 2, newEvents: [{ name: "buy", number: 1 }], events },
      );
      const before = opened.store.schema(1).version;
      const options = { nowMs: noonMs + 3 * dayMs, keepDays: new Map([[1, 1]]), signal: signal() };
      expect(await opened.store.compact(options)).toEqual({
        rewrittenDays: 4,
        droppedDays: 2,
        droppedEvents: 4,
      });
      const times = (await recordsOf(opened.store)).slice(1).map((record) => record["#time"]);
      expect(new Set(times)).toEqual(new Set(["2026-01-07 12:00:00.000", "2026-01-08 12:00:00.000"]));
      expect(await recordsOf(opened.store, 2)).toHaveLength(4);
      expect(opened.store.schema(1).version).toBeGreaterThan(before);
      expect(await (await opened.reopen()).stats()).toMatchObject({
        projects: [
          {
            projectId: 1,
            days: 2,
            firstDay: "2026-01-07",
            lastDay: "2026-01-08",
            events: 2,
            updatableEvents: 2,
            users: 1,
          },
          { projectId: 2, days: 4, events: 4 },
        ],
      });
      expect(await opened.store.compact(options)).toMatchObject({ droppedDays: 0, droppedEvents: 0 });
    });

    it("ends at once on request, without losses", async () => {
      await using opened = await openStore(create);
      await opened.load({ events: [eventOf(), eventOf({ t: noonMs + dayMs })] });
      const controller = new AbortController();
      const reason = new Error("enough");
      const options = { nowMs: noonMs + 9 * dayMs, keepDays: keepAll, signal: controller.signal };
      const running = opened.store.compact(options);
      controller.abort(reason);
      await expect(running).rejects.toBe(reason);
      expect(await recordsOf(opened.store)).toHaveLength(2);
      expect(await opened.store.check(signal())).toEqual([]);
      expect(await opened.store.compact({ ...options, signal: signal() })).toMatchObject({
        rewrittenDays: 2,
      });
    });

    it("reports statistics", async () => {
      await using opened = await openStore(create);
      expect((await opened.store.stats()).projects).toEqual([
        {
          projectId: 1,
          days: 0,
          firstDay: undefined,
          lastDay: undefined,
          events: 0,
          updatableEvents: 0,
          users: 0,
          eventNames: 2,
          properties: Object.keys(properties).length,
        },
      ]);
      expect((await opened.store.stats()).bytes).toBeGreaterThan(0);
    });

    it("rejects a check whose signal is aborted", async () => {
      await using opened = await openStore(create);
      const reason = new Error("enough");
      await expect(opened.store.check(AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}
