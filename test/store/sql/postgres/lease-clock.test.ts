import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { openLeaseClock } from "../../../../store/sql/postgres/lease-clock.ts";

/** A database whose clock is ahead of the monotonic one and that responds with a delay. */
class FakeDatabase {
  monotonicMs = 5_000;
  aheadMs = 1_000_000;
  roundTripMs = 0;
  asked = 0;
  failure: Error | undefined;

  open(): Promise<() => number> {
    return openLeaseClock({ ask: () => this.#ask(), monotonic: () => this.monotonicMs });
  }

  async #ask(): Promise<number> {
    this.asked++;
    if (this.failure !== undefined) throw this.failure;
    this.monotonicMs += this.roundTripMs / 2;
    const reported = this.monotonicMs + this.aheadMs;
    this.monotonicMs += this.roundTripMs / 2;
    return reported;
  }
}

it("continues from the database's time, assumed at the middle of the call", async () => {
  const database = new FakeDatabase();
  database.roundTripMs = 400;
  const leaseNow = await database.open();
  database.monotonicMs += 30_000;
  expect(leaseNow()).toBe(database.monotonicMs + 1_000_000);
  expect(database.asked).toBe(1);
});

it.each([
  ["takes", 900, 1_000_250],
  ["leaves", 1_100, 1_000_000],
])("%s an answer that took %i ms, a minute later", async (_what, roundTripMs, aheadMs) => {
  const database = new FakeDatabase();
  const leaseNow = await database.open();
  Object.assign(database, { roundTripMs, aheadMs: 1_000_250 });
  database.monotonicMs += 60_001;
  leaseNow();
  await turn();
  expect(database.asked).toBe(2);
  expect(leaseNow()).toBe(database.monotonicMs + aheadMs);
  expect(database.asked).toBe(2);
});

it("keeps the last time while the database is unavailable, and asks again in a minute", async () => {
  const database = new FakeDatabase();
  const leaseNow = await database.open();
  database.failure = new Error("away");
  database.monotonicMs += 60_001;
  expect(leaseNow()).toBe(database.monotonicMs + 1_000_000);
  await turn();
  database.monotonicMs += 59_000;
  leaseNow();
  expect(database.asked).toBe(2);
  database.monotonicMs += 2_000;
  expect(leaseNow()).toBe(database.monotonicMs + 1_000_000);
  expect(database.asked).toBe(3);
});

it("does not open without the database", async () => {
  const database = new FakeDatabase();
  database.failure = new Error("away");
  await expect(database.open()).rejects.toThrow("away");
});
