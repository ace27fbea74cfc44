import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { DuckDbStore } from "../../../../../store/events/duckdb/duckdb.ts";
import type {
  DayRows,
  LoadBatch,
  PreparedEvent,
  ProjectRows,
  Property,
} from "../../../../../store/events/events.ts";
import { writeColumns } from "../../../../conformance/events/columns.ts";
import { testLoad } from "../../../../conformance/events/load.ts";
import { Batches, type EventsWorld } from "../../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

/** Writes the lines of a day as columns. */
function asColumns(rows: DayRows, properties: readonly Property[]): DayRows {
  const lines = readFileSync(rows.file, "utf8").split("\n").filter(Boolean);
  const file = `${rows.file}.parquet`;
  writeColumns(
    file,
    lines.map((line) => JSON.parse(line) as PreparedEvent),
    properties.filter(({ number }) => rows.properties.includes(number)),
  );
  return { ...rows, file, format: "columns" };
}

function withColumns(store: DuckDbStore, batch: LoadBatch): LoadBatch {
  const ofProject = (rows: ProjectRows): ProjectRows => {
    const known = [...store.schema(rows.projectId).properties.values(), ...rows.newProperties];
    return rows.days === undefined ? rows : { ...rows, days: rows.days.map((day) => asColumns(day, known)) };
  };
  return { ...batch, projects: batch.projects.map(ofProject) };
}

async function createColumnsWorld(): Promise<EventsWorld> {
  const world = await createDuckDbWorld();
  return {
    ...world,
    async open(limits) {
      const store = await world.open(limits);
      return { ...store, load: (batch) => store.load(withColumns(store as DuckDbStore, batch)) };
    },
  };
}

testLoad(createColumnsWorld);

it("refuses events of shards, which it would lose", async () => {
  await using world = await createDuckDbWorld();
  await using store = await world.open();
  const shards = [{ shard: 0, file: "none", days: new Map([[1, 1]]), properties: [] }];
  const batch = await new Batches(world.folder).next({ events: [] });
  const projects = batch.projects.map((rows) => ({ ...rows, shards }));
  await expect(store.load({ ...batch, projects })).rejects.toThrow("events of shards");
  expect(store.loadedTo()).toBeUndefined();
});
