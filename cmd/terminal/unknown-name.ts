import { knownNames } from "../../base/text/known-names.ts";
import { quoteText } from "../../base/text/quote.ts";
import { UserError } from "./user-error.ts";

/**
 * Returns the error for a name that does not exist, with those that do.
 * @param kind what it names, such as `channel`
 */
export function unknownName(kind: string, name: string, existing: readonly string[]): UserError {
  return new UserError(`${kind} ${quoteText(name)} is not known, ${knownNames(name, existing)}`);
}
