/** A line that gave no record, with what is needed to find out why and to send it again. */
export interface DeadLetter {
  readonly time: Date;
  /** Where the line came from, for example `grpc`. */
  readonly source: string;
  /** File name or topic; undefined when the line named none. */
  readonly index: string | undefined;
  /** The format that refused it; undefined when none was chosen. */
  readonly format: string | undefined;
  readonly reason: string;
  readonly message: string;
  /** The line; bytes when it is not UTF-8. */
  readonly line: string | Uint8Array;
  /** How many lines `line` holds, of a letter that several share. */
  readonly lines?: number;
}

/** Letters as NDJSON, one a line with LF behind each: encoded where they arise, in a worker for instance. */
export interface LetterBatch {
  readonly count: number;
  readonly ndjson: Uint8Array<ArrayBuffer>;
}

/** What became of letters, for metrics and logs. */
export interface DeadLetterObserver {
  written(count: number): void;
  dropped(count: number): void;
  /** Called once when the store stops taking letters, not for each try. */
  failed(error: unknown): void;
  resumed(): void;
}

/** Keeps letters for later. Appending neither waits nor throws: what can't be kept is dropped and counted. */
export interface DeadLetters extends AsyncDisposable {
  append(batch: LetterBatch): void;
  /** Resolves when all letters appended so far are kept, or the store takes none at present. */
  flush(): Promise<void>;
}

const maxLetterLineBytes = 65_536;
const maxNoteCharacters = 1_024;

/**
 * One letter as JSON with LF behind it: time, source, index, format, reason, message, `lines` and `line` (text) or
 * `line_base64` (bytes), cut at `maxLineBytes` (characters, for text); then `line_length` tells the full one.
 */
export function encodeLetter(letter: DeadLetter, maxLineBytes: number = maxLetterLineBytes): string {
  const { time, source, index, format, reason, message, line, lines } = letter;
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

function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const endsInPair = /[\ud800-\udbff]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, endsInPair ? maxCharacters - 1 : maxCharacters);
}

export interface SharingOptions {
  /** Lines of one request that get a letter of their own. */
  readonly maxOwn: number;
  /** How the texts of several lines become one text. */
  readonly join: (texts: readonly string[]) => string;
}

/** The letters of one request. */
export interface SharedLetters {
  /** Returns the letters that are complete, as encodeLetter writes them: none, one, or several. */
  add(letter: DeadLetter): readonly string[];
  /** Returns the other letters. */
  close(): readonly string[];
}

/** Lines in one shared letter, as characters or bytes; a longer line gets a letter of its own. */
const maxSharedLength = 49_152;
/** Kept open at once. */
const maxOpenLetters = 100;
const lineFeed = Buffer.of(10);

interface OpenLetter {
  readonly first: DeadLetter;
  readonly lines: (string | Uint8Array)[];
  length: number;
}

/**
 * Writes a letter for each of the first lines of a request, and shared letters for the others: a sender pays two bytes
 * for a line that is refused, while a letter of its own takes hundreds. Lines share a letter when all but their message
 * and time is the same. Each line is kept.
 */
export function createSharedLetters({ maxOwn, join }: SharingOptions): SharedLetters {
  const open = new Map<string, OpenLetter>();
  let own = 0;
  const finish = (key: string): string => {
    const { first, lines } = open.get(key)!;
    open.delete(key);
    if (lines.length === 1) return encodeLetter(first);
    const message = `${lines.length} lines of one request were refused for this reason, the first: ${first.message}`;
    const line = typeof first.line === "string" ? join(lines as string[]) : joinBytes(lines as Uint8Array[]);
    return encodeLetter({ ...first, message, line, lines: lines.length });
  };
  return {
    add(letter) {
      const { line, source, index, format, reason } = letter;
      if (own < maxOwn || line.length > maxSharedLength) {
        own++;
        return [encodeLetter(letter)];
      }
      const key = JSON.stringify([typeof line, source, index, format, reason]);
      const known = open.get(key);
      if (known !== undefined && known.length + line.length <= maxSharedLength) {
        known.lines.push(line);
        known.length += line.length + 1;
        return [];
      }
      const full = known !== undefined || open.size === maxOpenLetters;
      const done = full ? [finish(known === undefined ? open.keys().next().value! : key)] : [];
      open.set(key, { first: letter, lines: [line], length: line.length + 1 });
      return done;
    },
    close: () => Array.from(open.keys(), finish),
  };
}

function joinBytes(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [lineFeed, line])));
}
