import { all, type Dialect, insertAll, type Operation, type Session, type Value } from "../../sql/query.ts";
import { toStorableText } from "../../sql/values.ts";
import type { BatchElement } from "../batch.ts";
import { decodeBatchId, decodeDeliveryId, encodeBatchId, encodeDeliveryId } from "../ids.ts";
import { PageCursorError } from "../inbox.ts";
import type { DeadLetter, DeadLetterFilter, DeadLetterGroups, OrderedPageRequest, Page } from "../records.ts";

/** A dead letter's row. `push_id` and `request_id` are JSON texts, which can contain what a database's text can't. */
export interface DeadRow {
  readonly id: number;
  readonly batch_seq: number;
  readonly element_index: number;
  readonly channel: string;
  readonly target: string;
  readonly push_id: string;
  readonly reason: string;
  readonly attempts: number;
  readonly accepted_at_ms: number;
  readonly died_at_ms: number;
}

/** The common fields of dead letters of one batch and target. */
export interface DeadItem {
  readonly batchSeq: number;
  readonly channel: string;
  readonly target: string;
  readonly attempts: number;
  readonly acceptedAtMs: number;
  /** The time by the computer's clock. */
  readonly diedAtMs: number;
}

export function* insertDeadLetters(
  { nowMs }: Session,
  { batchSeq, channel, target, attempts, acceptedAtMs, diedAtMs }: DeadItem,
  elements: readonly BatchElement[],
  dead: readonly { readonly index: number; readonly reason: string }[],
): Operation<void> {
  const pushIds = new Map(elements.map(({ index, pushId }) => [index, pushId]));
  yield* insertAll(
    `INSERT INTO {dead} (batch_seq, element_index, channel, target, push_id, reason, attempts,
       accepted_at_ms, died_at_ms, kept_from_ms)`,
    dead.map(({ index, reason }) => {
      const pushId = JSON.stringify(pushIds.get(index) ?? "");
      const why = toStorableText(reason);
      return [batchSeq, index, channel, target, pushId, why, attempts, acceptedAtMs, diedAtMs, nowMs];
    }),
  );
}

export function* listDeadLetters(
  { dialect }: Session,
  filter: DeadLetterFilter,
  { limit, after, order = "newest" }: OrderedPageRequest,
): Operation<Page<DeadLetter>> {
  const { where, params } = whereOf(filter, dialect);
  const isNewest = order === "newest";
  const start = isNewest ? Number.MAX_SAFE_INTEGER : 0;
  const place = after === undefined ? start : decodeCursor(after);
  const at = params.length;
  const rows = yield* all<ListedRow>(
    `SELECT ${listedColumns}
     FROM {dead} d LEFT JOIN {batches} b ON b.seq = d.batch_seq
     WHERE ${where} AND d.id ${isNewest ? "<" : ">"} $${at + 1}
     ORDER BY d.id ${isNewest ? "DESC" : "ASC"} LIMIT $${at + 2}`,
    ...params,
    place,
    limit + 1,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { items: rows.slice(0, limit).map(toDeadLetter), next: last === undefined ? null : `${last.id}` };
}

/** A dead letter's row with the platform's id of its batch. */
export type ListedRow = DeadRow & { readonly request_id: string | null };

/** The columns of a ListedRow, of `{dead} d` and `{batches} b`. */
const listedColumns = `d.id, d.batch_seq, d.element_index, d.channel, d.target, d.push_id, d.reason, d.attempts,
       d.accepted_at_ms, d.died_at_ms, b.request_id`;

/** The number of dead letters that are counted, about 0.1 s. */
const maxCounted = 100_000;
const maxGroups = 1_000;

interface GroupRow extends ListedRow {
  readonly count: number;
  readonly oldest: number;
  readonly newest: number;
}

/** Counts the newest dead letters by channel, target and reason. */
export function* groupDeadLetters(_session: Session): Operation<DeadLetterGroups> {
  const rows = yield* all<GroupRow>(
    `SELECT g.count, g.oldest, g.newest, ${listedColumns}
     FROM (SELECT COUNT(*) AS count, MIN(n.died_at_ms) AS oldest, MAX(n.died_at_ms) AS newest, MAX(n.id) AS id
       FROM (SELECT id, channel, target, reason, died_at_ms FROM {dead} ORDER BY id DESC LIMIT $1) AS n
       GROUP BY n.channel, n.target, n.reason) AS g
     JOIN {dead} d ON d.id = g.id LEFT JOIN {batches} b ON b.seq = d.batch_seq
     ORDER BY g.count DESC, d.id DESC LIMIT $2`,
    maxCounted,
    maxGroups,
  );
  const counted = rows.reduce((sum, { count }) => sum + count, 0);
  return {
    groups: rows.map((row) => ({
      channel: row.channel,
      target: row.target,
      reason: row.reason,
      count: row.count,
      oldestMs: row.oldest,
      newestMs: row.newest,
      example: toDeadLetter(row),
    })),
    isComplete: counted < maxCounted && rows.length < maxGroups,
  };
}

/** Returns conditions on `{dead} d`, with parameters from `$1`. */
export function whereOf(
  filter: DeadLetterFilter,
  dialect: Dialect,
): { where: string; params: readonly Value[] } {
  const delivery = filter.deliveryId === undefined ? undefined : decodeDeliveryId(filter.deliveryId);
  const batch = filter.batchId === undefined ? undefined : decodeBatchId(filter.batchId);
  const { reason, wholeReason, requestId } = filter;
  const conditions: readonly (readonly [string, Value | undefined])[] = [
    ["d.channel =", filter.channel],
    ["d.target =", filter.target],
    ["d.reason =", wholeReason === undefined ? undefined : toStorableText(wholeReason)],
    ["d.push_id =", filter.pushId === undefined ? undefined : JSON.stringify(filter.pushId)],
    ["d.died_at_ms >=", filter.fromMs],
    ["d.died_at_ms <", filter.toMs],
    ["d.accepted_at_ms >=", filter.acceptedFromMs],
    ["d.accepted_at_ms <", filter.acceptedToMs],
    ["d.batch_seq =", batch === null ? -1 : batch?.seq],
    ["d.accepted_at_ms =", batch?.acceptedAtMs],
    ["d.batch_seq =", delivery === null ? -1 : delivery?.batch.seq],
    ["d.accepted_at_ms =", delivery?.batch.acceptedAtMs],
    ["d.element_index =", delivery?.index],
    ["d.target =", delivery?.target],
  ];
  const given = conditions.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
  const params: Value[] = given.map(({ value }) => value);
  const where = ["d.id > 0", ...given.map(({ text }, i) => `${text} $${i + 1}`)];
  if (reason !== undefined) {
    where.push(dialect.containsText("d.reason", `$${params.push(toStorableText(reason))}`));
  }
  if (requestId !== undefined) {
    const param = `$${params.push(JSON.stringify(requestId))}`;
    where.push(`d.batch_seq IN (SELECT seq FROM {batches} WHERE request_id = ${param})`);
  }
  return { where: where.join(" AND "), params };
}

export function toDeadLetter(row: ListedRow): DeadLetter {
  const batchId = encodeBatchId({ seq: row.batch_seq, acceptedAtMs: row.accepted_at_ms });
  return {
    deliveryId: encodeDeliveryId(batchId, row.element_index, row.target),
    batchId,
    channel: row.channel,
    target: row.target,
    requestId: parseText(row.request_id),
    index: row.element_index,
    pushId: parseText(row.push_id) ?? "",
    reason: row.reason,
    attempts: row.attempts,
    acceptedAtMs: row.accepted_at_ms,
    diedAtMs: row.died_at_ms,
  };
}

/** Decodes a text stored as JSON; a damaged one is returned unchanged. */
export function parseText(json: string | null): string | null {
  if (json === null) return null;
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === "string" ? text : json;
  } catch {
    return json;
  }
}

/** @throws PageCursorError */
export function decodeCursor(after: string): number {
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw new PageCursorError(`page cursor ${JSON.stringify(after)} is not one of this list`);
}
