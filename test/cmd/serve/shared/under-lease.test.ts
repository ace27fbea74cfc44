import { expect, it, onTestFinished, vi } from "vitest";
import { doUnderLease } from "../../../../cmd/serve/shared/under-lease.ts";
import { type Lease, LeaseLostError, type Leases } from "../../../../store/leases/leases.ts";

/** Leases of which a test decides when they are given and lost. */
function openBench(start: (lease: Lease) => Promise<void> = async () => {}) {
  const events: string[] = [];
  const offers: (() => Lease)[] = [];
  let offered = Promise.withResolvers<void>();
  let token = 0;
  const leases: Pick<Leases, "acquire"> = {
    async acquire(_name, signal) {
      while (offers.length === 0) {
        const stopped = new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
        await Promise.race([offered.promise, stopped]);
      }
      return offers.shift()!();
    },
  };
  const offer = (give: () => Lease): void => {
    offers.push(give);
    offered.resolve();
    offered = Promise.withResolvers();
  };
  const give = (): AbortController => {
    const controller = new AbortController();
    const number = ++token;
    offer(() => ({
      name: "work",
      token: number,
      signal: controller.signal,
      throwIfLost: () => controller.signal.throwIfAborted(),
      release: async () => void events.push(`released ${number}`),
      [Symbol.asyncDispose]: async () => void events.push(`released ${number}`),
    }));
    return controller;
  };
  const work = doUnderLease({
    leases: leases as Leases,
    name: "work",
    clock: { wait: async (ms) => void events.push(`waited ${ms}`) },
    failed: (error) => void events.push((error as Error).message),
    async start(lease) {
      events.push(`started ${lease.token}`);
      await start(lease);
      return { [Symbol.asyncDispose]: async () => void events.push(`ended ${lease.token}`) };
    },
  });
  onTestFinished(() => work[Symbol.asyncDispose]());
  return { events, give, offer, work };
}

const eventually = (events: readonly string[], wanted: readonly string[]) =>
  vi.waitFor(() => expect(events).toEqual(wanted));

it("does the work until the lease is lost, and again with the next one", async () => {
  const { events, give } = openBench();
  const first = give();
  await eventually(events, ["started 1"]);
  first.abort(new LeaseLostError("lost"));
  await eventually(events, ["started 1", "ended 1", "released 1"]);
  give();
  await eventually(events, ["started 1", "ended 1", "released 1", "started 2"]);
});

it("ends the work before it releases the lease", async () => {
  const { events, give, work } = openBench();
  give();
  await eventually(events, ["started 1"]);
  await work[Symbol.asyncDispose]();
  expect(events).toEqual(["started 1", "ended 1", "released 1"]);
});

it("stops while it waits for the lease", async () => {
  const { events, work } = openBench();
  await work[Symbol.asyncDispose]();
  expect(events).toEqual([]);
});

it("tries again when the store was unavailable, and when the work could not be started", async () => {
  const faults = ["no disk"];
  const { events, give, offer } = openBench(async () => {
    const fault = faults.shift();
    if (fault !== undefined) throw new Error(fault);
  });
  offer(() => {
    throw new Error("away");
  });
  await eventually(events, ["away", "waited 1000"]);
  give();
  give();
  await vi.waitFor(() =>
    expect(events.slice(2)).toEqual(["started 1", "released 1", "no disk", "waited 1000", "started 2"]),
  );
});
