import { create, type DescField } from "@bufbuild/protobuf";
import type { Channel } from "../../../../../gen/engage/channel/v1/channel_pb.ts";
import {
  ContentSchema,
  ExperimentGroupSchema,
  JourneySchema,
  ScheduleSchema,
  type Task,
  TaskSchema,
} from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { type ContentDraft, contentOf, defaultContent } from "../../../contents/content-draft.ts";
import { findFault, type LimitText } from "../../../form/limits.ts";
import { type AudienceDraft, audienceOf, checkAudience, newAudience } from "./audience/audience-draft.ts";

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

/** The node of a journey whose push the task is. */
export interface JourneyDraft {
  readonly isOn: boolean;
  readonly flowId: string;
  readonly flowVersion: string;
  readonly nodeId: string;
}

export interface TaskDraft {
  readonly name: string;
  readonly languageProperty: string;
  readonly contents: readonly ContentDraft[];
  readonly audience: AudienceDraft;
  readonly groups: readonly GroupDraft[];
  readonly schedule: ScheduleDraft;
  readonly journey: JourneyDraft;
}

export const newTaskDraft: TaskDraft = {
  name: "",
  languageProperty: "",
  contents: [defaultContent],
  audience: newAudience,
  groups: [],
  schedule: { kind: "none", at: "", cron: "", zone: "" },
  journey: { isOn: false, flowId: "", flowVersion: "", nodeId: "" },
};

/** Writes what was entered as a task. @throws QueryTextError */
export function taskOf(draft: TaskDraft, channel: Channel): Task {
  return create(TaskSchema, { ...messagesOf(draft, channel), audience: audienceOf(draft.audience) });
}

/** Writes what was entered as a task without an audience, which a preview does not need. */
export function messagesOf(draft: TaskDraft, channel: Channel): Task {
  const { name, languageProperty, contents, groups, schedule, journey } = draft;
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
    ...(journey.isOn && { journey: journeyOf(journey) }),
  });
}

function journeyOf({ flowId, flowVersion, nodeId }: JourneyDraft) {
  return { flowId: flowId.trim(), flowVersion: flowVersion.trim(), nodeId: nodeId.trim() };
}

/** Finds what is wrong before the call, by the paths of the contract. */
export function checkTaskDraft(draft: TaskDraft): ReadonlyMap<string, LimitText> {
  const found = new Map<string, LimitText>(checkAudience(draft.audience));
  const check = (path: string, field: DescField, text: string): void => {
    const fault = findFault(field, text);
    if (fault !== undefined) found.set(path, fault);
  };
  const { name, languageProperty, contents, groups, schedule, journey } = draft;
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
  if (journey.isOn) {
    const { flowId, flowVersion, nodeId } = JourneySchema.field;
    check("journey.flow_id", flowId, journey.flowId);
    check("journey.flow_version", flowVersion, journey.flowVersion);
    check("journey.node_id", nodeId, journey.nodeId);
  }
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
