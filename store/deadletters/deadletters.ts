import { cutText } from "../../base/text/cut.ts";

// The port is one import for services; this file describes how dead letters are read.
export type {
  DeadLetterList,
  StoredDeadLetter,
  StoredFilter,
  StoredGroup,
  StoredGroups,
  StoredPage,
  StoredRequest,
} from "./list.ts";

/** A line which gave no record, with what is needed to find the reason and to send it again. */
export interface DeadLetter {
  readonly time: Date;
  /** The origin of the line, for example `grpc`. */
  readonly source: string;
  /** The file name or topic; undefined when the line named none. */
  readonly index: string | undefined;
  /** The format which refused the line; undefined when none was selected. */
  readonly format: string | undefined;
  readonly reason: string;
  readonly message: string;
  /** The line; bytes when it is not UTF-8. */
  readonly line: string | Uint8Array;
  /** The number of lines in `line`, of a dead letter which several lines share. */
  readonly lines?: number;
}

/** Dead letters as NDJSON, each line ended by LF. Encoded where they arise, for instance in a worker. */
export interface DeadLetterBatch {
  readonly count: number;
  readonly ndjson: Uint8Array<ArrayBuffer>;
}

/** Receives what happens to dead letters, for metrics and logs. */
export interface DeadLetterObserver {
  written(count: number): void;
  dropped(count: number): void;
  /** Called once when the store stops accepting dead letters, not for each attempt. */
  failed(error: unknown): void;
  resumed(): void;
}

/** Stores dead letters. `append` neither waits nor throws: what can't be stored is dropped and counted. */
export interface DeadLetters extends AsyncDisposable {
  append(batch: DeadLetterBatch): void;
  /** Resolves when all dead letters appended so far are stored, or the store accepts none at the moment. */
  flush(): Promise<void>;
}

/** Dead letters can't be stored at the moment. */
export class DeadLettersUnavailableError extends Error {
  override readonly name = "DeadLettersUnavailableError";
}

/** The store can't be opened, and trying again does not help. */
export class DeadLettersOpenError extends Error {
  override readonly name = "DeadLettersOpenError";
}

/** The requested page starts after an item which is not in a list of this kind. */
export class DeadLetterCursorError extends RangeError {
  override readonly name = "DeadLetterCursorError";
}

const defaultLineBytes = 65_536;
const maxNoteCharacters = 1_024;

/** The beginning of every encoded dead letter. A removed one in a file begins with `removedStart`, which is as long. */
export const encodedStart = '{"time":';
export const removedStart = '{"done":';

/**
 * Encodes a dead letter as one line of JSON with LF: time, source, index, format, reason, message,
 * `lines`, and `line` (text) or `line_base64` (bytes), cut at `maxLineBytes` (characters, for text);
 * then `line_length` is the full length.
 */
export function encodeDeadLetter(deadLetter: DeadLetter, maxLineBytes: number = defaultLineBytes): string {
  const { time, source, index, format, reason, message, line, lines } = deadLetter;
  const isCut = line.length > maxLineBytes;
  return `${JSON.stringify({
    time: time.toISOString(),
    source,
    index: index === undefined ? undefined : cutText(index, maxNoteCharacters),
    format,
    reason,
    message: cutText(message, maxNoteCharacters),
    lines,
    ...(typeof line === "string"
      ? { line: cutText(line, maxLineBytes) }
      : { line_base64: Buffer.from(line.subarray(0, maxLineBytes)).toString("base64") }),
    ...(isCut ? { line_length: line.length } : {}),
  })}\n`;
}

export interface SharingOptions {
  /** The number of lines of a request which get dead letters of their own. */
  readonly maxOwn: number;
  /** Joins the texts of several lines to one. */
  readonly join: (texts: readonly string[]) => string;
}

/** The dead letters of one request. */
export interface SharedDeadLetters {
  /** Returns the complete dead letters, as `encodeDeadLetter` encodes them: none, one, or several. */
  add(deadLetter: DeadLetter): readonly string[];
  /** Returns the remaining dead letters. */
  close(): readonly string[];
}

/** The maximum length of the lines in one shared dead letter, as characters or bytes; a longer line gets its own. */
const maxSharedLength = 49_152;
/** The maximum number of shared dead letters open at once. */
const maxOpen = 100;
const lineFeed = Buffer.of(10);

interface OpenDeadLetter {
  readonly first: DeadLetter;
  readonly lines: (string | Uint8Array)[];
  length: number;
}

/**
 * Writes a dead letter for each of the first lines of a request, and shared dead letters for the
 * others: a refused line costs its sender two bytes, while its own dead letter takes hundreds. Lines
 * share one when all except their message and time is equal. Every line is kept.
 */
export function createSharedDeadLetters({ maxOwn, join }: SharingOptions): SharedDeadLetters {
  const open = new Map<string, OpenDeadLetter>();
  let own = 0;
  const finish = (key: string): string => {
    const { first, lines } = open.get(key)!;
    open.delete(key);
    if (lines.length === 1) return encodeDeadLetter(first);
    const message = `${lines.length} lines of one request were refused for this reason, the first: ${first.message}`;
    const line = typeof first.line === "string" ? join(lines as string[]) : joinBytes(lines as Uint8Array[]);
    return encodeDeadLetter({ ...first, message, line, lines: lines.length });
  };
  return {
    add(deadLetter) {
      const { line, source, index, format, reason } = deadLetter;
      if (own < maxOwn || line.length > maxSharedLength) {
        own++;
        return [encodeDeadLetter(deadLetter)];
      }
      const key = JSON.stringify([typeof line, source, index, format, reason]);
      const known = open.get(key);
      if (known !== undefined && known.length + line.length <= maxSharedLength) {
        known.lines.push(line);
        known.length += line.length + 1;
        return [];
      }
      const full = known !== undefined || open.size === maxOpen;
      const done = full ? [finish(known === undefined ? open.keys().next().value! : key)] : [];
      open.set(key, { first: deadLetter, lines: [line], length: line.length + 1 });
      return done;
    },
    close: () => Array.from(open.keys(), finish),
  };
}

function joinBytes(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [lineFeed, line])));
}
