import type { LineCopying } from "../line/line.ts";
import { compileFind, isOnlyInLiterals, overlappingHeads } from "../line/separators.ts";
import { compileJoin } from "./join-records.ts";

/** `separator` is undefined where the content is a single item. */
export interface ContentSeparators {
  readonly separator: string | undefined;
  readonly recordSeparator: string;
}

export type SplitsExactly = (text: string, ends: readonly number[]) => boolean;

/**
 * Reports whether a chunk of joined items, one record each, is split at the ends of the items and nowhere else.
 * Searching whole chunks avoids flattening the text of each record, which V8 keeps as a tree while it is concatenated.
 */
export function compileSplitsExactly({ separator, recordSeparator }: ContentSeparators): SplitsExactly {
  const findRecordEnd = compileFind(recordSeparator);
  if (separator === undefined) {
    const joinsAlone = compileJoin(undefined, recordSeparator);
    return (text) => joinsAlone([text]) === text;
  }
  const find = compileFind(separator);
  const recordHeads = overlappingHeads(recordSeparator);
  return (text, ends) => {
    if (recordHeads.length > 0 || findRecordEnd(text, 0) >= 0) return false;
    let at = 0;
    for (let item = 0; item < ends.length; item++) {
      const found = find(text, at);
      const end = ends[item]!;
      if (found !== end && !(found < 0 && end === text.length)) return false;
      at = end + separator.length;
    }
    return true;
  };
}

/**
 * Returns a function that reports whether the records of a format contain no separator where the copied lines contain
 * none. They need not be searched then.
 */
export function compileCopiesNoSeparator({
  separator = "",
  recordSeparator,
}: ContentSeparators): (copied: LineCopying) => boolean {
  const separators = [separator, recordSeparator].filter((one) => one !== "" && !isNeverCopied(one));
  if (!separators.every(isOnlyInLiterals)) return () => false;
  const known = new WeakMap<LineCopying, boolean>();
  return (copied) => {
    let copiesNone = known.get(copied);
    if (copiesNone === undefined) {
      copiesNone = !separators.some(copied.mayAdd);
      known.set(copied, copiesNone);
    }
    return copiesNone;
  };
}

/** Reports whether no copied record can have this separator: lines with control characters are not copied. */
export function isNeverCopied(separator: string): boolean {
  return separator.split("").some((character) => character < " ");
}
