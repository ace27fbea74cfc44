import type { Target } from "../members.ts";
import { isSimple, textsAroundFields } from "./member.ts";

/**
 * Returns a function that reports whether a text of a record may have a part that no text of its line has: because an
 * entry writes it, because it arises where a template joins texts, or because an entry converts values.
 */
export function compileMayAdd(targets: readonly Target[]): (part: string) => boolean {
  return (part) => '"properties"'.includes(part) || targets.some((target) => mayAddTo(target, part));
}

function mayAddTo({ head, copyable }: Target, part: string): boolean {
  if (copyable === undefined || head.next.includes(part)) return true;
  if ("field" in copyable) return false;
  if ("pieces" in copyable) return textsAroundFields(copyable.pieces).some((text) => mayHold(text, part));
  return !isSimple(copyable.constant) || JSON.stringify(copyable.constant).includes(part);
}

/** Reports whether a text has the part, or whether it may have it together with values before or after it. */
function mayHold(text: string, part: string): boolean {
  if (text.includes(part) || (part.length > 1 && part.slice(1, -1).includes(text))) return true;
  for (let length = 1; length < part.length; length++) {
    if (text.endsWith(part.slice(0, length)) || text.startsWith(part.slice(length))) return true;
  }
  return false;
}
