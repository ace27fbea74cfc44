import { afterAll, beforeAll } from "vitest";
import { testEvents } from "../../conformance/events.ts";
import { openStoreServers, type StoreServers } from "./world.ts";

let servers: StoreServers;
beforeAll(async () => {
  servers = await openStoreServers(1);
});
afterAll(() => servers[Symbol.asyncDispose]());

testEvents("event store in ClickHouse on one shard", () => servers.createWorld());
