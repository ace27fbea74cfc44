import { afterAll, beforeAll, describe } from "vitest";
import { testLoad } from "../../conformance/events/load.ts";
import { testEvents } from "../../conformance/events.ts";
import { openStoreServers, type StoreServers } from "./world.ts";

let servers: StoreServers;
beforeAll(async () => {
  servers = await openStoreServers(2);
});
afterAll(() => servers[Symbol.asyncDispose]());

testEvents("event store in ClickHouse on two shards", () => servers.createWorld());

describe("event store in ClickHouse on two shards, with lines of days", () => {
  testLoad(async () => {
    const { shardCount: _, ...world } = await servers.createWorld();
    return world;
  });
});
