import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type {
  DeadLetterFilterSchema,
  DeadLetterReason,
} from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { readMoment } from "../../router/moment.ts";
import { type KindName, kindNames, kinds, ownFilters } from "./kinds.ts";

/** The filters of the list, as the URL has them. */
export interface Filters {
  readonly kind: KindName;
  readonly reason: string;
  readonly text: string;
  readonly project: string;
  readonly channel: string;
  readonly target: string;
  readonly index: string;
  /** Became dead at this time or later, in ms since 1970. */
  readonly fromMs: number | undefined;
  /** Became dead before this time. */
  readonly untilMs: number | undefined;
  readonly isOldestFirst: boolean;
}

export type Filter = MessageInitShape<typeof DeadLetterFilterSchema>;

/** Reads the filters that the kind has. */
export function readFilters(query: ReadonlyMap<string, string>): Filters {
  const text = (name: string): string => query.get(name) ?? "";
  const kind = kindNames.find((name) => name === text("kind")) ?? "webhook";
  const own = (name: (typeof ownFilters)[KindName][number]): string =>
    ownFilters[kind].includes(name) ? text(name) : "";
  return {
    kind,
    reason: text("reason"),
    text: text("text"),
    project: own("project"),
    channel: own("channel"),
    target: own("target"),
    index: own("index"),
    fromMs: readMoment(text("from")),
    untilMs: readMoment(text("until")),
    isOldestFirst: text("order") === "oldest",
  };
}

/** Whether a filter leaves some of the kind out. */
export function isFiltered({ kind, isOldestFirst, ...filters }: Filters): boolean {
  return Object.values(filters).some((value) => value !== "" && value !== undefined);
}

export function filterOf(filters: Filters): Filter {
  const { kind, reason, text, project, channel, target, index, fromMs, untilMs } = filters;
  return {
    kind: kinds[kind],
    reason,
    text,
    projectId: idOf(project),
    channel,
    target,
    index,
    ...(fromMs !== undefined && { deadFrom: timestampFromMs(fromMs) }),
    ...(untilMs !== undefined && { deadUntil: timestampFromMs(untilMs) }),
  };
}

/** Reads an id. A text that is none becomes an id that no project has, so that it does not select all projects. */
function idOf(text: string): bigint {
  if (text === "") return 0n;
  return /^\d{1,15}$/.test(text) && BigInt(text) > 0n ? BigInt(text) : 999_999_999_999_999n;
}

/** The changes of the URL that select the dead letters of a reason. */
export function selectReason({ reason, projectId, channel, target }: DeadLetterReason) {
  const project = projectId === 0n ? "" : String(projectId);
  return { reason, project, channel, target, text: "", index: "", from: "", until: "" };
}

/** The changes of the URL that remove all filters. */
export const noFilters = {
  reason: "",
  text: "",
  project: "",
  channel: "",
  target: "",
  index: "",
  from: "",
  until: "",
} as const;
