import { all, first, type Operation, type Session } from "../../sql/query.ts";
import type { BatchElement } from "../batch.ts";
import { decodeBatchId, decodeDeliveryId, encodeBatchId, encodeDeliveryId } from "../ids.ts";
import { PageCursorError } from "../inbox.ts";
import { decodeIndexes } from "../index-set.ts";
import type { Delivery, DeliveryDetail, DeliveryFilter, Page, PageRequest } from "../records.ts";
import { parseRoutes, type StoredRoute } from "../stored-batch.ts";
import { readAttempts } from "./attempts.ts";
import { begunOf } from "./begin.ts";
import { type DeadRow, parseText } from "./dead-letters.ts";
import { parkedMs } from "./order.ts";
import { type BodyRow, bodyColumns, createDamageOf, readableElements } from "./rows/stored-bodies.ts";
import { type WorkRow, workColumns } from "./rows/work-rows.ts";

export interface BatchRow {
  readonly seq: number;
  readonly channel: string;
  readonly request_id: string | null;
  readonly accepted_at_ms: number;
  readonly routes: string;
}

/** The rows which determine the state of the elements of some batches. */
export interface Details {
  readonly elements: ReadonlyMap<number, readonly BatchElement[]>;
  readonly work: ReadonlyMap<number, readonly WorkRow[]>;
  readonly dead: ReadonlyMap<number, readonly DeadRow[]>;
}

const batchColumns = "seq, channel, request_id, accepted_at_ms, routes";

/** The maximum number of batches read for a page, and of those whose elements are read: some milliseconds of work. */
const maxScanned = 500;
const maxOpened = 100;

export function* listDeliveries(
  session: Session,
  filter: DeliveryFilter,
  { limit, after }: PageRequest,
): Operation<Page<Delivery>> {
  const cursor = decodeCursor(after);
  const batches = yield* findBatches(session, filter, cursor.seq);
  const isWanted = (row: BatchRow): boolean => isMatching(row, filter);
  const opened = batches.filter(isWanted).slice(0, maxOpened);
  const details = yield* readDetails(session, opened);
  const found: { readonly delivery: Delivery; readonly at: string }[] = [];
  for (const row of opened) {
    for (const [place, delivery] of deliveriesOf(row, details).entries()) {
      const isShown = row.seq < cursor.seq || place > cursor.place;
      if (isShown && isDelivery(delivery, filter)) found.push({ delivery, at: `${row.seq}.${place}` });
    }
  }
  const items = found.slice(0, limit).map(({ delivery }) => delivery);
  if (found.length > limit) return { items, next: found[limit - 1]!.at };
  const isMore = opened.length === maxOpened || batches.length === maxScanned;
  const last = opened.length === maxOpened ? opened.at(-1) : batches.at(-1);
  return { items, next: isMore && last !== undefined ? `${last.seq}.end` : null };
}

export function* findDelivery(session: Session, deliveryId: string): Operation<DeliveryDetail | null> {
  const key = decodeDeliveryId(deliveryId);
  if (key === null) return null;
  const row = yield* first<BatchRow>(
    `SELECT ${batchColumns} FROM {batches}
     WHERE seq = $1 AND accepted_at_ms = $2 AND in_flight_until_ms IS NULL`,
    key.batch.seq,
    key.batch.acceptedAtMs,
  );
  if (row === null) return null;
  const details = yield* readDetails(session, [row]);
  const delivery = deliveriesOf(row, details).find((known) => known.deliveryId === deliveryId);
  const element = details.elements.get(row.seq)?.find(({ index }) => index === key.index);
  if (delivery === undefined || element === undefined) return null;
  const stored = yield* first<BodyRow>(`SELECT ${bodyColumns} FROM {bodies} WHERE batch_seq = $1`, row.seq);
  if (stored === null || createDamageOf([stored])(row.seq, [key.index]) !== null) return null;
  const json = stored.body.slice(element.start, element.end);
  const receipt = json.subarray(element.receiptStart - element.start, element.receiptEnd - element.start);
  const attemptsOf = yield* readAttempts(session, row.seq, key);
  return { ...delivery, json, receipt, timeline: attemptsOf(key.index, key.target) };
}

/** Reads batches, newest first. For a state with rows of its own, only batches which have such rows. */
function* findBatches(
  { dialect }: Session,
  { state, batchId }: DeliveryFilter,
  fromSeq: number,
): Operation<readonly BatchRow[]> {
  const only = batchId === undefined ? undefined : (decodeBatchId(batchId)?.seq ?? -1);
  const newest = only === undefined ? fromSeq : Math.min(fromSeq, only);
  const oldest = only ?? 0;
  if (state === undefined || state === "delivered") {
    return yield* all<BatchRow>(
      `SELECT ${batchColumns} FROM {batches} WHERE seq <= $1 AND seq >= $2
       AND in_flight_until_ms IS NULL ORDER BY seq DESC LIMIT ${maxScanned}`,
      newest,
      oldest,
    );
  }
  const having = yield* all<{ batch_seq: number }>(
    `SELECT DISTINCT batch_seq FROM ${state === "dead" ? "{dead}" : "{work}"}
     WHERE batch_seq <= $1 AND batch_seq >= $2 ORDER BY batch_seq DESC LIMIT ${maxScanned}`,
    newest,
    oldest,
  );
  return yield* all<BatchRow>(
    `SELECT ${batchColumns} FROM {batches} WHERE seq IN ${dialect.integersOf("$1")} ORDER BY seq DESC`,
    JSON.stringify(having.map((row) => row.batch_seq)),
  );
}

export function* readDetails({ dialect }: Session, batches: readonly BatchRow[]): Operation<Details> {
  const seqs = JSON.stringify(batches.map(({ seq }) => seq));
  const isIn = `batch_seq IN ${dialect.integersOf("$1")}`;
  const stored = yield* all<{ batch_seq: number; elements: Uint8Array }>(
    `SELECT batch_seq, elements FROM {bodies} WHERE ${isIn}`,
    seqs,
  );
  const work = yield* all<WorkRow>(`SELECT ${workColumns} FROM {work} w WHERE w.${isIn}`, seqs);
  const dead = yield* all<DeadRow>(
    `SELECT batch_seq, element_index, target, reason, attempts FROM {dead} WHERE ${isIn}`,
    seqs,
  );
  return {
    elements: new Map(stored.map((row) => [row.batch_seq, readableElements(row.elements)])),
    work: Map.groupBy(work, (row) => row.batch_seq),
    dead: Map.groupBy(dead, (row) => row.batch_seq),
  };
}

/** Returns the deliveries of a batch, by element, then by target. */
export function deliveriesOf(row: BatchRow, details: Details): Delivery[] {
  const batchId = encodeBatchId({ seq: row.seq, acceptedAtMs: row.accepted_at_ms });
  const work = (details.work.get(row.seq) ?? []).flatMap((piece) =>
    readable(() => decodeIndexes(piece.element_indexes)).map(
      (index) => [`${index} ${piece.target}`, piece] as const,
    ),
  );
  const working = new Map<string, WorkRow>(work);
  const dead = new Map<string, DeadRow>(
    (details.dead.get(row.seq) ?? []).map((letter) => [`${letter.element_index} ${letter.target}`, letter]),
  );
  const routes = readable((): readonly StoredRoute[] => parseRoutes(row.routes)).map(
    ({ target, indexes }) => ({
      target,
      routed: new Set(indexes),
    }),
  );
  return (details.elements.get(row.seq) ?? []).flatMap(({ index, pushId }) =>
    routes.flatMap(({ target, routed }) => {
      if (!routed.has(index)) return [];
      const key = `${index} ${target}`;
      const state = stateOf(index, working.get(key), dead.get(key));
      const deliveryId = encodeDeliveryId(batchId, index, target);
      const requestId = parseText(row.request_id);
      const { channel, accepted_at_ms: acceptedAtMs } = row;
      return { deliveryId, batchId, channel, target, requestId, index, pushId, acceptedAtMs, ...state };
    }),
  );
}

/** Returns an empty list for a damaged row. Lists omit what it holds; it becomes a dead letter when it is leased. */
export function readable<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

function stateOf(
  index: number,
  work: WorkRow | undefined,
  dead: DeadRow | undefined,
): Pick<Delivery, "state" | "attempts" | "reason" | "dueAtMs"> {
  if (work !== undefined) {
    const dueAtMs = work.due_at_ms === parkedMs ? null : work.due_at_ms;
    return {
      state: work.leased > 0 ? "leased" : "pending",
      attempts: work.attempt + (begunOf(work).has(index) ? 1 : 0),
      reason: work.reason,
      dueAtMs,
    };
  }
  if (dead === undefined) return { state: "delivered", attempts: null, reason: null, dueAtMs: null };
  return { state: "dead", attempts: dead.attempts, reason: dead.reason, dueAtMs: null };
}

function isMatching(row: BatchRow, { channel, requestId, batchId, fromMs, toMs }: DeliveryFilter): boolean {
  const { seq, accepted_at_ms: acceptedAtMs } = row;
  return (
    (channel === undefined || row.channel === channel) &&
    (requestId === undefined || parseText(row.request_id) === requestId) &&
    (batchId === undefined || encodeBatchId({ seq, acceptedAtMs }) === batchId) &&
    acceptedAtMs >= (fromMs ?? 0) &&
    acceptedAtMs < (toMs ?? Number.POSITIVE_INFINITY)
  );
}

function isDelivery(delivery: Delivery, { target, state, pushId }: DeliveryFilter): boolean {
  return (
    (target === undefined || delivery.target === target) &&
    (state === undefined || delivery.state === state) &&
    (pushId === undefined || delivery.pushId === pushId)
  );
}

/** Decodes `seq.place`, the position after that delivery of the batch, or `seq.end`, after the whole batch. */
function decodeCursor(after: string | undefined): { readonly seq: number; readonly place: number } {
  if (after === undefined) return { seq: Number.MAX_SAFE_INTEGER, place: -1 };
  const [, seq = "", place = ""] = /^(\d{1,15})\.(\d{1,9}|end)$/.exec(after) ?? [];
  if (seq === "") throw new PageCursorError(`page cursor ${JSON.stringify(after)} is not one of this list`);
  return place === "end" ? { seq: Number(seq) - 1, place: -1 } : { seq: Number(seq), place: Number(place) };
}
