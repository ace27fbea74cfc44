import { all, type Operation, type Session, type Value } from "../../../sql/query.ts";
import { decodeBatchId } from "../../ids.ts";
import type { BatchFilter, DeliveryFilter } from "../../records.ts";

/** The place of a batch in lists, which are by time of acceptance, then by number. */
export interface BatchPlace {
  readonly acceptedAtMs: number;
  readonly seq: number;
}

export interface BatchRow {
  readonly seq: number;
  readonly channel: string;
  readonly request_id: string | null;
  readonly accepted_at_ms: number;
  readonly routes: string;
}

/** A place after all deliveries of a batch. */
export const wholeBatch = 999_999_999;

export const batchColumns = "b.seq, b.channel, b.request_id, b.accepted_at_ms, b.routes";

export interface BatchPage {
  readonly limit: number;
  /** The page begins with this batch, or with the one after it. */
  readonly from?: (BatchPlace & { readonly isIncluded: boolean }) | undefined;
}

/**
 * Returns a query of batches, the newest first, which reads an index in its order.
 * @param select what is selected of `{batches} b`, up to WHERE
 */
export function newestBatches(
  select: string,
  { channel, requestId, batchId, fromMs, toMs }: BatchFilter & { readonly batchId?: string },
  { limit, from }: BatchPage,
): { readonly sql: string; readonly params: readonly Value[] } {
  const batch = batchId === undefined ? undefined : decodeBatchId(batchId);
  const conditions: readonly (readonly [string, Value | undefined])[] = [
    ["b.seq =", batch === null ? -1 : batch?.seq],
    ["b.accepted_at_ms =", batch?.acceptedAtMs],
    ["b.request_id =", requestId === undefined ? undefined : JSON.stringify(requestId)],
    ["b.channel =", channel],
    ["b.accepted_at_ms >=", fromMs],
    ["b.accepted_at_ms <", toMs],
  ];
  const params: Value[] = [];
  const param = (value: Value): string => `$${params.push(value)}`;
  const where = conditions.flatMap(([text, value]) =>
    value === undefined ? [] : [`AND ${text} ${param(value)}`],
  );
  if (from !== undefined) {
    const comparator = from.isIncluded ? "<=" : "<";
    const place = `(${param(from.acceptedAtMs)}, ${param(from.seq)})`;
    where.push(`AND (b.accepted_at_ms, b.seq) ${comparator} ${place}`);
  }
  const sql = `${select} WHERE b.in_flight_until_ms IS NULL ${where.join(" ")}
    ORDER BY b.accepted_at_ms DESC, b.seq DESC LIMIT ${param(limit)}`;
  return { sql, params };
}

/** Batches which may have deliveries that a filter selects. */
export interface FoundBatches {
  readonly rows: readonly BatchRow[];
  /** The list continues after the delivery with this place in a batch; null at the end. */
  readonly next: (BatchPlace & { readonly place: number }) | null;
}

/** The maximum numbers of batches and of rows of deliveries that a page reads: some milliseconds of work. */
const maxBatches = 2_000;
const maxRows = 5_000;

/**
 * Finds batches for a page of deliveries, at most `limit` unless a push id or a row of a delivery
 * selects them.
 */
export function* findBatches(
  session: Session,
  filter: DeliveryFilter,
  from: BatchPlace | undefined,
  limit: number,
): Operation<FoundBatches> {
  const { state, reason, pushId, batchId, requestId } = filter;
  const isByRow = (state !== undefined && state !== "delivered") || reason !== undefined;
  if (isByRow && batchId === undefined && requestId === undefined) {
    return yield* findByRows(session, filter, from);
  }
  const page = {
    limit: pushId === undefined ? limit : maxBatches,
    from: from && { ...from, isIncluded: true },
  };
  const { sql, params } = deliveriesQuery(filter, page);
  const rows = yield* all<BatchRow>(sql, ...params);
  const last = rows.length === page.limit ? rows.at(-1) : undefined;
  const next =
    last === undefined ? null : { acceptedAtMs: last.accepted_at_ms, seq: last.seq, place: wholeBatch };
  return { rows: yield* withPushId(session, rows, pushId), next };
}

/** Returns the query of batches which have no rows of deliveries. */
export function deliveriesQuery(filter: DeliveryFilter, page: BatchPage): ReturnType<typeof newestBatches> {
  return newestBatches(`SELECT ${batchColumns} FROM {batches} b`, filter, page);
}

interface DeliveryRow {
  readonly batch_seq: number;
  readonly channel: string;
  readonly target: string;
  readonly reason: string | null;
}

/** Finds batches by their rows of work and of dead letters, in the order of acceptance. */
function* findByRows(
  session: Session,
  filter: DeliveryFilter,
  from: BatchPlace | undefined,
): Operation<FoundBatches> {
  const { state } = filter;
  const startSeq = from?.seq ?? Number.MAX_SAFE_INTEGER;
  const tables = state === "dead" ? ["{dead}"] : ["{work}"];
  if (state === undefined || state === "delivered") tables.push("{dead}");
  const seqs = new Set<number>();
  let readTo = 0;
  for (const table of tables) {
    const rows = yield* all<DeliveryRow>(rowsQuery(table), startSeq, maxRows);
    for (const row of rows) if (isSelected(row, filter)) seqs.add(row.batch_seq);
    if (rows.length === maxRows) readTo = Math.max(readTo, rows.at(-1)!.batch_seq);
  }
  // Of the last batch some rows may not have been read.
  if (readTo > 0) seqs.add(readTo);
  const wanted = [...seqs].filter((seq) => seq >= readTo);
  const found = yield* all<BatchRow>(
    `SELECT ${batchColumns} FROM {batches} b WHERE b.seq IN ${session.dialect.integersOf("$1")}
     ORDER BY b.seq DESC`,
    JSON.stringify(wanted),
  );
  const rows = found.filter((row) => isInTime(row, filter));
  const next = readTo > 1 ? { acceptedAtMs: 0, seq: readTo - 1, place: -1 } : null;
  return { rows: yield* withPushId(session, rows, filter.pushId), next };
}

/** Returns the query of rows of deliveries from a batch on, the newest batch first. */
export function rowsQuery(table: string): string {
  return `SELECT batch_seq, channel, target, reason FROM ${table}
     WHERE batch_seq <= $1 ORDER BY batch_seq DESC LIMIT $2`;
}

function isSelected(row: DeliveryRow, { channel, target, reason }: DeliveryFilter): boolean {
  return (
    (channel === undefined || row.channel === channel) &&
    (target === undefined || row.target === target) &&
    (reason === undefined || (row.reason ?? "").includes(reason))
  );
}

function isInTime({ accepted_at_ms: acceptedAtMs }: BatchRow, { fromMs, toMs }: DeliveryFilter): boolean {
  return acceptedAtMs >= (fromMs ?? 0) && acceptedAtMs < (toMs ?? Number.POSITIVE_INFINITY);
}

/** Leaves out batches whose list of elements does not contain the push id. */
function* withPushId(
  { dialect }: Session,
  rows: readonly BatchRow[],
  pushId: string | undefined,
): Operation<readonly BatchRow[]> {
  if (pushId === undefined) return rows;
  const found = yield* all<{ batch_seq: number }>(
    `SELECT batch_seq FROM {bodies} WHERE batch_seq IN ${dialect.integersOf("$1")}
       AND (${dialect.containsBytes("elements", "$2")} OR ${dialect.containsBytes("elements", "$3")})`,
    JSON.stringify(rows.map(({ seq }) => seq)),
    Buffer.from(pushId),
    // The form of lists with texts that are not Unicode.
    Buffer.from(pushId, "utf16le"),
  );
  const seqs = new Set(found.map((row) => row.batch_seq));
  return rows.filter(({ seq }) => seqs.has(seq));
}
