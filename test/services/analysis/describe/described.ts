import { z } from "zod";
import {
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { describeQuery } from "../../../../services/analysis/describe/describe.ts";
import type { EventPlan } from "../../../../services/analysis/describe/event-plan.ts";
import { projectAnalysisShape } from "../../../../services/analysis/project/config.ts";
import { defineProject, type ProjectDefinitions } from "../../../../services/analysis/project/definitions.ts";
import { AnalysisRefusal } from "../../../../services/analysis/refusal/refusal.ts";
import type {
  CohortInfo,
  ProjectSchema,
  Property,
  PropertyTable,
  PropertyType,
} from "../../../../store/events/events.ts";
import { readBody } from "../rest/read-body.ts";

const schemas = {
  analyze: EventQuerySchema,
  users: EventUserQuerySchema,
  rows: EventUserDownloadQuerySchema,
};

/** A Wednesday. */
export const noon = Date.UTC(2026, 7, 26, 12);

const known: readonly (readonly [PropertyTable, string, PropertyType, string?])[] = [
  ["event", "price", "number"],
  ["event", "count", "number"],
  ["event", "brand", "text"],
  ["event", "paid", "boolean"],
  ["event", "due", "time"],
  ["event", "tags", "list"],
  ["event", "device", "object"],
  ["event", "device.os", "text"],
  ["event", "items", "object_group"],
  ["event", "items.id", "text", "items"],
  ["event", "items.cost", "number", "items"],
  ["event", "items.made", "time", "items"],
  ["user", "level", "number"],
  ["user", "birthday", "time"],
  ["user", "city", "text"],
];

const properties = known.map(([table, name, type, group], i): [string, Property] => [
  `${table}:${name}`,
  { table, name, type, number: i + 1, ...(group === undefined ? {} : { group }) },
]);

export const schema: ProjectSchema = {
  version: 1,
  events: new Map(["login", "pay", "level_up"].map((name, i) => [name, { name, number: i + 1 }])),
  properties: new Map(properties),
};

export const cohorts: readonly CohortInfo[] = [
  { projectId: 1, name: "whales", day: "2026-08-01", kind: "cohort", members: 2 },
  { projectId: 1, name: "segment", day: "2026-08-01", kind: "tag", members: 2 },
];

export function projectOf(declared: object = {}, zone = "+00:00"): ProjectDefinitions {
  return defineProject({ ...z.strictObject(projectAnalysisShape).parse(declared), id: 1, zone }, () => []);
}

/** The parts of a query that a test sets; the default is logins of a week by day. */
export interface Asked {
  readonly view?: object;
  readonly metric?: object;
  readonly events?: readonly object[];
  readonly body?: object;
}

export function bodyOf({ view, metric, events, body }: Asked): object {
  return {
    projectId: 1,
    eventView: { recentDay: "1-7", timeParticleSize: "day", ...view },
    events: events ?? [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES", ...metric }],
    ...body,
  };
}

export function describe(
  asked: Asked,
  project = projectOf(),
  kind: keyof typeof schemas = "analyze",
): EventPlan {
  const { query, refused } = readBody(schemas[kind], bodyOf(asked));
  if (refused !== undefined) throw new Error(refused);
  return describeQuery(query, { project, schema, cohorts, nowMs: noon });
}

/** `field: what is wrong with it`, all of it. */
export function refusalsOf(asked: Asked, project = projectOf()): readonly string[] {
  try {
    describe(asked, project);
    return [];
  } catch (error) {
    if (!(error instanceof AnalysisRefusal)) throw error;
    return error.violations.map(({ field, description }) => `${field}: ${description}`);
  }
}

export function warningsOf(asked: Asked, project = projectOf()): readonly string[] {
  return describe(asked, project).warnings.map(({ message }) => message);
}
