import { expect, it, onTestFinished, vi } from "vitest";
import { divideLeases } from "../../../../cmd/serve/shared/lease-shares.ts";
import { doUnderLease } from "../../../../cmd/serve/shared/under-lease.ts";
import { type Lease, LeaseLostError, type Leases } from "../../../../store/leases/leases.ts";

const total = 6;

/** Leases in memory, of any number of replicas. */
function createLeases() {
  const held = new Map<string, Lease>();
  let moved = Promise.withResolvers<void>();
  let token = 0;
  const free = (name: string): void => {
    held.delete(name);
    moved.resolve();
    moved = Promise.withResolvers();
  };
  async function tryAcquire(name: string): Promise<Lease | undefined> {
    if (held.has(name)) return undefined;
    const controller = new AbortController();
    const release = async (): Promise<void> => {
      if (controller.signal.aborted) return;
      controller.abort(new LeaseLostError("released"));
      free(name);
    };
    const lease: Lease = {
      name,
      token: ++token,
      signal: controller.signal,
      throwIfLost: () => controller.signal.throwIfAborted(),
      release,
      [Symbol.asyncDispose]: release,
    };
    held.set(name, lease);
    return lease;
  }
  const leases: Pick<Leases, "acquire" | "tryAcquire" | "count"> = {
    tryAcquire,
    async acquire(name, signal) {
      for (;;) {
        signal.throwIfAborted();
        const lease = await tryAcquire(name);
        if (lease !== undefined) return lease;
        const left = new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve());
        });
        await Promise.race([moved.promise, left]);
      }
    },
    count: async (prefix) => [...held.keys()].filter((name) => name.startsWith(prefix)).length,
  };
  return { leases, held };
}

/** A replica which works on as many of six projects as it may. */
function openReplica(leases: ReturnType<typeof createLeases>["leases"]) {
  const working = new Set<string>();
  const failures: unknown[] = [];
  const looks: (() => void)[] = [];
  const shares = divideLeases({
    leases,
    total,
    failed: (error) => failures.push(error),
    clock: {
      wait: (_ms, signal) =>
        new Promise((resolve) => {
          looks.push(resolve);
          signal.addEventListener("abort", () => resolve());
        }),
    },
  });
  const work = Array.from({ length: total }, (_, at) =>
    doUnderLease({
      leases: shares,
      name: `load/${at}`,
      until: shares.surplus,
      failed: (error) => failures.push(error),
      clock: { wait: async () => {} },
      async start({ name }) {
        working.add(name);
        return { [Symbol.asyncDispose]: async () => void working.delete(name) };
      },
    }),
  );
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ending ??= (async () => {
      await Promise.all(work.map((one) => one[Symbol.asyncDispose]()));
      await shares[Symbol.asyncDispose]();
    })();
    return ending;
  };
  onTestFinished(end);
  const look = (): void => {
    for (const resolve of looks.splice(0)) resolve();
  };
  return { working, failures, look, end };
}

const sizes = (...replicas: ReturnType<typeof openReplica>[]): number[] =>
  replicas.map(({ working }) => working.size);

it("gives all leases to one replica alone", async () => {
  const replica = openReplica(createLeases().leases);
  await vi.waitFor(() => expect(replica.working.size).toBe(total));
});

it("gives each replica that is added its part, and the part of one that ends to the others", async () => {
  const { leases, held } = createLeases();
  const first = openReplica(leases);
  await vi.waitFor(() => expect(sizes(first)).toEqual([6]));
  const second = openReplica(leases);
  await vi.waitFor(() => expect(held.has("replica/2")).toBe(true));
  first.look();
  await vi.waitFor(() => expect(sizes(first, second)).toEqual([3, 3]));
  const third = openReplica(leases);
  await vi.waitFor(() => expect(held.has("replica/3")).toBe(true));
  for (const replica of [first, second, third]) replica.look();
  await vi.waitFor(() => expect(sizes(first, second, third)).toEqual([2, 2, 2]));
  await second.end();
  expect(held.has("replica/2")).toBe(false);
  for (const replica of [first, third]) replica.look();
  await vi.waitFor(() => expect(sizes(first, third)).toEqual([3, 3]));
  expect([...first.failures, ...second.failures, ...third.failures]).toEqual([]);
});

it("leaves a free lease to the replica that has less than its share", async () => {
  const { leases, held } = createLeases();
  const first = openReplica(leases);
  await vi.waitFor(() => expect(sizes(first)).toEqual([6]));
  // Another process, which has acquired nothing yet.
  const other = await leases.tryAcquire("replica/2");
  first.look();
  await vi.waitFor(() => expect(sizes(first)).toEqual([3]));
  const free = Array.from({ length: total }, (_, at) => `load/${at}`).filter((name) => !held.has(name));
  expect(free).toHaveLength(3);
  await other!.release();
  first.look();
  await vi.waitFor(() => expect(sizes(first)).toEqual([6]));
});

it("keeps its share while the replicas cannot be counted, and reports that", async () => {
  const { leases } = createLeases();
  const away = new Error("away");
  const count = vi.fn(leases.count);
  const replica = openReplica({ ...leases, count });
  await vi.waitFor(() => expect(sizes(replica)).toEqual([6]));
  count.mockRejectedValueOnce(away);
  replica.look();
  await vi.waitFor(() => expect(replica.failures).toEqual([away]));
  expect(sizes(replica)).toEqual([6]);
});
