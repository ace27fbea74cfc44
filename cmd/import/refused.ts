import type { DeadLetterBatch } from "../../store/deadletters/deadletters.ts";

const lf = 0x0a;

/** A record that was refused while it was stored. */
export interface RefusedRecord {
  readonly reason: string;
  readonly message: string;
  /** Such as `a.ndjson:12`; undefined unless it is needed. */
  readonly place: string | undefined;
  /** The record, or the line that holds none. */
  readonly data: string | Uint8Array;
}

interface Letter {
  readonly reason: string;
  readonly message: string;
  readonly index?: string;
  readonly line?: string;
  readonly line_base64?: string;
}

/** The refused records of dead letters, in their order. */
export function* readLetters({ ndjson }: DeadLetterBatch): Generator<RefusedRecord> {
  for (let start = 0; start < ndjson.length; ) {
    const end = ndjson.indexOf(lf, start);
    yield refusedOf(JSON.parse(Buffer.from(ndjson.subarray(start, end)).toString("utf8")) as Letter);
    start = end + 1;
  }
}

/** The line of the spool around a text that is no JSON, which the import wrote itself. */
const spoolLine = /^\{"b":(.*),"p":\d+,"r":\d+(?:,"i":("(?:[^"\\]|\\.)*"))?(?:,"#crc":"[^"]*")?\}$/s;

function refusedOf({ reason, message, index, line, line_base64 }: Letter): RefusedRecord {
  const data = line ?? Buffer.from(line_base64 ?? "", "base64");
  if (reason !== "bad_line") return { reason, message, place: index, data };
  // As bytes, of which each is a character here, since the line need not be UTF-8.
  const bytes = Buffer.from(data).toString("latin1");
  const [, text, place] = spoolLine.exec(bytes) ?? [];
  return {
    reason,
    // The spool is the import's own; what was wrong is the line of the file.
    message: "it is no JSON",
    place: place === undefined ? undefined : (JSON.parse(Buffer.from(place, "latin1").toString()) as string),
    data: text === undefined ? data : Buffer.from(text, "latin1"),
  };
}
