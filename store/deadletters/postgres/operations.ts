import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import { wholeLines } from "../queue.ts";
import { count, find, get, groups, remove } from "./list-operations.ts";

/** The dead letters that a process writes in one statement. */
export interface DeadLetterWrite {
  readonly list: string;
  /** Identifies the process. */
  readonly writer: number;
  /** Counts the writes of the process. A write with the number of a former one is that one, repeated. */
  readonly number: number;
  /** Lines, each with its LF. */
  readonly ndjson: Uint8Array;
  /** A part which would exceed this size is followed by another one. */
  readonly maxBytes: number;
}

interface Part {
  readonly part: number;
  readonly bytes: number;
}

/** Rows which one transaction deletes. */
const maxDeleted = 5_000;

/** Appends dead letters to a list once, and returns its part in use. Other processes wait until the commit. */
export function* append({ dialect }: Session, write: DeadLetterWrite): Operation<number> {
  const { list, ndjson, maxBytes } = write;
  yield* run("INSERT INTO {lists} (list, part, bytes) VALUES ($1, 1, 0) ON CONFLICT DO NOTHING", list);
  const found = (yield* first<Part>(
    `SELECT part, bytes FROM {lists} WHERE list = $1 ${dialect.forUpdate}`,
    list,
  ))!;
  if (!(yield* begin(write))) return found.part;
  let { part, bytes } = found;
  for (let written = 0; written < ndjson.length; ) {
    const left = ndjson.subarray(written);
    const length = wholeLines(left, maxBytes - bytes, bytes === 0);
    if (length > 0) {
      yield* insert(list, part, left.subarray(0, length));
      written += length;
      bytes += length;
    } else {
      part++;
      bytes = 0;
    }
  }
  yield* run("UPDATE {lists} SET part = $1, bytes = $2 WHERE list = $3", part, bytes, list);
  return part;
}

/**
 * Deletes some dead letters of the parts before one, and processes that have written nothing for a day. Returns false
 * at the end.
 */
export function* prune(_session: Session, list: string, part: number): Operation<boolean> {
  yield* run("DELETE FROM {writers} WHERE list = $1 AND written < now() - interval '1 day'", list);
  const deleted = yield* all(
    `DELETE FROM {deadletters} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM {deadletters} WHERE list = $1 AND part < $2 ORDER BY part, number LIMIT $3
       FOR UPDATE SKIP LOCKED)) RETURNING 1 AS deleted`,
    list,
    part,
    maxDeleted,
  );
  return deleted.length === maxDeleted;
}

/** Notes the number of a write. Returns false when it has been stored already. */
function* begin({ list, writer, number }: DeadLetterWrite): Operation<boolean> {
  const begun = yield* first(
    `INSERT INTO {writers} AS known (list, writer, number, written) VALUES ($1, $2, $3, now())
     ON CONFLICT (list, writer) DO UPDATE SET number = excluded.number, written = excluded.written
       WHERE known.number < excluded.number
     RETURNING number`,
    list,
    writer,
    number,
  );
  return begun !== null;
}

function* insert(list: string, part: number, lines: Uint8Array): Operation<void> {
  const text = Buffer.from(lines.subarray(0, -1)).toString();
  yield* run(
    `INSERT INTO {deadletters} (list, part, content)
     SELECT $1, $2::bigint, line::json
     FROM unnest(string_to_array($3, E'\\n')) WITH ORDINALITY AS lines (line, at) ORDER BY at`,
    list,
    part,
    text,
  );
}

/** All operations; those of `list-operations.ts` read and remove what is stored. */
export const operations = { append, count, find, get, groups, prune, remove };
