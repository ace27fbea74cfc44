import { limitsOf, patternOf } from "../../../base/protobuf/limits.ts";
import { eachViolation, under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkDisplayName } from "../../../base/text/check-text.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import {
  type Content,
  ContentSchema,
  type ExperimentGroup,
  ExperimentGroupSchema,
  type Journey,
  type Task,
  TaskSchema,
} from "../../../gen/engage/channel/v1/task_pb.ts";
import { TextFormat } from "../../../gen/engage/gateway/v1/limits_pb.ts";
import { checkList, checkProperty, checkRepeated, violationOf } from "../channels/names.ts";
import type { SenderPorts } from "../ports.ts";
import { checkSchedule } from "../schedule/schedule.ts";
import { checkAudienceForm } from "./audience.ts";

const { maxLength: maxName } = limitsOf(TaskSchema.field.name);
const { maxItems: maxLanguages } = limitsOf(TaskSchema.field.contents);
const { maxItems: maxGroups } = limitsOf(TaskSchema.field.experimentGroups);
const { maxLength: maxIdLength } = limitsOf(ExperimentGroupSchema.field.groupId);
const { max: maxShare = 100 } = limitsOf(ExperimentGroupSchema.field.share);
const id = patternOf(TextFormat.ID);
/** Languages such as `en`, `zh-CN` and `pt_BR`. */
const language = patternOf(TextFormat.LANGUAGE);
const { maxLength: maxLanguageLength } = limitsOf(ContentSchema.field.language);
/** Tolerance for rounding errors of shares, such as three of 33.3. */
const shareSlack = 1e-9;

type Rules = Pick<SenderPorts, "checkContent" | "projects">;

/** Checks all rules of a task for its channel, except the names in its audience. Fields are relative to the task. */
export function checkTask(task: Task, channel: Channel, rules: Rules, nowMs: number): readonly Violation[] {
  const { schedule, journey, audience } = task;
  const zone = rules.projects.zoneOf(channel.projectId) ?? "UTC";
  return [
    ...violationOf("name", checkDisplayName(task.name, maxName)),
    ...checkContents(task.contents, channel, rules),
    ...checkLanguageProperty(task),
    ...under("audience", checkAudience(audience, channel)),
    ...checkGroups(task.experimentGroups, channel, rules),
    ...(schedule ? under("schedule", checkSchedule(schedule, zone, nowMs)) : []),
    ...(journey ? under("journey", checkJourney(journey)) : []),
  ];
}

/** Checks what the messages of a task are written from. Fields are relative to the task. */
export function checkMessages(task: Task, channel: Channel, rules: Rules): readonly Violation[] {
  return [
    ...checkContents(task.contents, channel, rules),
    ...checkLanguageProperty(task),
    ...checkGroups(task.experimentGroups, channel, rules),
  ];
}

/**
 * Checks contents again, since the channel may have been changed after the task was created. Fields are relative to the
 * task.
 */
export function checkTaskContents(
  { contents, experimentGroups }: Pick<Task, "contents" | "experimentGroups">,
  channel: Channel,
  checkContent: Rules["checkContent"],
): readonly Violation[] {
  const check = (list: readonly Content[]): readonly Violation[] =>
    eachViolation(list, (content, i) => under(`contents[${i}]`, checkContent(channel, content)));
  return [
    ...check(contents),
    ...eachViolation(experimentGroups, (group, i) => under(`experiment_groups[${i}]`, check(group.contents))),
  ];
}

/** Checks that there is an audience, and its form. Fields are relative to the audience. */
export function checkAudience(
  audience: Task["audience"],
  { projectId }: Pick<Channel, "projectId">,
): readonly Violation[] {
  if (audience === undefined) return [{ field: "", description: "is required" }];
  return checkAudienceForm(audience, projectId);
}

function checkContents(contents: readonly Content[], channel: Channel, rules: Rules): readonly Violation[] {
  const languages = contents.map((content) => content.language);
  return checkList("contents", contents, maxLanguages, () => [
    ...(languages.includes("default")
      ? []
      : [{ field: "contents", description: 'has no content of the language "default", which is required' }]),
    ...eachViolation(contents, (content, i) =>
      under(`contents[${i}]`, [
        ...violationOf("language", checkLanguage(content.language)),
        ...rules.checkContent(channel, content),
      ]),
    ),
    // The language of a user is compared ignoring case.
    ...checkRepeated(
      languages,
      (i) => `contents[${i}].language`,
      (one) => one.toLowerCase(),
    ),
  ]);
}

function checkLanguage(text: string): string | undefined {
  if (text === "") return "is required";
  if (text.length <= maxLanguageLength && language.test(text)) return undefined;
  return `is ${quoteText(text)}, valid are languages such as "default", "en" or "zh-CN"`;
}

function checkLanguageProperty({ languageProperty, contents, experimentGroups }: Task): readonly Violation[] {
  const isMultilingual = [contents, ...experimentGroups.map((group) => group.contents)].some(
    (list) => list.length > 1,
  );
  if (languageProperty === "" && !isMultilingual) return [];
  const problem = checkProperty(languageProperty);
  return violationOf(
    "language_property",
    problem && `${problem}${languageProperty === "" ? " because there are several contents" : ""}`,
  );
}

function checkGroups(
  groups: readonly ExperimentGroup[],
  channel: Channel,
  rules: Rules,
): readonly Violation[] {
  const sum = groups.reduce((total, { share }) => total + share, 0);
  return checkList("experiment_groups", groups, maxGroups, () => [
    ...eachViolation(groups, ({ groupId, share, contents }, i) =>
      under(`experiment_groups[${i}]`, [
        ...violationOf("group_id", checkId(groupId)),
        ...(share > 0 && share <= maxShare
          ? []
          : [{ field: "share", description: `is ${share}, valid is above 0 to ${maxShare}` }]),
        ...(contents.length > 0 ? checkContents(contents, channel, rules) : []),
      ]),
    ),
    ...checkRepeated(
      groups.map(({ groupId }) => groupId),
      (i) => `experiment_groups[${i}].group_id`,
    ),
    ...(sum > 100 + shareSlack
      ? [{ field: "experiment_groups", description: `has shares of ${sum} percent, at most 100 are valid` }]
      : []),
  ]);
}

function checkJourney({ flowId, flowVersion, nodeId }: Journey): readonly Violation[] {
  return [
    ...violationOf("flow_id", checkId(flowId)),
    ...violationOf("flow_version", checkId(flowVersion)),
    ...violationOf("node_id", checkId(nodeId)),
  ];
}

function checkId(text: string): string | undefined {
  if (text === "") return "is required";
  if (text.length <= maxIdLength && id.test(text)) return undefined;
  return `is ${quoteText(text)}, valid are 1 to ${maxIdLength} printable ASCII characters without spaces`;
}
