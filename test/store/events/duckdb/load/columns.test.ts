import { readFileSync } from "node:fs";
import type { Column } from "../../../../../base/parquet/column.ts";
import { ParquetFile } from "../../../../../base/parquet/file.ts";
import type { ValueType } from "../../../../../base/parquet/values.ts";
import type { DuckDbStore } from "../../../../../store/events/duckdb/duckdb.ts";
import type {
  DayRows,
  LoadBatch,
  PreparedEvent,
  ProjectRows,
  Property,
} from "../../../../../store/events/events.ts";
import { testLoad } from "../../../../conformance/events/load.ts";
import type { EventsWorld } from "../../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

const keys = { e: "int32", t: "int64", r: "int64", u: "int64", a: "text", d: "text" } as const;
const valueTypes: Readonly<Record<Property["type"], ValueType>> = {
  number: "double",
  text: "text",
  time: "int64",
  boolean: "boolean",
  list: "text",
  object: "text",
  object_group: "text",
};

/** Writes the lines of a day as columns. */
function asColumns(rows: DayRows, properties: readonly Property[]): DayRows {
  const file = new ParquetFile(`${rows.file}.parquet`);
  const columns = new Map<string, Column>();
  for (const [key, value] of Object.entries(keys))
    columns.set(key, file.addColumn(key, { value, isList: false }));
  for (const { number, type, group } of properties) {
    if (!rows.properties.includes(number)) continue;
    const isList = group !== undefined || type === "list";
    columns.set(String(number), file.addColumn(String(number), { value: valueTypes[type], isList }));
  }
  for (const line of readFileSync(rows.file, "utf8").split("\n").filter(Boolean)) {
    const { p, ...event } = JSON.parse(line) as PreparedEvent;
    for (const [key, value] of Object.entries({ ...event, ...p })) columns.get(key)!.set(file.row, value);
    file.endRow();
  }
  file.close();
  return { ...rows, file: file.path, format: "columns" };
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
