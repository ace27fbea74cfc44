import { RE2JS, RE2JSException } from "re2js";
import { withoutTextMark } from "../../../base/text/byte-order-mark.ts";
import type { ChannelConfig } from "../config.ts";

/** Returns why a push id is unusable; undefined if it is usable. */
export type PushIdRule = (pushId: string) => string | undefined;

/**
 * Checks distinct push ids and returns the reason of each unusable one. A rejection refuses nothing.
 */
export type CheckPushIds = (
  channel: string,
  pushIds: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, string>>;

/** Longest push id that is matched, since the time of matching grows with the length. */
const maxMatchedLength = 4_096;

/**
 * Compiles the rules of pattern and list. `list` is the content of the file `config.list`. Returns undefined if there
 * is no rule.
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
