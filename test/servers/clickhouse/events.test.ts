import { afterAll, beforeAll, describe } from "vitest";
import type { EventStore } from "../../../store/events/events.ts";
import { testExport } from "../../conformance/events/export.ts";
import { testLoad } from "../../conformance/events/load.ts";
import { testNames } from "../../conformance/events/names.ts";
import { testSchema, testVocabulary } from "../../conformance/events/schema.ts";
import { testUpdates } from "../../conformance/events/updates.ts";
import { testUpkeep } from "../../conformance/events/upkeep.ts";
import { testUsers } from "../../conformance/events/users.ts";
import type { CreateEventsWorld } from "../../conformance/events/world.ts";
import { openStoreServers, type StoreServers } from "./world.ts";

describe.each([1, 2])("ClickHouse events on %d shards", (shards) => {
  let servers: StoreServers;
  beforeAll(async () => {
    servers = await openStoreServers(shards);
  });
  afterAll(() => servers[Symbol.asyncDispose]());
  const create: CreateEventsWorld = () =>
    servers.createWorld() as unknown as ReturnType<CreateEventsWorld<EventStore>>;
  testLoad(create);
  testVocabulary(create);
  testSchema(create);
  testNames(create);
  testUsers(create);
  testUpdates(create);
  testUpkeep(create);
  testExport(create);
});
