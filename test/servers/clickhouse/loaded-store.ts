import { type ClickHouseStore, openClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import { shardOfUser } from "../../../store/events/clickhouse/shards.ts";
import { Batches, noSignal, type Rows, vocabulary } from "../../conformance/events/world.ts";
import type { ClickHouseWorld, StoreServers } from "./world.ts";

/** A user of each of two shards. */
export const [first, second] = [1, 2, 3, 4, 5]
  .toSorted((a, b) => shardOfUser(a, 2) - shardOfUser(b, 2))
  .filter((_, at) => at === 0 || at === 4) as [number, number];

/** A store of two shards which has loaded the vocabulary. */
export interface LoadedStore extends AsyncDisposable {
  readonly world: ClickHouseWorld;
  readonly store: ClickHouseStore;
  readonly batches: Batches;
  /** The time of the ledger. */
  clock: { nowMs: number };
  load(...projects: readonly Rows[]): Promise<unknown>;
  /** Returns the sum of a number of each shard. */
  sum(sql: string): Promise<number>;
}

export async function openLoadedStore(servers: StoreServers): Promise<LoadedStore> {
  const world = await servers.createWorld();
  const clock = { nowMs: Date.UTC(2026, 5, 1) };
  const options = { ...world.options, ledger: { ...world.options.ledger, now: () => clock.nowMs } };
  const store = await openClickHouseStore(options);
  const batches = new Batches(world.folder, world.shardCount);
  await store.load(await batches.next(vocabulary));
  return {
    world: { ...world, options },
    store,
    batches,
    clock,
    load: async (...projects) => store.load(await batches.next(...projects)),
    async sum(sql) {
      const counts = await Promise.all(
        servers.shards.map(({ query }) => query(sql.replaceAll("{}", world.options.database))),
      );
      return counts.reduce((sum, count) => sum + Number(count), 0);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

export const compactAt = (nowMs: number, keepDays = new Map<number, number>()) => ({
  nowMs,
  keepDays,
  signal: noSignal(),
});
