import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import {
  type Audience,
  AudienceSchema,
  type ContentSchema,
  type ContentValueSchema,
  type Task,
  TaskSchema,
} from "../../../gen/engage/channel/v1/task_pb.ts";
import { briefFilters, relation } from "../query/arguments.ts";
import { filterMessages, relationOf } from "../query/messages.ts";
import { sliceFields, sliceQuery } from "../query/slice.ts";
import { brief, ToolError } from "../tool.ts";
import { agentPrefix } from "./settings.ts";

const maxNameLength = 100 - agentPrefix.length;

const audience = z.strictObject({
  push_ids: z.array(z.string()).min(1).max(1_000).optional(),
  cohort: z.string().optional().describe("Name of a cohort."),
  users: z
    .strictObject({ filters: briefFilters, relation })
    .optional()
    .describe("filters as in query, with table user or cluster, and relation. No filters: all users."),
  behind: z.strictObject(sliceFields).optional().describe("The arguments of users_behind.").meta(brief),
});

const value = z.union([z.string(), z.array(z.record(z.string(), z.string())).max(500)]);

export const pushArguments = z.strictObject({
  channel_id: z.string(),
  name: z.string().min(1).max(maxNameLength).describe("Name of the task, for operators."),
  audience: audience.describe("Exactly one of its members."),
  contents: z
    .record(z.string(), z.record(z.string(), value))
    .describe(
      'Values of the channel\'s fields by language: {"default": {"title": "…"}}. Rows are lists of objects.',
    ),
  language_property: z
    .string()
    .optional()
    .describe("User property with the language; for several languages."),
});

export type PushArguments = z.output<typeof pushArguments>;

/** Returns the task of a push. @throws ToolError */
export function taskOf(given: PushArguments, projectId: bigint): Task {
  return create(TaskSchema, {
    name: `${agentPrefix}${given.name}`,
    channelId: given.channel_id,
    audience: audienceOf(given.audience, projectId),
    contents: Object.entries(given.contents).map(contentOf),
    languageProperty: given.language_property ?? "",
  });
}

function audienceOf(given: PushArguments["audience"], projectId: bigint): Audience {
  const names = Object.keys(given).filter((name) => given[name as keyof typeof given] !== undefined);
  if (names.length !== 1) {
    const found = names.length === 0 ? "has no member" : `has ${names.join(" and ")}`;
    throw new ToolError(`audience ${found}, valid is one of push_ids, cohort, users and behind`);
  }
  return create(AudienceSchema, { source: sourceOf(given, projectId) });
}

type Source = NonNullable<MessageInitShape<typeof AudienceSchema>["source"]>;

function sourceOf(given: PushArguments["audience"], projectId: bigint): Source {
  if (given.push_ids !== undefined) return { case: "pushIds", value: { pushIds: given.push_ids } };
  if (given.cohort !== undefined) return { case: "cohort", value: { name: given.cohort } };
  if (given.behind !== undefined) return { case: "analysis", value: sliceQuery(given.behind, projectId) };
  const { filters, relation: word } = given.users!;
  return { case: "users", value: { filts: filterMessages(filters), relation: relationOf(word) } };
}

type Values = PushArguments["contents"][string];

function contentOf([language, values]: [string, Values]): MessageInitShape<typeof ContentSchema> {
  const messages = Object.entries(values).map(([name, one]) => [name, contentValueOf(one)] as const);
  return { language, values: Object.fromEntries(messages) };
}

function contentValueOf(one: Values[string]): MessageInitShape<typeof ContentValueSchema> {
  if (typeof one === "string") return { value: { case: "text", value: one } };
  return { value: { case: "rows", value: { rows: one.map((cells) => ({ cells })) } } };
}
