import { cutText } from "../../base/text/cut.ts";
import { encodedStart } from "./deadletters.ts";
import type { StoredDeadLetter, StoredFilter, StoredGroup } from "./list.ts";

/** The length of the line of an example. */
export const exampleLength = 2_048;

interface Encoded {
  readonly time: string;
  readonly source: string;
  readonly index?: string;
  readonly format?: string;
  readonly reason: string;
  readonly message: string;
  readonly lines?: number;
  readonly line?: string;
  readonly line_base64?: string;
  readonly line_length?: number;
}

/** Decodes what `encodeDeadLetter` has written; returns undefined for incomplete lines and removed dead letters. */
export function decodeDeadLetter(id: string, json: string): StoredDeadLetter | undefined {
  if (!json.startsWith(encodedStart)) return undefined;
  let encoded: Encoded;
  try {
    encoded = JSON.parse(json) as Encoded;
  } catch {
    return undefined;
  }
  const { time, source, index, format, reason, message, lines = 1, line, line_base64: bytes } = encoded;
  return {
    id,
    timeMs: Date.parse(time),
    source,
    index,
    format,
    reason,
    message,
    line: line ?? Buffer.from(bytes ?? "", "base64"),
    lines,
    isCut: encoded.line_length !== undefined,
    json,
  };
}

export function matches(letter: StoredDeadLetter, filter: StoredFilter): boolean {
  const {
    reason,
    text,
    index,
    fromMs = Number.NEGATIVE_INFINITY,
    untilMs = Number.POSITIVE_INFINITY,
  } = filter;
  return (
    (reason === undefined || letter.reason === reason) &&
    (index === undefined || letter.index === index) &&
    (text === undefined || letter.message.includes(text)) &&
    letter.timeMs >= fromMs &&
    letter.timeMs < untilMs
  );
}

export function toExample(letter: StoredDeadLetter): StoredDeadLetter {
  const { line } = letter;
  const isText = typeof line === "string";
  return { ...letter, line: isText ? cutText(line, exampleLength) : line.slice(0, exampleLength), json: "" };
}

/** Adds up groups of parts of a list, of which later ones are newer. */
export function addGroups(parts: Iterable<Iterable<StoredGroup>>): readonly StoredGroup[] {
  const sums = new Map<string, StoredGroup>();
  for (const part of parts) {
    for (const group of part) {
      const key = JSON.stringify([group.reason, group.index]);
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? group : addGroup(sum, group));
    }
  }
  return [...sums.values()];
}

/** Adds a group to an older one with the same reason and index. */
export function addGroup(sum: StoredGroup, more: StoredGroup): StoredGroup {
  return {
    reason: sum.reason,
    index: sum.index,
    count: sum.count + more.count,
    bytes: sum.bytes + more.bytes,
    oldestMs: Math.min(sum.oldestMs, more.oldestMs),
    newestMs: Math.max(sum.newestMs, more.newestMs),
    example: more.example,
  };
}
