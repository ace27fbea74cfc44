import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { UserRow } from "../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { Audience } from "../gen/engage/channel/v1/task_pb.ts";
import type { AnalysisProject } from "../services/analysis/project.ts";
import { AnalysisRefusal, returnCodes } from "../services/analysis/refusal.ts";
import {
  type AudienceMember,
  type AudienceSource,
  AudienceUnavailableError,
} from "../services/channel/audience/source.ts";
import { InvalidFieldsError, type Violation } from "../services/channel/refusals.ts";
import type { ProjectSchema } from "../store/events/events.ts";
import { eventUsersQuery, lookupQuestion, questionOf, type UserQuestion } from "./user-queries.ts";

export interface UserPorts {
  /** By id; those whose queries can be asked. */
  readonly projects: ReadonlyMap<number, Pick<AnalysisProject, "engine" | "users">>;
  readonly schemaOf: (projectId: number) => ProjectSchema;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface ChannelUsers extends AudienceSource {
  /** Reads an audience's query without asking it. */
  checkAudience(projectId: bigint, audience: Audience, signal: AbortSignal): Promise<readonly Violation[]>;
}

/**
 * Users of projects. On an engine that knows users by their events only, and by
 * conditions that look at events, those who have had one.
 */
export function createChannelUsers(ports: UserPorts): ChannelUsers {
  const { schemaOf } = ports;
  return {
    async *users({ projectId, choice, pushIdProperty, properties }, signal) {
      const names = [pushIdProperty, ...properties];
      for await (const rows of ask(ports, projectId, questionOf(choice), names, signal)) {
        const decode = decoderOf(names, schemaOf(projectId));
        yield rows.map(decode);
      }
    },

    async lookup({ projectId, pushIdProperty, pushIds, properties }, signal) {
      const names = [pushIdProperty, ...properties];
      const known = new Map<string, AudienceMember["properties"]>();
      const question = lookupQuestion(pushIdProperty, pushIds);
      for await (const rows of ask(ports, projectId, question, names, signal)) {
        const decode = decoderOf(names, schemaOf(projectId));
        for (const { pushId, properties: values } of rows.map(decode)) {
          if (pushId !== undefined) known.set(pushId, values);
        }
      }
      return known;
    },

    async checkAudience(projectId, { source }, signal) {
      if (source.case === undefined || source.case === "pushIds") return [];
      try {
        const heads = ask(ports, Number(projectId), questionOf(source), ["#user_id"], signal);
        // One comes when the question has been read, before anybody is looked for.
        for await (const _head of heads) break;
        return [];
      } catch (error) {
        if (error instanceof InvalidFieldsError) return placeIn(source.case, error.violations);
        throw error;
      }
    },
  };
}

/** Nothing when the question has been read, then some users at a time. */
async function* ask(
  ports: UserPorts,
  projectId: number,
  question: UserQuestion,
  columns: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly UserRow[]> {
  const project = ports.projects.get(projectId);
  if (project === undefined) {
    throw new InvalidFieldsError([
      { field: "project_id", problem: `is ${projectId}, which is not configured` },
    ]);
  }
  try {
    const known =
      question.kind === "known"
        ? await project.users?.select(question.conditions, columns, signal)
        : undefined;
    if (known !== undefined) {
      yield [];
      yield* known;
      return;
    }
    const query = eventUsersQuery(projectId, question, columns, ports.now());
    const call = { signal, rest: undefined, refusesUndeclared: true };
    for await (const { content } of project.engine.downloadUsers(query, call)) {
      yield content.case === "rows" ? content.value.rows : [];
    }
  } catch (error) {
    throw signal.aborted ? error : toAudienceError(error);
  }
}

function toAudienceError(error: unknown): Error {
  if (error instanceof AnalysisRefusal && error.returnCode === returnCodes.parameter) {
    const violations = error.violations.map(({ field, description }) => ({ field, problem: description }));
    return new InvalidFieldsError(
      violations.length > 0 ? violations : [{ field: "audience", problem: error.message }],
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new AudienceUnavailableError(message, { cause: error });
}

/** Where a member of the query stands in an audience. */
function placeIn(
  kind: "users" | "analysis" | "cohort",
  violations: readonly Violation[],
): readonly Violation[] {
  return violations.map(({ field, problem }) => {
    if (kind === "cohort") return { field: "cohort", problem };
    const own = kind === "users" ? field.replace(/^eventView\./, "") : field;
    // By the names of the contract, as all fields of a task are.
    const path = own.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { field: `${kind}.${path}`, problem };
  });
}

/** @param names of the columns, the push id's first */
function decoderOf(
  [pushIdName = "", ...names]: readonly string[],
  schema: ProjectSchema,
): (row: UserRow) => AudienceMember {
  const isTime = (name: string): boolean =>
    schema.properties.get(`user:${name.toLowerCase()}`)?.type === "time";
  const times = new Set([pushIdName, ...names].filter(isTime));
  const read = (name: string, value: Value | undefined): unknown => {
    const found = value === undefined ? null : toJson(ValueSchema, value);
    // Without the milliseconds, which the form of the contract does not have.
    return times.has(name) && typeof found === "string" ? found.slice(0, 19) : found;
  };
  return ({ values: [first, ...others] }) => {
    const pushId = read(pushIdName, first);
    const known = names.map((name, i): [string, unknown] => [name, read(name, others[i])]);
    return {
      pushId: pushId === null ? undefined : String(pushId),
      properties: Object.fromEntries(known.filter(([, value]) => value !== null)),
    };
  };
}
