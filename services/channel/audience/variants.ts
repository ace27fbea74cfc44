import { hash } from "node:crypto";
import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { Content, Task } from "../../../gen/engage/channel/v1/task_pb.ts";
import { defaultLanguage } from "../content/check-content.ts";
import { compileElement, type Element } from "../content/element.ts";

/** A content of a group of a task. */
export interface Variant {
  /** Empty without an A/B test. */
  readonly groupId: string;
  readonly language: string;
  readonly element: Element;
}

/** All variants of a task, and which of them a member of the audience gets. */
export interface Variants {
  readonly all: readonly Variant[];
  /** Whether receipts contain the language. */
  readonly isMultiLanguage: boolean;
  /** Names of the user properties to read, in lower case. */
  readonly properties: readonly string[];
  /** Returns an index into `all`, or -1 for the control group. @param languageText value of the language property */
  choose(pushId: string, languageText: string): number;
  /** Name of the language property in lower case; empty if all contents have one language. */
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

/** Compiles the function that finds the content of a language, ignoring case. */
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

export interface Share {
  readonly groupId: string;
  /** Share of the group, in percent. */
  readonly share: number;
}

/** Number of points that shares divide: finer than a millionth of a percent. */
const points = 2 ** 32;

/**
 * Compiles the function that assigns push ids to the groups of an A/B test: it returns the index of the group, or -1
 * for the control. It depends on a hash of salt and push id only, so that it is the same in every run and on every
 * replica, and independent of other tasks.
 */
export function compileExperiment(groups: readonly Share[], salt: string): (pushId: string) => number {
  let sum = 0;
  const ends = groups.map(({ share }) => {
    sum += share;
    // Shares such as 33.4 and 66.6 add up to a little less than 100.
    return sum >= 100 - 1e-9 ? points : (sum / 100) * points;
  });
  return (pushId) => {
    const point = hash("sha256", `${salt}\0${pushId}`, "buffer").readUInt32BE(0);
    return ends.findIndex((end) => point < end);
  };
}
