import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import { dayMs } from "../../../base/time/units.ts";
import type { Property } from "../schema.ts";
import type { ScalarValue } from "../sql/parameters.ts";
import type { EventsWanted, MayOccur } from "../sql/relations.ts";
import { type DataTable, type ProjectTables, propertyColumn, type StoreTables } from "./layout.ts";
import { ResultRows } from "./query/rows.ts";

/**
 * The engine stores a column with at most about this many texts with a dictionary, and then computes a function once
 * for each of its texts.
 */
const maxTexts = 2_000;

/** The maximum number of days whose tables are read for a property; each takes 0.2 ms. */
const maxDays = 30;

/** The maximum number of properties that are read before a query, which did not ask for them. */
const maxProperties = 3;

/** The engine compares texts with the first bytes of the smallest and the largest text of a table, up to this many. */
const rangeBytes = 8;

/** The part of a query that reads. */
interface Reader {
  readonly tables: StoreTables;
  run(sql: string): Promise<DuckDBMaterializedResult>;
}

type TimeRange = Pick<EventsWanted, "startMs" | "endMs">;

const allTime: TimeRange = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };

/** Tells the conditions of queries which text properties have few texts. */
export interface FewTexts {
  /**
   * Returns a function that knows the texts of the days of a range. It returns undefined for a property that was not
   * read yet, so that a statement is compiled without waiting. The property is then read before the next query.
   */
  of(
    query: Reader,
    projectId: number,
    range?: TimeRange,
  ): Promise<(property: Property) => MayOccur | undefined>;
}

/** The texts of a property in a table, as the engine estimates them. */
interface TableTexts {
  /** Undefined for users. */
  readonly day: number | undefined;
  readonly count: number;
  /** The first bytes of the smallest and the largest text, a character each. */
  readonly min: string;
  readonly max: string;
}

interface KnownTexts {
  /** The size of the project when its properties were read. */
  readonly size: string;
  /** By properties of the schema, since their numbers and names are used again after they were removed. */
  readonly texts: WeakMap<Property, readonly TableTexts[]>;
  /** The properties to read. */
  readonly asked: Set<Property>;
}

export function createFewTexts(): FewTexts {
  const projects = new Map<number, KnownTexts>();
  return {
    async of(query, projectId, range = allTime) {
      const project = query.tables.projects.get(projectId);
      if (project === undefined) return () => undefined;
      const size = sizeOf(project);
      const before = projects.get(projectId);
      const known =
        before?.size === size
          ? before
          : { size, texts: new WeakMap<Property, readonly TableTexts[]>(), asked: new Set<Property>() };
      projects.set(projectId, known);
      const { texts, asked } = known;
      for (const property of [...asked].slice(0, maxProperties)) {
        // A failed read is not tried again by the next query, which would fail too. Another query may have read it.
        if (!asked.delete(property) || texts.has(property)) continue;
        texts.set(property, await readTexts(query, project, property));
      }
      return (property) => {
        if (property.type !== "text" || property.group !== undefined) return undefined;
        const tables = texts.get(property);
        if (tables === undefined) asked.add(property);
        if (tables === undefined || tables.length === 0) return undefined;
        if (tables.some(({ count }) => count > maxTexts)) return undefined;
        return (compared) => mayOccur(compared, tables, range);
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

/** Returns one element for each table that was read; none for a property without a column. */
async function readTexts(query: Reader, project: ProjectTables, property: Property): Promise<TableTexts[]> {
  const { table: owner, name } = property;
  // The property may have been removed since the question.
  if (project.schema.properties.get(`${owner}:${name}`) !== property) return [];
  const tables = tablesOf(project, property);
  if (tables.length === 0) return [];
  // The engine estimates while rows are added, and returns the same with each row.
  const selects = tables.map(
    ({ table }, at) => `(SELECT ${at}, stats(${propertyColumn(property)}) FROM ${table} LIMIT 1)`,
  );
  const rows = new ResultRows(await query.run(selects.join(" UNION ALL ")));
  return Array.from({ length: rows.rowCount }, (_, row) => {
    rows.moveTo(row);
    return decodeTexts(tables[rows.number(0)]?.day, String(rows.value(1)));
  });
}

interface ReadTable {
  /** Undefined for users. */
  readonly day: number | undefined;
  readonly table: string;
}

/** Returns the tables to read: that of users, or those of at most `maxDays` days, spread evenly up to the last. */
function tablesOf({ days, users }: ProjectTables, property: Property): readonly ReadTable[] {
  const has = ({ properties }: DataTable) => properties.has(property.number);
  if (property.table === "user") {
    return users !== undefined && has(users) ? [{ day: undefined, table: users.table }] : [];
  }
  const all = Array.from(days, ([day, table]) => ({ day, ...table })).filter(has);
  const count = Math.min(all.length, maxDays);
  return Array.from({ length: count }, (_, at) => all[Math.ceil(((at + 1) * all.length) / count) - 1]!);
}

/** Decodes the engine's text, such as `[Min: Bern, Max: Z\xC3\xBCrich, Has Unicode: true, …][Approx Unique: 2]`. */
function decodeTexts(day: number | undefined, stats: string): TableTexts {
  const [, min = "", max = ""] = /^\[Min: (.*), Max: (.*), Has Unicode: /.exec(stats) ?? [];
  const count = /\[Approx Unique: (\d+)\]$/.exec(stats)?.[1] ?? Number.POSITIVE_INFINITY;
  return { day, count: Number(count), min: bytesOf(min), max: bytesOf(max) };
}

const bytesOf = (escaped: string): string =>
  escaped.replaceAll(/\\x([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Reports whether at least half of the tables in the range of the query may have one of these texts. */
function mayOccur(
  texts: readonly ScalarValue[],
  tables: readonly TableTexts[],
  { startMs, endMs }: TimeRange,
): boolean {
  const beginnings = texts.map((text) => Buffer.from(String(text)).toString("latin1", 0, rangeBytes));
  const inQuery = tables.filter(
    ({ day }) => day === undefined || ((day + 1) * dayMs > startMs && day * dayMs < endMs),
  );
  const possible = inQuery.filter(({ min, max }) => beginnings.some((text) => text >= min && text <= max));
  return 2 * possible.length >= inQuery.length;
}
