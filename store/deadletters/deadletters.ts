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

const MAX_LETTER_LINE_BYTES = 65_536;
const MAX_NOTE_CHARACTERS = 1_024;

/**
 * One letter as JSON with LF behind it: time, source, index, format, reason, message and `line` (text) or
 * `line_base64` (bytes), cut at `maxLineBytes` (characters, for text); then `line_length` tells the full one.
 */
export function encodeLetter(letter: DeadLetter, maxLineBytes: number = MAX_LETTER_LINE_BYTES): string {
  const { time, source, index, format, reason, message, line } = letter;
  const isCut = line.length > maxLineBytes;
  return `${JSON.stringify({
    time: time.toISOString(),
    source,
    index: index === undefined ? undefined : cutText(index, MAX_NOTE_CHARACTERS),
    format,
    reason,
    message: cutText(message, MAX_NOTE_CHARACTERS),
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
