import { create, toJsonString } from "@bufbuild/protobuf";
import { AudienceSchema, type Task, TaskSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";

export interface Definition {
  /** What the task was made from, as JSON. */
  readonly text: string;
  /** How many push ids of a long list are left out. */
  readonly omitted: number;
}

/** More push ids of a list are not shown. */
export const maxShownIds = 100;

/** Returns the part of a task that its caller gave. */
export function givenPartOf(task: Task): Task {
  const { name, channelId, contents, languageProperty, audience, experimentGroups, schedule, journey } = task;
  return create(TaskSchema, {
    name,
    channelId,
    contents,
    languageProperty,
    experimentGroups,
    ...(audience && { audience }),
    ...(schedule && { schedule }),
    ...(journey && { journey }),
  });
}

/** Returns the JSON of the part of a task that its caller gave, with the first push ids of a long list. */
export function definitionOf(task: Task): Definition {
  const given = givenPartOf(task);
  const source = given.audience?.source;
  if (source?.case !== "pushIds" || source.value.pushIds.length <= maxShownIds) {
    return { text: toJsonString(TaskSchema, given), omitted: 0 };
  }
  const { pushIds } = source.value;
  const first = create(AudienceSchema, {
    source: { case: "pushIds", value: { pushIds: pushIds.slice(0, maxShownIds) } },
  });
  const shown = create(TaskSchema, { ...given, audience: first });
  return { text: toJsonString(TaskSchema, shown), omitted: pushIds.length - maxShownIds };
}
