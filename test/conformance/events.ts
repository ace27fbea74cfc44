import { describe } from "vitest";
import { testCohorts } from "./events/cohorts.ts";
import { testDeletions } from "./events/deletions.ts";
import { testExport } from "./events/export.ts";
import { testLoad } from "./events/load.ts";
import { testNames } from "./events/names.ts";
import { testQueries } from "./events/queries.ts";
import { testSchema, testVocabulary } from "./events/schema.ts";
import { testSelection } from "./events/selection.ts";
import { testTopValues } from "./events/top-values.ts";
import { testUpdates } from "./events/updates.ts";
import { testUpkeep } from "./events/upkeep.ts";
import { testUsers } from "./events/users.ts";
import { testVolumes } from "./events/volumes.ts";
import type { CreateEventsWorld } from "./events/world.ts";

/** Tests that every driver of the event store must pass. */
export function testEvents(name: string, create: CreateEventsWorld): void {
  describe(name, () => {
    testLoad(create);
    testVocabulary(create);
    testSchema(create);
    testNames(create);
    testDeletions(create);
    testUsers(create);
    testSelection(create);
    testUpdates(create);
    testCohorts(create);
    testQueries(create);
    testVolumes(create);
    testTopValues(create);
    testUpkeep(create);
    testExport(create);
  });
}
