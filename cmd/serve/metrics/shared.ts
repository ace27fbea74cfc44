import type { Registry } from "../../../base/metrics/prom-client.ts";
import { registerGauge } from "./metrics.ts";

/** Returns whether the parts of a store reply, by their names. Never rejects. */
export type FindParts = (signal: AbortSignal) => Promise<ReadonlyMap<string, boolean>>;

/** A scrape does not wait longer for a part. */
const maxWaitMs = 1_000;

/** Registers the gauge of the servers that replicas share. */
export function registerStoreGauge(registry: Registry, stores: readonly FindParts[]): void {
  registerGauge(
    registry,
    "engage_store_up",
    "1 while a server that replicas share replies: postgres, or a shard of ClickHouse",
    async () => {
      const signal = AbortSignal.timeout(maxWaitMs);
      const found = await Promise.all(stores.map((find) => find(signal)));
      return found.flatMap((parts) =>
        Array.from(parts, ([part, isUp]) => ({ labels: { part }, value: isUp ? 1 : 0 })),
      );
    },
    "part",
  );
}
