import type { DeadLetterBatch } from "../../store/deadletters/deadletters.ts";

const lf = 0x0a;

/** A record that was refused when it was stored. */
export interface RefusedRecord {
  readonly reason: string;
  readonly message: string;
  /** The place, such as `a.ndjson:12`; undefined unless it is needed. */
  readonly place: string | undefined;
  /** The record, or the line without one. */
  readonly data: string | Uint8Array;
}

interface DeadLetterLine {
  readonly reason: string;
  readonly message: string;
  readonly index?: string;
  readonly line?: string;
  readonly line_base64?: string;
}

/** Reads the refused records of dead letters, in their order. */
export function* readDeadLetters({ ndjson }: DeadLetterBatch): Generator<RefusedRecord> {
  for (let start = 0; start < ndjson.length; ) {
    const end = ndjson.indexOf(lf, start);
    yield refusedOf(JSON.parse(Buffer.from(ndjson.subarray(start, end)).toString("utf8")) as DeadLetterLine);
    start = end + 1;
  }
}

/** Matches a line of the spool that the import has written for a text that is not JSON. */
const spoolLine = /^\{"b":(.*),"p":\d+,"r":\d+(?:,"i":("(?:[^"\\]|\\.)*"))?(?:,"#crc":"[^"]*")?\}$/s;

function refusedOf({ reason, message, index, line, line_base64 }: DeadLetterLine): RefusedRecord {
  const data = line ?? Buffer.from(line_base64 ?? "", "base64");
  if (reason !== "bad_line") return { reason, message, place: index, data };
  // Each character is a byte here, since the line need not be UTF-8.
  const bytes = Buffer.from(data).toString("latin1");
  const [, text, place] = spoolLine.exec(bytes) ?? [];
  return {
    reason,
    // The message describes the line of the file, since the import itself wrote the line of the spool.
    message: "it is no JSON",
    place: place === undefined ? undefined : (JSON.parse(Buffer.from(place, "latin1").toString()) as string),
    data: text === undefined ? data : Buffer.from(text, "latin1"),
  };
}
