import { equals, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import type { Channel } from "../../../../../gen/engage/channel/v1/channel_pb.ts";
import { type Schedule, type Task, TaskSchema } from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { draftOfContent } from "../../../contents/content-draft.ts";
import { givenPartOf } from "../definition.ts";
import { draftOfAudience } from "./audience/audience-draft.ts";
import { newTaskDraft, type ScheduleDraft, type TaskDraft, taskOf } from "./task-draft.ts";

/** Reads what a task was made from into the form. */
export function draftOfTask({
  name,
  languageProperty,
  contents,
  audience,
  experimentGroups,
  schedule,
  journey,
}: Task): TaskDraft {
  return {
    name,
    languageProperty,
    contents: contents.map(draftOfContent),
    audience: audience === undefined ? newTaskDraft.audience : draftOfAudience(audience),
    groups: experimentGroups.map(({ groupId, share, contents: own }) => ({
      groupId,
      share: String(share),
      contents: own.map(draftOfContent),
    })),
    schedule: schedule === undefined ? newTaskDraft.schedule : draftOfSchedule(schedule),
    journey: journey === undefined ? newTaskDraft.journey : { ...newTaskDraft.journey, ...idsOf(journey) },
  };
}

function idsOf({ flowId, flowVersion, nodeId }: NonNullable<Task["journey"]>) {
  return { isOn: true, flowId, flowVersion, nodeId };
}

function draftOfSchedule({ at, cron, zone }: Schedule): ScheduleDraft {
  return { kind: cron === "" ? "at" : "cron", at, cron, zone };
}

/** Writes what was entered as the JSON of its task. @throws QueryTextError */
export function textOfDraft(draft: TaskDraft, channel: Channel): string {
  return textOfTask(taskOf(draft, channel));
}

/** Writes what a task was made from as JSON. */
export function textOfTask(task: Task): string {
  return toJsonString(TaskSchema, givenPartOf(task), { prettySpaces: 2 });
}

/** Reads the JSON of a task. @throws Error that says why the text is not the JSON of a task */
export function taskOfText(text: string): Task {
  return fromJsonString(TaskSchema, text);
}

/**
 * Returns the draft of a task; undefined if the form would lose a part of it, such as values of fields that the channel
 * does not have.
 */
export function faithfulDraftOf(task: Task, channel: Channel): TaskDraft | undefined {
  const draft = draftOfTask(task);
  return equals(TaskSchema, givenPartOf(task), taskOf(draft, channel)) ? draft : undefined;
}
