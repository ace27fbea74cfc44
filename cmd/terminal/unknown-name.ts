import { nearestName } from "../../base/text/nearest.ts";
import { quoteList, quoteText } from "../../base/text/quote.ts";
import { UserError } from "./user-error.ts";

/**
 * Returns the error for a name that does not exist. It has the nearest existing name or, when none is close, all of
 * them.
 * @param kind what the name names, such as `channel`
 */
export function unknownName(kind: string, name: string, existing: readonly string[]): UserError {
  const near = nearestName(name, existing);
  const all = existing.length === 0 ? "there are none" : `valid are ${quoteList(existing)}`;
  const hint = near === undefined ? all : `the nearest is ${quoteText(near)}`;
  return new UserError(`${kind} ${quoteText(name)} is not known, ${hint}`);
}
