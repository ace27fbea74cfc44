import { InvalidFieldsError, refuseField, under } from "../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../base/rpc/violation.ts";
import { parseDecimal } from "../../base/text/decimal.ts";
import type { Warning } from "../../gen/engage/analysis/v1/result_pb.ts";
import type { Audience } from "../../gen/engage/channel/v1/task_pb.ts";
import type { ProjectSchema } from "../../store/events/events.ts";
import type { AudienceMember, AudienceSource, UserChoice } from "../channel/audience/source.ts";
import type { AudienceCheck } from "../channel/ports.ts";
import { columnsOf, createMemberReader } from "./member-reader.ts";
import {
  type FoundReader,
  findUnknownNames,
  lookupQuery,
  queryOf,
  queryUsers,
  type UserEngines,
  type UserRequest,
} from "./user-queries.ts";

/** The part of analysis projects that channels use. */
export interface AnalysisPorts {
  /** Projects that can be queried, by id. */
  readonly projects: ReadonlyMap<number, UserEngines>;
  readonly schemaOf: (projectId: number) => ProjectSchema;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface ChannelAudience extends AudienceSource {
  /** Checks the query of an audience without reading its users. */
  checkAudience(projectId: bigint, audience: Audience, signal: AbortSignal): Promise<AudienceCheck>;
}

/**
 * Creates the audience of channels: the users of projects, found by analysis. An engine that knows users only by
 * their events, or a condition that looks at events, finds only users who have had an event.
 */
export function createChannelAudience({ projects, schemaOf, now }: AnalysisPorts): ChannelAudience {
  const projectOf = (projectId: number): UserEngines =>
    projects.get(projectId) ?? refuseField("project_id", `is ${projectId}, which is not configured`);
  return {
    async *users({ projectId, choice, ...wanted }, signal) {
      const request = { projectId, query: queryOf(choice), columns: columnsOf(wanted), nowMs: now() };
      const reader = createMemberReader(wanted, () => schemaOf(projectId));
      const project = projectOf(projectId);
      try {
        yield* queryUsers(project, request, reader, signal);
      } catch (error) {
        if (!(error instanceof InvalidFieldsError)) throw error;
        throw new InvalidFieldsError(under("audience", placeViolations(choice.case, error.violations)));
      }
    },

    async lookup({ projectId, pushIds, ...wanted }, signal) {
      const possible = possibleIds(wanted.pushIdProperty, pushIds, schemaOf(projectId));
      const request = { projectId, columns: columnsOf(wanted), nowMs: now() };
      const reader = createMemberReader(wanted, () => schemaOf(projectId));
      const found = new Map<string, AudienceMember["properties"]>();
      for await (const some of lookUp(projectOf(projectId), request, possible, reader, signal)) {
        for (const { pushId, properties } of some) if (pushId !== undefined) found.set(pushId, properties);
      }
      return found;
    },

    async checkAudience(projectId, { source }, signal) {
      if (source.case === undefined || source.case === "pushIds") return { violations: [], warnings: [] };
      const request = {
        projectId: Number(projectId),
        query: queryOf(source),
        columns: ["#user_id"],
        nowMs: now(),
      };
      try {
        const warnings = await findUnknownNames(projectOf(request.projectId), request, signal);
        return { violations: [], warnings: warnings.map((warning) => formatWarning(source.case, warning)) };
      } catch (error) {
        if (!(error instanceof InvalidFieldsError)) throw error;
        return { violations: placeViolations(source.case, error.violations), warnings: [] };
      }
    },
  };
}

/**
 * Drops push ids that are not numbers where the property is a number: the engine reports only some of them at a time.
 */
function possibleIds(property: string, pushIds: readonly string[], schema: ProjectSchema): readonly string[] {
  const type = schema.properties.get(`user:${property.toLowerCase()}`)?.type;
  return type === "number" ? pushIds.filter((pushId) => parseDecimal(pushId) !== undefined) : pushIds;
}

/**
 * Looks users up by push ids. A push id that the engine refuses as a value of the property belongs to no user, so the
 * query is repeated without it.
 */
async function* lookUp(
  project: UserEngines,
  request: Omit<UserRequest, "query">,
  pushIds: readonly string[],
  reader: FoundReader<readonly AudienceMember[]>,
  signal: AbortSignal,
): AsyncGenerator<readonly AudienceMember[]> {
  const [property = ""] = request.columns;
  let left = pushIds;
  while (left.length > 0) {
    try {
      yield* queryUsers(project, { ...request, query: lookupQuery(property, left) }, reader, signal);
      return;
    } catch (error) {
      if (!(error instanceof InvalidFieldsError)) throw error;
      // The engine checks all values before it returns a user.
      const refused = new Set(error.violations.map(({ field }) => literalIndex(field)));
      if (refused.has(undefined)) {
        const problem = `is ${JSON.stringify(property)}, by which users can't be looked up: ${error.message}`;
        refuseField("push_id_property", problem);
      }
      left = left.filter((_pushId, i) => !refused.has(i));
    }
  }
}

/** Returns the index of a value of the first condition; undefined for any other field. */
function literalIndex(field: string): number | undefined {
  const [, index] = /(?:^|\.)filts\[0\]\.ftv\[(\d+)\]$/.exec(field) ?? [];
  return index === undefined ? undefined : Number(index);
}

type Kind = UserChoice["case"];

function placeViolations(kind: Kind, violations: readonly Violation[]): readonly Violation[] {
  return violations.map(({ field, description }) => ({
    field: placeOf(kind, field),
    description,
  }));
}

function formatWarning(kind: Kind, { field, message }: Warning): string {
  const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return `audience.${placeOf(kind, field)} ${text}`;
}

/** Turns a field of the query into a field of the audience, by its name in the contract. */
function placeOf(kind: Kind, field: string): string {
  const own = kind === "users" ? field.replace(/^eventView\./, "") : field;
  if (kind === "cohort" || own === "") return kind;
  return `${kind}.${own.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}
