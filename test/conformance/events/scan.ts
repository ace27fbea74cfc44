import { afterAll, beforeAll } from "vitest";
import { testBuckets } from "./scan-buckets.ts";
import { testConditions } from "./scan-conditions.ts";
import { testKeys } from "./scan-keys.ts";
import { testMeasures } from "./scan-measures.ts";
import { testSummary } from "./scan-summary.ts";
import { testSums } from "./scan-sums.ts";
import { testScanUsers } from "./scan-users.ts";
import { openScanned, type ScanWorld } from "./scan-world.ts";
import type { CreateEventsWorld, OpenedStore } from "./world.ts";

/** Tests the results of plans over events. */
export function testScan(create: CreateEventsWorld): void {
  let shared: OpenedStore;
  beforeAll(async () => {
    shared = await openScanned(create);
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  const world: ScanWorld = {
    get store() {
      return shared.store;
    },
    open: () => openScanned(create),
  };
  testMeasures(world);
  testKeys(world);
  testConditions(world);
  testBuckets(world);
  testScanUsers(world);
  testSummary(world);
  testSums(create);
}
