import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import type { Property } from "../schema.ts";
import { type DataTable, type ProjectTables, propertyColumn, type StoreTables } from "./layout.ts";
import { ResultRows } from "./query/rows.ts";

/**
 * The engine stores a column with at most about this many texts with a dictionary, and then computes a function once
 * for each of its texts.
 */
const maxTexts = 2_000;

/** The part of a query that reads. */
interface Reader {
  readonly tables: StoreTables;
  run(sql: string): Promise<DuckDBMaterializedResult>;
}

type HasFewTexts = (property: Property) => boolean;

/** Tells the conditions of queries which text properties have few texts. */
export interface FewTexts {
  /**
   * Returns the function to ask. The first question about a property is answered with false, so that a statement is
   * compiled without waiting. The property is then read before the next query.
   */
  of(query: Reader, projectId: number): Promise<HasFewTexts>;
}

interface Answers {
  /** The size of the project when its properties were read. */
  readonly size: string;
  /** By properties of the schema, since their numbers and names are used again after they were removed. */
  readonly isFew: WeakMap<Property, boolean>;
  /** The properties to read. */
  readonly asked: Set<Property>;
}

export function createFewTexts(): FewTexts {
  const projects = new Map<number, Answers>();
  return {
    async of(query, projectId) {
      const project = query.tables.projects.get(projectId);
      if (project === undefined) return () => false;
      const size = sizeOf(project);
      const before = projects.get(projectId);
      const answers =
        before?.size === size
          ? before
          : { size, isFew: new WeakMap<Property, boolean>(), asked: new Set<Property>() };
      projects.set(projectId, answers);
      const { isFew, asked } = answers;
      for (const property of asked) {
        // A failed read is not tried again by the next query, which would fail too.
        asked.delete(property);
        isFew.set(property, await hasFewTexts(query, project, property));
      }
      return (property) => {
        if (property.type !== "text" || property.group !== undefined) return false;
        const known = isFew.get(property);
        if (known === undefined) asked.add(property);
        return known ?? false;
      };
    },
  };
}

/** Returns a text that changes with the first day, the number of days, and each power of two that the events pass. */
function sizeOf({ days }: ProjectTables): string {
  const [first] = days.keys();
  let sum = 0;
  for (const { events } of days.values()) sum += events;
  return `${first} ${days.size} ${Math.floor(Math.log2(sum + 1))}`;
}

async function hasFewTexts(query: Reader, project: ProjectTables, property: Property): Promise<boolean> {
  const { table: owner, name } = property;
  // The property may have been removed since the question.
  if (project.schema.properties.get(`${owner}:${name}`) !== property) return false;
  const table = owner === "user" ? project.users : largestDay(project, property);
  if (!table?.properties.has(property.number)) return false;
  // The engine estimates the number while rows are added, and returns it with a row.
  const rows = new ResultRows(
    await query.run(`SELECT stats(${propertyColumn(property)}) FROM ${table.table} LIMIT 1`),
  );
  if (rows.rowCount === 0) return false;
  rows.moveTo(0);
  const texts = /\[Approx Unique: (\d+)\]$/.exec(String(rows.value(0)))?.[1];
  return texts !== undefined && Number(texts) <= maxTexts;
}

function largestDay({ days }: ProjectTables, { number }: Property): DataTable | undefined {
  let largest: { readonly events: number; readonly table: DataTable } | undefined;
  for (const table of days.values()) {
    if (table.properties.has(number) && table.events > (largest?.events ?? 0))
      largest = { events: table.events, table };
  }
  return largest?.table;
}
