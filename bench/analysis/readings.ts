import { type EventQuery, EventQuerySchema } from "../../gen/engage/analysis/v1/query_pb.ts";
import { describeQuery } from "../../services/analysis/describe/describe.ts";
import { compileScan as planScan } from "../../services/analysis/describe/event-plan.ts";
import { defineProject, type ProjectDefinitions } from "../../services/analysis/project/definitions.ts";
import { readDimensionFile } from "../../services/analysis/project/dimension-file.ts";
import { decodeQueryBody } from "../../services/analysis/rest/query-body.ts";
import { Database } from "../../store/events/duckdb/database.ts";
import { dayTableName } from "../../store/events/duckdb/layout.ts";
import { duckdbDialect } from "../../store/events/duckdb/query/dialect.ts";
import { relationsOf } from "../../store/events/duckdb/query/relations.ts";
import { compileScan } from "../../store/events/sql/sql.ts";
import { dayMs, firstDayMs, projectId, storeOptions } from "./data.ts";
import { type RestRequest, severalMetrics } from "./rest-requests.ts";
import { configOf } from "./serving.ts";

/** Prints how often requests of several metrics read the events. No other process may have the store open. */
export async function reportReadings(folder: string): Promise<void> {
  const project = defineProject(configOf(folder).config.projects[0]!, readDimensionFile);
  const database = await Database.open(storeOptions(folder));
  const rows = Object.entries(severalMetrics).map(([request, { body }]) => {
    const metrics = (body["events"] as readonly unknown[]).length;
    return { request, metrics, ...readingsOf(database, project, body) };
  });
  await database.close();
  console.table(rows);
  const missed = rows.filter(({ metrics, readings }) => readings >= metrics).map(({ request }) => request);
  console.log(`bar: fewer readings than metrics; missed: ${missed.join(", ") || "none"}\n`);
}

/** Returns the number of statements, and of their references to the table of one day. */
function readingsOf(
  database: Database,
  project: ProjectDefinitions,
  body: RestRequest["body"],
): { readonly statements: number; readonly readings: number } {
  const relations = relationsOf(database.tables, projectId);
  const raw = Buffer.from(JSON.stringify(body));
  const query = decodeQueryBody(EventQuerySchema, { raw, json: () => body }).message as EventQuery;
  const { schema } = relations;
  const plan = describeQuery(query, { project, schema, cohorts: [], nowMs: Date.now() });
  const texts = plan.periods.flatMap((period) =>
    plan.scans.map((planned) => compileScan(planScan(plan, planned, period), relations, duckdbDialect)!.sql),
  );
  const table = dayTableName(projectId, firstDayMs / dayMs + 7, 0);
  const readings = texts.reduce((sum, sql) => sum + sql.split(table).length - 1, 0);
  if (readings === 0) throw new Error(`${table} is not read`);
  return { statements: texts.length, readings };
}
