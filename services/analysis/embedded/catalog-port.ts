import { dayMs } from "../../../base/time/units.ts";
import { TableType } from "../../../gen/engage/analysis/v1/column_pb.ts";
import {
  PatternTooLargeError,
  PlanTooLargeError,
  type ProjectSchema,
  type PropertyTable,
} from "../../../store/events/events.ts";
import type { Column } from "../describe/column/column.ts";
import { findColumn } from "../describe/column/find-column.ts";
import type { DescribeContext } from "../describe/context.ts";
import { createContext } from "../describe/describe.ts";
import { createProblems, refuseLargePattern, refuseLargePlan } from "../describe/problems.ts";
import { endInstant, firstInstant } from "../describe/time/zone.ts";
import type { CatalogPort, ColumnValues } from "../project/project.ts";
import type { PlanSource } from "./plan-query.ts";

/** Creates the port that reads the catalogue of one project from the event store. */
export function createCatalogPort({ store, project, now }: PlanSource): CatalogPort {
  return {
    definitions: project,
    schema: async () => store.schema(project.id),
    volumes: ({ signal, caller }) => store.volumes({ projectId: project.id, caller }, signal),
    typeOf(table, name, schema) {
      const source = { project, schema, cohorts: [], nowMs: now() };
      return find(table, name, createContext({}, source, createProblems()))?.type ?? "nothing";
    },
    async values(wanted, { signal, caller }) {
      const cohorts = project.usesCohorts ? await store.cohorts(project.id) : [];
      signal.throwIfAborted();
      const problems = createProblems();
      const schema = store.schema(project.id);
      const context = createContext({}, { project, schema, cohorts, nowMs: now() }, problems);
      const column = find(wanted.table, wanted.name, context);
      if (column?.member?.type === "time") {
        problems.refuse(
          "property",
          wanted.name,
          "is a time in an object group, whose values cannot be listed",
        );
      }
      problems.throwIfAny();
      if (column === undefined) throw new Error("a column without problems must be found");
      const { prefix = "", after, limit, table } = wanted;
      if (prefix !== "" && valueKind(column) !== "text") {
        problems.refuse("prefix", prefix, `is only valid for texts, and this is a ${column.type}`);
        problems.throwIfAny();
      }
      const plan = {
        projectId: project.id,
        caller,
        table,
        of: column.value,
        zone: context.zone.steps,
        ...rangeOf(wanted, context),
        events: eventsOf(wanted, schema),
        prefix,
        ...(after && { after }),
        limit,
      };
      try {
        return { ...(await store.topValues(plan, signal)), type: column.type, kind: valueKind(column) };
      } catch (error) {
        if (error instanceof PatternTooLargeError) throw refuseLargePattern(undefined);
        if (error instanceof PlanTooLargeError) throw refuseLargePlan();
        throw error;
      }
    },
  };
}

function find(table: PropertyTable, columnName: string, context: DescribeContext): Column | undefined {
  const tableType = table === "user" ? TableType.USER : TableType.EVENT;
  return findColumn({ columnName, tableType }, "property", context);
}

/** Values of other types are texts. */
function valueKind({ type }: Column): "text" | "number" | "boolean" | "time" {
  return type === "number" || type === "boolean" || type === "time" ? type : "text";
}

/** Returns the instants of the days. */
function rangeOf(
  { fromDayMs, toDayMs }: ColumnValues,
  { zone: { steps } }: DescribeContext,
): { readonly startMs: number; readonly endMs: number } {
  return {
    startMs: fromDayMs === undefined ? Number.NEGATIVE_INFINITY : firstInstant(steps, fromDayMs),
    endMs: toDayMs === undefined ? Number.POSITIVE_INFINITY : endInstant(steps, toDayMs + dayMs),
  };
}

function eventsOf({ event }: ColumnValues, { events }: ProjectSchema): readonly number[] | undefined {
  if (event === undefined) return undefined;
  const known = events.get(event);
  return known === undefined ? [] : [known.number];
}
