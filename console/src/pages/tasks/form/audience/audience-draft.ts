import { create, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import {
  type EventUserQuery,
  EventUserQuerySchema,
} from "../../../../../../gen/engage/analysis/v1/query_pb.ts";
import {
  type Audience,
  AudienceSchema,
  UserFilterSchema,
} from "../../../../../../gen/engage/channel/v1/task_pb.ts";
import type { JsonTree } from "../../../../controls/json-tree.ts";
import { emptyFilter, openFilters } from "../../../../filters/edits.ts";
import { readMessage } from "../../../../filters/read-message.ts";
import { listTree, objectTree } from "../../../../filters/tree.ts";
import { writeMessage } from "../../../../filters/write-message.ts";
import type { Faults } from "../../../../form/faults.ts";
import { type LimitText, linesOf } from "../../../../form/limits.ts";

export const audienceKinds = ["pushIds", "all", "users", "cohort", "analysis"] as const;

export type AudienceKind = (typeof audienceKinds)[number];

/** What is entered for an audience, of every kind, so that a change of the kind loses nothing. */
export interface AudienceDraft {
  readonly kind: AudienceKind;
  /** One a line. */
  readonly pushIds: string;
  /** The filters of users with the member that joins them, in the form of queries. */
  readonly filters: JsonTree;
  readonly cohort: string;
  /** Empty: the latest version. */
  readonly day: string;
  /** The query of an analysis, as JSON. */
  readonly query: string;
  /** Id of the saved query whose number is meant; empty: the query is typed. */
  readonly savedId: string;
  /** Key of the row of its result, and the label of the step, that are chosen. */
  readonly savedRow: string;
  readonly savedStep: string;
  /** The users behind that number; undefined until there is a result. */
  readonly savedUsers: EventUserQuery | undefined;
}

export const newAudience: AudienceDraft = {
  kind: "pushIds",
  pushIds: "",
  filters: objectTree([["filts", listTree([emptyFilter("user")])]]),
  cohort: "",
  day: "",
  query: "",
  savedId: "",
  savedRow: "",
  savedStep: "",
  savedUsers: undefined,
};

/** The text of a query is not the JSON of one. */
export class QueryTextError extends Error {
  override readonly name = "QueryTextError";
}

/** Finds what is empty in an audience, by their paths in the task. */
export function checkAudience({ kind, filters, savedId, savedUsers }: AudienceDraft): Faults<LimitText> {
  if (kind === "analysis" && savedId !== "" && savedUsers === undefined) {
    return new Map([["audience.analysis", { key: "form.fault.required" }]]);
  }
  const open = kind === "users" ? openFilters(filters, []) : [];
  return new Map(open.map((path) => [`audience.${usersPath(path)}`, { key: "form.fault.required" }]));
}

/** Returns the path of a field in the audience by the one in its filters: `filts[0].columnName`. */
export function usersPath(path: string): string {
  return `users.${path.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)}`;
}

/** Writes what was entered as an audience. @throws QueryTextError */
export function audienceOf(draft: AudienceDraft): Audience {
  switch (draft.kind) {
    case "pushIds":
      return create(AudienceSchema, {
        source: { case: "pushIds", value: { pushIds: [...linesOf(draft.pushIds)] } },
      });
    case "all":
      return create(AudienceSchema, { source: { case: "users", value: {} } });
    case "users":
      return create(AudienceSchema, {
        source: { case: "users", value: readMessage(UserFilterSchema, draft.filters).message },
      });
    case "cohort":
      return create(AudienceSchema, {
        source: { case: "cohort", value: { name: draft.cohort.trim(), day: draft.day.trim() } },
      });
    case "analysis":
      return create(AudienceSchema, { source: { case: "analysis", value: analysisOf(draft) } });
  }
}

function analysisOf({ savedId, savedUsers, query }: AudienceDraft): EventUserQuery {
  return savedId === "" ? readQuery(query) : (savedUsers ?? create(EventUserQuerySchema));
}

function readQuery(text: string) {
  try {
    return fromJsonString(EventUserQuerySchema, text);
  } catch (error) {
    throw new QueryTextError(error instanceof Error ? error.message : String(error));
  }
}

/** Reads an audience into the form. */
export function draftOfAudience({ source }: Audience): AudienceDraft {
  return { ...newAudience, ...enteredOf(source) };
}

function enteredOf(source: Audience["source"]): Partial<AudienceDraft> {
  switch (source.case) {
    case undefined:
      return {};
    case "pushIds":
      return { kind: "pushIds", pushIds: source.value.pushIds.join("\n") };
    case "users":
      return source.value.filts.length === 0
        ? { kind: "all" }
        : { kind: "users", filters: writeMessage(UserFilterSchema, source.value) };
    case "cohort":
      return { kind: "cohort", cohort: source.value.name, day: source.value.day };
    case "analysis":
      return {
        kind: "analysis",
        query: toJsonString(EventUserQuerySchema, source.value, { prettySpaces: 2 }),
      };
  }
}
