import { create, type DescField } from "@bufbuild/protobuf";
import { type Channel, InputMethod } from "../../../../../gen/engage/channel/v1/channel_pb.ts";
import {
  type Content,
  ContentSchema,
  type ContentValue,
  ContentValueSchema,
  ExperimentGroupSchema,
  ScheduleSchema,
  type Task,
  TaskSchema,
} from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { findFault, type LimitText } from "../../../form/limits.ts";
import { type AudienceDraft, audienceOf, checkAudience, newAudience } from "./audience/audience-draft.ts";

export type Cells = Readonly<Record<string, string>>;

/** The content in one language: a text, or rows, for each field of the channel that has a value. */
export interface ContentDraft {
  readonly language: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<string, readonly Cells[]>>;
}

export interface GroupDraft {
  readonly groupId: string;
  readonly share: string;
  /** Empty: the contents of the task. */
  readonly contents: readonly ContentDraft[];
}

export interface ScheduleDraft {
  readonly kind: "none" | "at" | "cron";
  readonly at: string;
  readonly cron: string;
  readonly zone: string;
}

export interface TaskDraft {
  readonly name: string;
  readonly languageProperty: string;
  readonly contents: readonly ContentDraft[];
  readonly audience: AudienceDraft;
  readonly groups: readonly GroupDraft[];
  readonly schedule: ScheduleDraft;
}

export const defaultContent: ContentDraft = { language: "default", texts: {}, rows: {} };

export const newTaskDraft: TaskDraft = {
  name: "",
  languageProperty: "",
  contents: [defaultContent],
  audience: newAudience,
  groups: [],
  schedule: { kind: "none", at: "", cron: "", zone: "" },
};

/** Writes what was entered as a task. @throws QueryTextError */
export function taskOf(draft: TaskDraft, channel: Channel): Task {
  return create(TaskSchema, { ...messagesOf(draft, channel), audience: audienceOf(draft.audience) });
}

/** Writes what was entered as a task without an audience, which a preview does not need. */
export function messagesOf(draft: TaskDraft, channel: Channel): Task {
  const { name, languageProperty, contents, groups, schedule } = draft;
  const { kind, at, cron, zone } = schedule;
  const times = kind === "at" ? { at: at.trim() } : { cron: cron.trim() };
  return create(TaskSchema, {
    name: name.trim(),
    channelId: channel.channelId,
    languageProperty: languageProperty.trim(),
    contents: contents.map((content) => contentOf(content, channel)),
    experimentGroups: groups.map((group) => ({
      groupId: group.groupId.trim(),
      share: Number(group.share),
      contents: group.contents.map((content) => contentOf(content, channel)),
    })),
    ...(kind !== "none" && { schedule: { ...times, zone: zone.trim() } }),
  });
}

/** Writes the values that were entered for the fields that the channel has now. */
function contentOf({ language, texts, rows }: ContentDraft, { contentTemplate }: Channel): Content {
  const values: Record<string, ContentValue> = {};
  for (const { name, inputMethod } of contentTemplate) {
    const text = texts[name] ?? "";
    const given = rows[name] ?? [];
    if (inputMethod === InputMethod.ARRAY_ROW && given.length > 0) {
      const value = { rows: given.map((cells) => ({ cells: { ...cells } })) };
      values[name] = create(ContentValueSchema, { value: { case: "rows", value } });
    } else if (inputMethod !== InputMethod.ARRAY_ROW && text !== "") {
      values[name] = create(ContentValueSchema, { value: { case: "text", value: text } });
    }
  }
  return create(ContentSchema, { language: language.trim(), values });
}

/** Finds what is wrong before the call, by the paths of the contract. */
export function checkTaskDraft(draft: TaskDraft): ReadonlyMap<string, LimitText> {
  const found = new Map<string, LimitText>(checkAudience(draft.audience));
  const check = (path: string, field: DescField, text: string): void => {
    const fault = findFault(field, text);
    if (fault !== undefined) found.set(path, fault);
  };
  const { name, languageProperty, contents, groups, schedule } = draft;
  check("name", TaskSchema.field.name, name);
  check("language_property", TaskSchema.field.languageProperty, languageProperty);
  checkLanguages("", contents, check);
  for (const [i, { groupId, share, contents: own }] of groups.entries()) {
    const at = `experiment_groups[${i}].`;
    check(`${at}group_id`, ExperimentGroupSchema.field.groupId, groupId);
    check(`${at}share`, ExperimentGroupSchema.field.share, share);
    checkLanguages(at, own, check);
  }
  if (schedule.kind === "at") check("schedule.at", ScheduleSchema.field.at, schedule.at);
  return found;
}

function checkLanguages(
  place: string,
  contents: readonly ContentDraft[],
  check: (path: string, field: DescField, text: string) => void,
): void {
  for (const [i, { language }] of contents.entries()) {
    check(`${place}contents[${i}].language`, ContentSchema.field.language, language);
  }
}

/** The percentage that is in no group; undefined while the shares are no numbers or are too large. */
export function restOf(groups: readonly GroupDraft[]): number | undefined {
  const sum = groups.reduce((total, { share }) => total + Number(share), 0);
  const rest = Math.round((100 - sum) * 1e6) / 1e6;
  return Number.isFinite(rest) && rest >= 0 ? rest : undefined;
}
