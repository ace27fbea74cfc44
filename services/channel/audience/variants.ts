import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { Content, Task } from "../../../gen/engage/channel/v1/task_pb.ts";
import { defaultLanguage } from "../content/check-content.ts";
import { compileElement, type Element } from "../content/element.ts";
import { compileExperiment } from "./experiment.ts";

/** One content of one group of a task. */
export interface Variant {
  /** Empty without an A/B test. */
  readonly groupId: string;
  readonly language: string;
  readonly element: Element;
}

/** What the members of an audience get. */
export interface Variants {
  readonly all: readonly Variant[];
  /** Whether receipts name the language. */
  readonly isMultiLanguage: boolean;
  /** Properties to be read of users, lower case. */
  readonly properties: readonly string[];
  /** Index into `all`; -1: nothing, it is of the control. @param languageText of the language property */
  choose(pushId: string, languageText: string): number;
  /** Lower case; empty: it makes no difference. */
  readonly languageProperty: string;
}

type TaskContents = Pick<Task, "taskId" | "contents" | "experimentGroups" | "languageProperty">;

/** @param task with contents that are valid */
export function compileVariants(channel: Channel, task: TaskContents): Variants {
  const { contents, experimentGroups, taskId } = task;
  const parts =
    experimentGroups.length === 0
      ? [{ groupId: "", contents }]
      : experimentGroups.map((group) => ({
          groupId: group.groupId,
          contents: group.contents.length === 0 ? contents : group.contents,
        }));
  const all = parts.flatMap((part) =>
    part.contents.map(
      (content): Variant => ({
        groupId: part.groupId,
        language: content.language,
        element: compileElement(channel, content),
      }),
    ),
  );
  const groupOf = experimentGroups.length === 0 ? () => 0 : compileExperiment(experimentGroups, taskId);
  const finders = parts.map((part) => compileLanguage(part.contents, all, part.groupId));
  const isMultiLanguage = parts.some((part) => part.contents.length > 1);
  const languageProperty = isMultiLanguage ? task.languageProperty.toLowerCase() : "";
  const used = all.flatMap(({ element }) => element.properties);
  return {
    all,
    isMultiLanguage,
    languageProperty,
    properties: [...new Set(languageProperty === "" ? used : [...used, languageProperty])],
    choose(pushId, languageText) {
      const group = groupOf(pushId);
      return group === -1 ? -1 : finders[group]!(languageText);
    },
  };
}

/** By the language as it is written, upper and lower case alike. */
function compileLanguage(
  contents: readonly Content[],
  all: readonly Variant[],
  groupId: string,
): (languageText: string) => number {
  const indexes = new Map(
    contents.map(({ language }) => [
      language.toLowerCase(),
      all.findIndex((variant) => variant.groupId === groupId && variant.language === language),
    ]),
  );
  const fallback = indexes.get(defaultLanguage)!;
  if (indexes.size === 1) return () => fallback;
  return (text) => indexes.get(text.toLowerCase()) ?? fallback;
}
