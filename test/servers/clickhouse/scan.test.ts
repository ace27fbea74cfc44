import { afterAll, beforeAll, describe } from "vitest";
import { testScan } from "../../conformance/events/scan.ts";
import { openStoreServers, type StoreServers } from "./world.ts";

describe.each([1, 2])("scans of ClickHouse, shards: %d", (shards) => {
  let servers: StoreServers;
  beforeAll(async () => {
    servers = await openStoreServers(shards);
  });
  afterAll(() => servers[Symbol.asyncDispose]());
  testScan(() => servers.createWorld());
});
