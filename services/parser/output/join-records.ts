import { compileFind, overlappingHeads } from "../line/separators.ts";

/**
 * Joins the records of one item such that splitting the item gives exactly these records; returns undefined when no
 * spelling of the records does. An item without records is `{}`.
 */
export type JoinRecords = (records: readonly string[]) => string | undefined;

export const emptyItem = "{}";

/** `itemSeparator` is undefined where the content is a single item (framing `none`). */
export function compileJoin(itemSeparator: string | undefined, recordSeparator: string): JoinRecords {
  const separators = itemSeparator === undefined ? [recordSeparator] : [itemSeparator, recordSeparator];
  const splitsAlone = compileBoundary(recordSeparator);
  const splitsItem = itemSeparator === undefined ? () => true : compileBoundary(itemSeparator);

  function isClean(record: string): boolean {
    return splitsAlone(record) && splitsItem(record);
  }
  function cleanRecord(record: string): string | undefined {
    if (isClean(record)) return record;
    const escaped = escapeInLiterals(record, separators);
    return isClean(escaped) && isJson(escaped) ? escaped : undefined;
  }
  return (records) => {
    if (records.length === 0) return emptyItem;
    if (records.length === 1) return cleanRecord(records[0]!);
    const clean: string[] = [];
    for (const record of records) {
      const text = cleanRecord(record);
      if (text === undefined) return undefined;
      clean.push(text);
    }
    const item = clean.join(recordSeparator);
    return splitsItem(item) ? item : undefined;
  };
}

/**
 * Reports whether `text` followed by the separator is split at the end of `text` and nowhere before. A text can contain
 * the separator, or end with the beginning of a separator that overlaps itself: `x:` and `::` make `x:::`.
 */
function compileBoundary(separator: string): (text: string) => boolean {
  const find = compileFind(separator);
  const heads = overlappingHeads(separator);
  if (heads.length === 0) return (text) => find(text, 0) < 0;
  return (text) => find(text, 0) < 0 && !heads.some((head) => text.endsWith(head));
}

/**
 * Rewrites JSON text such that none of `needles` occurs in a string literal: the last character of each occurrence
 * becomes a `\u` escape. Spaces between tokens are removed. The value stays the same. Takes linear time.
 */
export function escapeInLiterals(json: string, needles: readonly string[]): string {
  const parts: string[] = [];
  let copied = 0;
  let isInside = false;
  let escapedUpTo = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === quote) {
      isInside = !isInside;
    } else if (!isInside) {
      if (!isSpace(character)) continue;
      parts.push(json.slice(copied, at));
      copied = at + 1;
    } else if (character === backslash) {
      at += json.charCodeAt(at + 1) === lowerU ? 5 : 1;
    } else {
      const end = at + 1;
      if (!needles.some((needle) => end - needle.length >= escapedUpTo && json.endsWith(needle, end)))
        continue;
      // An escaped half of a surrogate pair next to an unescaped half would be two broken characters.
      const start = isLowSurrogate(character) ? at - 1 : at;
      parts.push(json.slice(copied, start), escapeUnits(json.slice(start, end)));
      copied = end;
      escapedUpTo = end;
    }
  }
  parts.push(json.slice(copied));
  return parts.join("");
}

const quote = 0x22;
const backslash = 0x5c;
const lowerU = 0x75;

function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

function isLowSurrogate(character: number): boolean {
  return character >= 0xdc00 && character <= 0xdfff;
}

function escapeUnits(text: string): string {
  let escaped = "";
  for (let i = 0; i < text.length; i++) escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`;
  return escaped;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
