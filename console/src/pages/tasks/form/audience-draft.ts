import { create, fromJsonString } from "@bufbuild/protobuf";
import { TableType } from "../../../../../gen/engage/analysis/v1/column_pb.ts";
import { Comparator, Relation } from "../../../../../gen/engage/analysis/v1/filter_pb.ts";
import { EventUserQuerySchema } from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import { type Audience, AudienceSchema } from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { linesOf } from "../../../form/limits.ts";

export const audienceKinds = ["pushIds", "all", "users", "cohort", "analysis"] as const;

export type AudienceKind = (typeof audienceKinds)[number];

/** What is entered for an audience, of every kind, so that a change of the kind loses nothing. */
export interface AudienceDraft {
  readonly kind: AudienceKind;
  /** One a line. */
  readonly pushIds: string;
  readonly conditions: readonly Condition[];
  /** Whether one of the conditions is enough. */
  readonly isAny: boolean;
  readonly cohort: string;
  /** Empty: the latest version. */
  readonly day: string;
  /** The query of an analysis, as JSON. */
  readonly query: string;
}

export interface Condition {
  readonly property: string;
  readonly comparator: Comparator;
  /** The literals, one a line. */
  readonly values: string;
}

export const newCondition: Condition = { property: "", comparator: Comparator.EQUAL, values: "" };

export const newAudience: AudienceDraft = {
  kind: "pushIds",
  pushIds: "",
  conditions: [newCondition],
  isAny: false,
  cohort: "",
  day: "",
  query: "",
};

const ofEvents: ReadonlySet<Comparator> = new Set([
  Comparator.UNSPECIFIED,
  Comparator.RELATIVE_EVENT_BEFORE,
  Comparator.RELATIVE_EVENT_AFTER,
  Comparator.RELATIVE_EVENT_ABSOLUTE,
  Comparator.RELATIVE_EVENT_THAT_DAY,
]);

const withoutValues: ReadonlySet<Comparator> = new Set([
  Comparator.IS_NULL,
  Comparator.NOT_NULL,
  Comparator.IS_TRUE,
  Comparator.IS_FALSE,
  Comparator.ARRAY_IS_NULL,
  Comparator.ARRAY_NOT_NULL,
  Comparator.BELONG_TO_CLUSTER,
  Comparator.NOT_BELONG_TO_CLUSTER,
]);

/** Users have no time of an event to compare with. */
export function isForUsers(comparator: Comparator): boolean {
  return !ofEvents.has(comparator);
}

export function hasValues(comparator: Comparator): boolean {
  return !withoutValues.has(comparator);
}

/** The text of a query is not the JSON of one. */
export class QueryTextError extends Error {
  override readonly name = "QueryTextError";
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
      return create(AudienceSchema, { source: { case: "users", value: usersOf(draft) } });
    case "cohort":
      return create(AudienceSchema, {
        source: { case: "cohort", value: { name: draft.cohort.trim(), day: draft.day.trim() } },
      });
    case "analysis":
      return create(AudienceSchema, { source: { case: "analysis", value: readQuery(draft.query) } });
  }
}

function usersOf({ conditions, isAny }: AudienceDraft) {
  const filts = conditions.map(({ property, comparator, values }) => ({
    columnName: property.trim(),
    tableType: isOfCohort(comparator) ? TableType.CLUSTER : TableType.USER,
    comparator,
    ftv: hasValues(comparator) ? [...linesOf(values)] : [],
  }));
  return { filts, relation: isAny ? Relation.OR : Relation.AND };
}

function isOfCohort(comparator: Comparator): boolean {
  return comparator === Comparator.BELONG_TO_CLUSTER || comparator === Comparator.NOT_BELONG_TO_CLUSTER;
}

function readQuery(text: string) {
  try {
    return fromJsonString(EventUserQuerySchema, text);
  } catch (error) {
    throw new QueryTextError(error instanceof Error ? error.message : String(error));
  }
}
