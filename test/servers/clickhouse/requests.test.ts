import { afterAll, beforeAll, describe } from "vitest";
import {
  type RandomRequestsOptions,
  testAppendOnlyRequests,
  testRandomRequests,
} from "../../reference/random-requests.ts";
import { openStoreServers, type StoreServers } from "./world.ts";

/** With 400, these are the 2,000 requests that the embedded engine is tested with. */
const perScene = Number(process.env["TEST_REQUESTS"] ?? 40);

describe.each([1, 2])("ClickHouse on %d shards", (shards) => {
  let servers: StoreServers;
  beforeAll(async () => {
    servers = await openStoreServers(shards);
  });
  afterAll(() => servers[Symbol.asyncDispose]());
  const options: RandomRequestsOptions = {
    openStore: async () => {
      const world = await servers.createWorld();
      const store = await world.open({ maxQueries: 2, maxWaiting: 100 });
      return {
        ...store,
        shardCount: shards,
        async [Symbol.asyncDispose]() {
          await store[Symbol.asyncDispose]();
          await world[Symbol.asyncDispose]();
        },
      };
    },
    perScene,
    timeoutMs: 900_000,
  };
  testRandomRequests("", options);
  // Their statements differ, and take less time.
  testAppendOnlyRequests(options);
});
