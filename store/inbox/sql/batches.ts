import { all, first, type Operation, type Session, type Value } from "../../sql/query.ts";
import { decodeBatchId, encodeBatchId } from "../ids.ts";
import { PageCursorError } from "../inbox.ts";
import type { BatchDetail, BatchFilter, Counts, Page, PageRequest, ReceivedBatch } from "../records.ts";
import { decodeAuth, parseRoutes } from "../stored-batch.ts";
import { readAttempts } from "./attempts.ts";
import { parseText } from "./dead-letters.ts";
import { deliveriesOf, readable, readDetails } from "./deliveries.ts";
import { type BatchPlace, type BatchRow, batchColumns, newestBatches } from "./rows/found-batches.ts";
import { type BodyRow, bodyBytes, bodyColumns, openBodies } from "./rows/stored-bodies.ts";

interface ListedRow extends BatchRow {
  /** Null when the body is missing. */
  readonly body_bytes: number | null;
}

interface FoundRow extends ListedRow {
  readonly claim_key: Uint8Array | null;
  readonly reply: Uint8Array | null;
  readonly auth: string | null;
}

const columns = `${batchColumns}, ${bodyBytes("o.")} AS body_bytes`;
const tables = "{batches} b LEFT JOIN {bodies} o ON o.batch_seq = b.seq";

export function* listBatches(
  session: Session,
  filter: BatchFilter,
  page: PageRequest,
): Operation<Page<ReceivedBatch>> {
  const { sql, params } = listQuery(filter, page);
  const found = yield* all<ListedRow>(sql, ...params);
  const rows = found.slice(0, page.limit);
  const counts = yield* countsOf(session, rows);
  const last = found.length > rows.length ? rows.at(-1) : undefined;
  return {
    items: rows.map((row) => toReceivedBatch(row, counts)),
    next: last === undefined ? null : `${last.accepted_at_ms}.${last.seq}`,
  };
}

/** Returns the query of a page and one row more. */
export function listQuery(
  filter: BatchFilter,
  { limit, after }: PageRequest,
): { readonly sql: string; readonly params: readonly Value[] } {
  const from = after === undefined ? undefined : { ...decodeCursor(after), isIncluded: false };
  return newestBatches(`SELECT ${columns} FROM ${tables}`, filter, { limit: limit + 1, from });
}

export function* findBatch(session: Session, batchId: string): Operation<BatchDetail | null> {
  const key = decodeBatchId(batchId);
  if (key === null) return null;
  const row = yield* first<FoundRow>(
    `SELECT ${columns}, b.claim_key, b.reply, b.auth FROM ${tables}
     WHERE b.seq = $1 AND b.accepted_at_ms = $2 AND b.in_flight_until_ms IS NULL`,
    key.seq,
    key.acceptedAtMs,
  );
  if (row === null) return null;
  const counts = yield* countsOf(session, [row]);
  const details = yield* readDetails(session, [row]);
  const stored = yield* first<BodyRow>(`SELECT ${bodyColumns} FROM {bodies} WHERE batch_seq = $1`, row.seq);
  const attemptsOf = yield* readAttempts(session, row.seq);
  const bodies = openBodies(stored === null ? [] : [stored]);
  const damage = bodies.damageOf(row.seq, []);
  return {
    ...toReceivedBatch(row, counts),
    body: damage === null ? bodies.bodyOf(row.seq) : null,
    damage,
    reply: row.reply ?? (yield* replyOfClaim(row)),
    auth: decodeAuth(row.auth),
    deliveries: deliveriesOf(row, details).map((delivery) => ({
      ...delivery,
      timeline: attemptsOf(delivery.index, delivery.target),
    })),
  };
}

/** Returns the reply of a batch of a version which kept it with its key only. */
function* replyOfClaim({ channel, claim_key, seq }: FoundRow): Operation<Uint8Array | null> {
  if (claim_key === null) return null;
  const claim = yield* first<{ reply: Uint8Array | null }>(
    "SELECT reply FROM {claims} WHERE channel = $1 AND claim_key = $2 AND batch_seq = $3",
    channel,
    claim_key,
    seq,
  );
  return claim?.reply ?? null;
}

/** The deliveries of batches which are not done, by `seq target`. */
interface OpenCounts {
  readonly pending: ReadonlyMap<string, number>;
  readonly dead: ReadonlyMap<string, number>;
}

interface CountRow {
  readonly batch_seq: number;
  readonly target: string;
  readonly count: number;
}

function* countsOf({ dialect }: Session, rows: readonly ListedRow[]): Operation<OpenCounts> {
  const seqs = JSON.stringify(rows.map(({ seq }) => seq));
  const group = `WHERE batch_seq IN ${dialect.integersOf("$1")} GROUP BY batch_seq, target`;
  const pending = yield* all<CountRow>(
    `SELECT batch_seq, target, SUM(element_count) AS count FROM {work} ${group}`,
    seqs,
  );
  const dead = yield* all<CountRow>(`SELECT batch_seq, target, COUNT(*) AS count FROM {dead} ${group}`, seqs);
  return { pending: byTarget(pending), dead: byTarget(dead) };
}

function byTarget(rows: readonly CountRow[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ batch_seq, target, count }) => [`${batch_seq} ${target}`, count]));
}

function toReceivedBatch(row: ListedRow, counts: OpenCounts): ReceivedBatch {
  const { seq, channel, accepted_at_ms: acceptedAtMs } = row;
  const targets = readable(() => parseRoutes(row.routes)).flatMap(({ target, indexes }): Counts[] => {
    const accepted = indexes.length;
    const dead = counts.dead.get(`${seq} ${target}`) ?? 0;
    const pending = counts.pending.get(`${seq} ${target}`) ?? 0;
    const delivered = accepted - dead - pending;
    return accepted === 0 ? [] : [{ channel, target, accepted, delivered, dead, pending }];
  });
  return {
    batchId: encodeBatchId({ seq, acceptedAtMs }),
    channel,
    requestId: parseText(row.request_id),
    acceptedAtMs,
    bodyBytes: row.body_bytes ?? 0,
    targets,
  };
}

/** Decodes `time.seq` of the last batch of the previous page. */
function decodeCursor(after: string): BatchPlace {
  const [, time = "", seq = ""] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? [];
  if (seq === "") throw new PageCursorError(`page cursor ${JSON.stringify(after)} is not one of this list`);
  return { acceptedAtMs: Number(time), seq: Number(seq) };
}
