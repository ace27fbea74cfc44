import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { wordError } from "../../base/text/system-error.ts";
import type { DownloadEventUsersResponse, UserRow } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { type Warning, WarningReason } from "../../gen/engage/analysis/v1/result_pb.ts";
import type { Audience } from "../../gen/engage/channel/v1/task_pb.ts";
import type { ProjectSchema } from "../../store/events/events.ts";
import type { AnalysisProject } from "../analysis/project/project.ts";
import { AnalysisRefusal, returnCodes } from "../analysis/refusal/refusal.ts";
import { parseNumber } from "../analysis/text-form.ts";
import {
  type AudienceMember,
  type AudienceSource,
  AudienceUnavailableError,
  type UserChoice,
} from "../channel/audience/source.ts";
import { propertyText } from "../channel/content/property-text.ts";
import type { AudienceCheck } from "../channel/ports.ts";
import { InvalidFieldsError, refuseField, under, type Violation } from "../channel/refusals.ts";
import {
  channelAsker,
  eventUsersQuery,
  lookupQuestion,
  questionOf,
  type UserQuestion,
} from "./user-queries.ts";

export interface UserPorts {
  /** By id; those whose queries can be asked. */
  readonly projects: ReadonlyMap<number, Pick<AnalysisProject, "engine" | "users">>;
  readonly schemaOf: (projectId: number) => ProjectSchema;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface ChannelUsers extends AudienceSource {
  /** Reads an audience's query without asking it. */
  checkAudience(projectId: bigint, audience: Audience, signal: AbortSignal): Promise<AudienceCheck>;
}

/**
 * Users of projects. On an engine that knows users by their events only, and by
 * conditions that look at events, those who have had one.
 */
export function createChannelUsers(ports: UserPorts): ChannelUsers {
  const { schemaOf } = ports;
  return {
    async *users({ projectId, choice, pushIdProperty, properties }, signal) {
      const project = projectOf(ports, projectId);
      const names = [pushIdProperty, ...properties];
      try {
        const asked = { projectId, question: questionOf(choice), columns: names, nowMs: ports.now() };
        for await (const rows of ask(project, asked, signal)) {
          const decode = decoderOf(names, schemaOf(projectId));
          yield rows.map(decode);
        }
      } catch (error) {
        if (!(error instanceof InvalidFieldsError)) throw error;
        throw new InvalidFieldsError(under("audience", placeIn(choice.case, error.violations)));
      }
    },

    async lookup({ projectId, pushIdProperty, pushIds, properties }, signal) {
      const project = projectOf(ports, projectId);
      const names = [pushIdProperty, ...properties];
      const known = new Map<string, AudienceMember["properties"]>();
      for await (const rows of askByPushIds(
        project,
        { projectId, names, nowMs: ports.now() },
        valuesOf(pushIdProperty, pushIds, schemaOf(projectId)),
        signal,
      )) {
        const decode = decoderOf(names, schemaOf(projectId));
        for (const { pushId, properties: values } of rows.map(decode)) {
          if (pushId !== undefined) known.set(pushId, values);
        }
      }
      return known;
    },

    async checkAudience(projectId, { source }, signal) {
      if (source.case === undefined || source.case === "pushIds") return { violations: [], warnings: [] };
      const project = projectOf(ports, Number(projectId));
      const asked = {
        projectId: Number(projectId),
        question: questionOf(source),
        columns: ["#user_id"],
        nowMs: ports.now(),
      };
      try {
        const warnings = await warningsOf(project, asked, signal);
        return { violations: [], warnings: warnings.map((warning) => tellWarning(source.case, warning)) };
      } catch (error) {
        if (!(error instanceof InvalidFieldsError)) throw error;
        return { violations: placeIn(source.case, error.violations), warnings: [] };
      }
    },
  };
}

type Project = Pick<AnalysisProject, "engine" | "users">;

interface Asked {
  readonly projectId: number;
  readonly question: UserQuestion;
  readonly columns: readonly string[];
  readonly nowMs: number;
}

function projectOf({ projects }: UserPorts, projectId: number): Project {
  const problem = `is ${projectId}, which is not configured`;
  return projects.get(projectId) ?? refuseField("project_id", problem);
}

async function* ask(project: Project, asked: Asked, signal: AbortSignal): AsyncGenerator<readonly UserRow[]> {
  try {
    const known = await selectKnown(project, asked, signal);
    if (known !== undefined) {
      yield* known;
      return;
    }
    for await (const { content } of download(project, asked, signal)) {
      if (content.case === "rows") yield content.value.rows;
    }
  } catch (error) {
    throw signal.aborted ? error : toAudienceError(error);
  }
}

/** What is odd about a question, before anybody is looked for. */
async function warningsOf(project: Project, asked: Asked, signal: AbortSignal): Promise<readonly Warning[]> {
  try {
    await selectKnown(project, asked, signal);
    // What is found odd is in the first piece of an answer, also where users are not found by one.
    for await (const { content } of download(project, asked, signal)) {
      const warnings = content.case === "header" ? (content.value.info?.warnings ?? []) : [];
      return warnings.filter(({ reason }) => reason === WarningReason.UNKNOWN_NAME);
    }
    return [];
  } catch (error) {
    throw signal.aborted ? error : toAudienceError(error);
  }
}

/** Undefined: only events tell who they are. */
async function selectKnown(
  { users }: Project,
  { projectId, question, columns }: Asked,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly UserRow[]> | undefined> {
  return question.kind === "known"
    ? await users?.select(question.conditions, columns, signal, channelAsker(projectId))
    : undefined;
}

function download(
  { engine }: Project,
  { projectId, question, columns, nowMs }: Asked,
  signal: AbortSignal,
): AsyncIterable<DownloadEventUsersResponse> {
  const query = eventUsersQuery(projectId, question, columns, nowMs);
  return engine.downloadUsers(query, {
    signal,
    asker: channelAsker(projectId),
    rest: undefined,
    refusesUndeclared: true,
  });
}

/** The push ids that a number can be, of a property of numbers: words would be found out some at a time. */
function valuesOf(property: string, pushIds: readonly string[], schema: ProjectSchema): readonly string[] {
  const type = schema.properties.get(`user:${property.toLowerCase()}`)?.type;
  return type === "number" ? pushIds.filter((pushId) => parseNumber(pushId) !== undefined) : pushIds;
}

/** Users by push ids. What can't be a value of the property, such as a word where it is a number, nobody has. */
async function* askByPushIds(
  project: Project,
  {
    projectId,
    names,
    nowMs,
  }: { readonly projectId: number; readonly names: readonly string[]; readonly nowMs: number },
  pushIds: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly UserRow[]> {
  const [property = ""] = names;
  let left = pushIds;
  while (left.length > 0) {
    const question = lookupQuestion(property, left);
    try {
      yield* ask(project, { projectId, question, columns: names, nowMs }, signal);
      return;
    } catch (error) {
      if (!(error instanceof InvalidFieldsError)) throw error;
      // They are found before anybody is, some at a time.
      const wrong = new Set(error.violations.map(({ field }) => literalIndex(field)));
      if (wrong.has(undefined)) {
        const problem = `is ${JSON.stringify(property)}, by which users can't be looked up: ${error.message}`;
        refuseField("push_id_property", problem);
      }
      left = left.filter((_pushId, i) => !wrong.has(i));
    }
  }
}

/** Which literal of the condition it is; undefined: it is about something else. */
function literalIndex(field: string): number | undefined {
  const [, index] = /(?:^|\.)filts\[0\]\.ftv\[(\d+)\]$/.exec(field) ?? [];
  return index === undefined ? undefined : Number(index);
}

function toAudienceError(error: unknown): Error {
  if (error instanceof AnalysisRefusal && error.returnCode === returnCodes.parameter) {
    const violations = error.violations.map(({ field, description }) => ({ field, problem: description }));
    return new InvalidFieldsError(
      violations.length > 0 ? violations : [{ field: "", problem: error.message }],
    );
  }
  const message = wordError(error);
  return new AudienceUnavailableError(message, { cause: error });
}

type Kind = UserChoice["case"];

function placeIn(kind: Kind, violations: readonly Violation[]): readonly Violation[] {
  return violations.map(({ field, problem }) => ({ field: placeOf(kind, field), problem }));
}

function tellWarning(kind: Kind, { field, message }: Warning): string {
  const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return `audience.${placeOf(kind, field)} ${text}`;
}

/** Where a member of the query stands in an audience. */
function placeOf(kind: Kind, field: string): string {
  const own = kind === "users" ? field.replace(/^eventView\./, "") : field;
  if (kind === "cohort" || own === "") return kind;
  // By the names of the contract, as all fields of a task are.
  return `${kind}.${own.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
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
      pushId: pushId === null ? undefined : propertyText(pushId),
      properties: Object.fromEntries(known.filter(([, value]) => value !== null)),
    };
  };
}
