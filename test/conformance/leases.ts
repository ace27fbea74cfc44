import { describe, expect, it, vi } from "vitest";
import { type Clock, systemClock } from "../../base/async/clock.ts";
import { type Lease, LeaseLostError, type Leases } from "../../store/leases/leases.ts";

export interface LeasesOptions {
  readonly leaseMs?: number;
  readonly clock?: LeaseTimes;
}

/** A store of leases which several processes share. */
export interface LeasesPlace extends AsyncDisposable {
  /** Opens the store as one more process. */
  open(options: LeasesOptions): Promise<Leases>;
  /** Makes all calls hang until it is disposed of. */
  hang(): Promise<AsyncDisposable>;
  /** Reports whether a transaction waits for another one. */
  isWaiting(): Promise<boolean>;
  startFenced(lease: Pick<Lease, "name" | "token">): Promise<FencedTransaction>;
}

/** A transaction which has written, and has not checked the fence yet. */
export interface FencedTransaction {
  /** Checks the fence; rolls back when it refuses. */
  check(): Promise<void>;
  commit(): Promise<void>;
  /** Reports whether something was written by it and committed. */
  isWritten(): Promise<boolean>;
}

type LeaseTimes = Pick<Clock, "monotonicMs" | "after" | "wait">;

/** A lease which ends in a test. */
const short = 500;
/** A lease which does not. */
const long = 300_000;

/** Returns the clock of a process whose monotonic clock began earlier, or which was stopped meanwhile. */
function clockAhead(ahead: { ms: number }): LeaseTimes {
  return { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + ahead.ms };
}

/** The clock of a process which does nothing by itself any more. */
const dead: LeaseTimes = { ...systemClock, after: () => () => {} };

/** Tests that every driver of leases must pass. */
export function testLeases(name: string, createPlace: () => Promise<LeasesPlace>): void {
  describe(name, () => {
    testHolders(createPlace);
    testLosses(createPlace);
    testFences(createPlace);
  });
}

/** Opens two processes. */
async function openTwo(
  createPlace: () => Promise<LeasesPlace>,
  first: LeasesOptions = {},
  second: LeasesOptions = {},
) {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await createPlace());
  const a = stack.use(await place.open({ leaseMs: long, ...first }));
  const b = stack.use(await place.open({ leaseMs: long, ...second }));
  return { place, a, b, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const never = new AbortController().signal;

function testHolders(createPlace: () => Promise<LeasesPlace>): void {
  describe("a lease", () => {
    it("is acquired by one of many, in one process and in another", async () => {
      await using world = await openTwo(createPlace);
      const { a, b } = world;
      const asked = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? a : b).tryAcquire("load"));
      const acquired = (await Promise.all(asked)).filter((lease) => lease !== undefined);
      expect(acquired).toHaveLength(1);
      expect(acquired[0]).toMatchObject({ name: "load", token: 1 });
      acquired[0]!.throwIfLost();
      expect(acquired[0]!.signal.aborted).toBe(false);
    });

    it("is separate from leases of other names", async () => {
      await using world = await openTwo(createPlace);
      const { a, b } = world;
      expect(await a.tryAcquire("one")).toBeDefined();
      expect(await b.tryAcquire("two")).toBeDefined();
      expect(await b.tryAcquire("One")).toBeDefined();
      expect(await b.tryAcquire("one")).toBeUndefined();
    });

    it("goes at once to a process which waits when it is released, with a greater token", async () => {
      await using world = await openTwo(createPlace);
      const { a, b } = world;
      for (let token = 1; token <= 5; token++) {
        const [holder, other] = token % 2 === 1 ? [a, b] : [b, a];
        const lease = await holder.acquire("load", never);
        expect(lease.token).toBe(2 * token - 1);
        const waiting = other.acquire("load", never);
        await lease.release();
        const next = await waiting;
        expect(next.token).toBe(2 * token);
        expect(() => lease.throwIfLost()).toThrow(LeaseLostError);
        expect(lease.signal.reason).toMatchObject({
          message: `lease "load" with token ${2 * token - 1} was released`,
        });
        await lease.release();
        next.throwIfLost();
        await next[Symbol.asyncDispose]();
      }
    });

    it("is released when its process closes the store", async () => {
      await using world = await openTwo(createPlace);
      const { a, b } = world;
      const lease = await a.acquire("load", never);
      const waiting = b.acquire("load", never);
      await a[Symbol.asyncDispose]();
      expect(lease.signal.aborted).toBe(true);
      expect((await waiting).token).toBe(2);
      await expect(a.tryAcquire("load")).rejects.toMatchObject({
        name: "LeasesUnavailableError",
        message: "lease store is closed",
      });
    });

    it("is not waited for after the signal", async () => {
      await using world = await openTwo(createPlace);
      const { a, b } = world;
      const lease = await a.acquire("load", never);
      const left = new AbortController();
      const waiting = b.acquire("load", left.signal);
      left.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
      await expect(b.acquire("load", left.signal)).rejects.toThrow("enough");
      await lease.release();
      expect((await a.tryAcquire("load"))!.token).toBe(2);
    });

    it("is counted by the beginning of its name while a process holds it", async () => {
      await using world = await openTwo(createPlace);
      const { a, b } = world;
      expect(await a.count("replica/")).toBe(0);
      const lease = await a.acquire("replica/1", never);
      await b.acquire("replica/2", never);
      await b.acquire("other", never);
      expect([await a.count("replica/"), await b.count("replica/")]).toEqual([2, 2]);
      await lease.release();
      expect(await b.count("replica/")).toBe(1);
    });

    it.each([
      ["", 0],
      ["x".repeat(201), 201],
      ["a\0b", 3],
    ])("needs a name, unlike %j", async (bad, length) => {
      await using world = await openTwo(createPlace);
      await expect(world.a.tryAcquire(bad)).rejects.toThrow(
        new RangeError(`name of a lease has ${length} characters, not 1 to 200 without NUL`),
      );
    });

    it("lasts from 100 ms to 10 minutes", async () => {
      await using place = await createPlace();
      for (const leaseMs of [99, 600_001]) await expect(place.open({ leaseMs })).rejects.toThrow(RangeError);
    });
  });
}

function testLosses(createPlace: () => Promise<LeasesPlace>): void {
  describe("a lease and time", () => {
    it("is kept as long as it is renewed", async () => {
      await using world = await openTwo(createPlace, { leaseMs: short });
      const { a, b } = world;
      const lease = await a.acquire("load", never);
      const untilMs = systemClock.monotonicMs() + 4 * short;
      await vi.waitUntil(() => systemClock.monotonicMs() > untilMs, { timeout: 20 * short });
      lease.throwIfLost();
      expect(await b.tryAcquire("load")).toBeUndefined();
    });

    it("goes to another process when its own died, and the dead one would know", async () => {
      await using world = await openTwo(createPlace, { leaseMs: short, clock: dead });
      const { a, b } = world;
      const lease = await a.acquire("load", never);
      expect(await b.tryAcquire("load")).toBeUndefined();
      expect(await b.acquire("load", never)).toMatchObject({ token: 2 });
      expect(lease.signal.aborted).toBe(false);
      expect(() => lease.throwIfLost()).toThrow('lease "load" with token 1 was not renewed in time');
      expect(lease.signal.aborted).toBe(true);
    });

    it("is given up in time when it can't be renewed", async () => {
      await using world = await openTwo(createPlace, { leaseMs: short });
      const { place, a, b } = world;
      const lease = await a.acquire("load", never);
      const lost = vi.fn<() => void>();
      lease.signal.addEventListener("abort", lost);
      {
        await using _hung = await place.hang();
        await vi.waitUntil(() => lease.signal.aborted, { timeout: 60_000 });
      }
      expect(lease.signal.reason).toBeInstanceOf(LeaseLostError);
      expect(lease.signal.reason).toMatchObject({
        message: expect.stringContaining("was not renewed in time"),
      });
      expect(lost).toHaveBeenCalledOnce();
      expect((await b.acquire("load", never)).token).toBe(2);
    });

    it("is known to be lost when its process continues after it was stopped", async () => {
      const ahead = { ms: 0 };
      await using world = await openTwo(createPlace, { clock: clockAhead(ahead) });
      const { a, b } = world;
      const lease = await a.acquire("load", never);
      ahead.ms = long;
      expect(() => lease.throwIfLost()).toThrow(LeaseLostError);
      expect(lease.signal.aborted).toBe(true);
      expect(await b.tryAcquire("load")).toBeUndefined();
      // The process which gave it up may have it again, under another token.
      expect(await a.tryAcquire("load")).toMatchObject({ token: 2 });
    });

    it("does not depend on the clocks of the processes", async () => {
      const clocks = [-1e9, 1e9].map((ms) => ({ clock: clockAhead({ ms }) }));
      await using world = await openTwo(createPlace, clocks[0], clocks[1]);
      const { a, b } = world;
      const lease = await a.acquire("load", never);
      expect(await b.tryAcquire("load")).toBeUndefined();
      lease.throwIfLost();
      await lease.release();
      expect((await b.acquire("load", never)).token).toBe(2);
      expect(await a.tryAcquire("load")).toBeUndefined();
    });
  });
}

function testFences(createPlace: () => Promise<LeasesPlace>): void {
  describe("a fence", () => {
    it("lets the holder's transactions pass", async () => {
      await using world = await openTwo(createPlace);
      const lease = await world.a.acquire("load", never);
      const transaction = await world.place.startFenced(lease);
      await transaction.check();
      await transaction.commit();
      expect(await transaction.isWritten()).toBe(true);
    });

    it.each([
      ["no lease has the name", { name: "other", token: 1 }, "it does not exist"],
      ["the token is of no lease yet", { name: "load", token: 2 }, "it has token 1 now"],
    ])("refuses a transaction when %s", async (_what, fenced, words) => {
      await using world = await openTwo(createPlace);
      await world.a.acquire("load", never);
      const transaction = await world.place.startFenced(fenced);
      await expect(transaction.check()).rejects.toThrow(
        new LeaseLostError(`lease "${fenced.name}" with token ${fenced.token} is lost: ${words}`),
      );
      expect(await transaction.isWritten()).toBe(false);
    });

    it("refuses a transaction which began before another process acquired the lease", async () => {
      await using world = await openTwo(createPlace);
      const { place, a, b } = world;
      const lease = await a.acquire("load", never);
      const transaction = await place.startFenced(lease);
      await lease.release();
      await b.acquire("load", never);
      await expect(transaction.check()).rejects.toThrow(
        'lease "load" with token 1 is lost: it has token 2 now',
      );
      expect(await transaction.isWritten()).toBe(false);
    });

    it("keeps other processes waiting until the commit, but not the holder's renewal", async () => {
      await using world = await openTwo(createPlace, { leaseMs: short }, { leaseMs: long });
      const { place, a, b } = world;
      const lease = await a.acquire("load", never);
      const transaction = await place.startFenced(lease);
      await transaction.check();
      const untilMs = systemClock.monotonicMs() + 3 * short;
      await vi.waitUntil(() => systemClock.monotonicMs() > untilMs, { timeout: 20 * short });
      lease.throwIfLost();
      const acquired = vi.fn<(lease: Lease) => void>();
      const waiting = b.acquire("load", never).then(acquired);
      await lease.release();
      await vi.waitUntil(() => place.isWaiting(), { timeout: 60_000 });
      expect(acquired).not.toHaveBeenCalled();
      await transaction.commit();
      await waiting;
      expect(acquired).toHaveBeenCalledWith(expect.objectContaining({ token: 2 }));
      expect(await transaction.isWritten()).toBe(true);
    });
  });
}
