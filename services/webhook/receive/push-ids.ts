import { RE2JS, RE2JSException } from "re2js";
import { withoutTextMark } from "../../../base/text/byte-order-mark.ts";
import type { ChannelConfig } from "../config.ts";

/** Why a push id is unusable; undefined for a usable one. */
export type PushIdRule = (pushId: string) => string | undefined;

/**
 * Asks the owner of the push ids: those that are unusable, with the reason.
 * `pushIds` has each once. A rejection refuses nothing.
 */
export type CheckPushIds = (
  channel: string,
  pushIds: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, string>>;

/** The time of matching goes by the length; no id is as long. */
const maxMatchedLength = 4_096;

/**
 * The rules that need nobody to be asked. `list` is the content of the file
 * that `config.list` names. Undefined when there is no rule.
 * @throws Error for a pattern that is not RE2
 */
export function compilePushIdRule(
  config: Pick<ChannelConfig["pushId"], "pattern" | "listMeans">,
  list: string | undefined,
): PushIdRule | undefined {
  const { pattern, listMeans } = config;
  if (pattern === undefined && list === undefined) return undefined;
  const expression = pattern === undefined ? undefined : compile(pattern);
  const listed = list === undefined ? undefined : readList(list);
  const wanted = listMeans === "usable";
  return (pushId) => {
    if (expression !== undefined && (pushId.length > maxMatchedLength || !expression.matches(pushId))) {
      return "push_id does not match the pattern of the channel";
    }
    if (listed !== undefined && listed.has(pushId) !== wanted) {
      return wanted ? "push_id is not in the list of the channel" : "push_id is listed as unusable";
    }
    return undefined;
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Error(`bad regular expression ${JSON.stringify(pattern)}: ${error.message}`);
  }
}

function readList(text: string): ReadonlySet<string> {
  const lines = withoutTextMark(text).split(/\r?\n/);
  return new Set(lines.filter((line) => line !== ""));
}
