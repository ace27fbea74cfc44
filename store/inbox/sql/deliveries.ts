import { all, first, type Operation, type Session } from "../../sql/query.ts";
import type { BatchElement } from "../batch.ts";
import { decodeDeliveryId, encodeBatchId, encodeDeliveryId } from "../ids.ts";
import { PageCursorError } from "../inbox.ts";
import { decodeIndexes } from "../index-set.ts";
import type { Delivery, DeliveryDetail, DeliveryFilter, Page, PageRequest } from "../records.ts";
import { parseRoutes, type StoredRoute } from "../stored-batch.ts";
import { readAttempts } from "./attempts.ts";
import { begunOf } from "./begin.ts";
import { type DeadRow, parseText } from "./dead-letters.ts";
import { parkedMs } from "./order.ts";
import {
  type BatchPlace,
  type BatchRow,
  batchColumns,
  findBatches,
  wholeBatch,
} from "./rows/found-batches.ts";
import { type BodyRow, bodyColumns, openBodies, readableElements } from "./rows/stored-bodies.ts";
import { type WorkRow, workColumns } from "./rows/work-rows.ts";

/** The rows which determine the state of the elements of some batches. */
export interface Details {
  readonly elements: ReadonlyMap<number, readonly BatchElement[]>;
  readonly work: ReadonlyMap<number, readonly WorkRow[]>;
  readonly dead: ReadonlyMap<number, readonly DeadRow[]>;
}

/** The maximum number of batches whose elements are read for a page: some milliseconds of work. */
const maxOpened = 100;

export function* listDeliveries(
  session: Session,
  filter: DeliveryFilter,
  { limit, after }: PageRequest,
): Operation<Page<Delivery>> {
  const cursor = after === undefined ? undefined : decodeCursor(after);
  const { rows, next } = yield* findBatches(session, filter, cursor?.batch, maxOpened + 1);
  const opened = rows.slice(0, maxOpened);
  const details = yield* readDetails(session, opened);
  const found: { readonly delivery: Delivery; readonly at: string }[] = [];
  for (const row of opened) {
    for (const [place, delivery] of deliveriesOf(row, details).entries()) {
      const isShown = row.seq !== cursor?.batch.seq || place > cursor.place;
      if (isShown && isDelivery(delivery, filter)) found.push({ delivery, at: encodeCursor(row, place) });
    }
  }
  const items = found.slice(0, limit).map(({ delivery }) => delivery);
  if (found.length > limit) return { items, next: found[limit - 1]!.at };
  const [last] = rows.length > maxOpened ? opened.slice(-1) : [];
  if (last !== undefined) return { items, next: encodeCursor(last, wholeBatch) };
  return { items, next: next === null ? null : `${next.acceptedAtMs}.${next.seq}.${next.place}` };
}

export function* findDelivery(session: Session, deliveryId: string): Operation<DeliveryDetail | null> {
  const key = decodeDeliveryId(deliveryId);
  if (key === null) return null;
  const row = yield* first<BatchRow>(
    `SELECT ${batchColumns} FROM {batches} b
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
  const bodies = openBodies(stored === null ? [] : [stored]);
  if (bodies.damageOf(row.seq, [key.index]) !== null) return null;
  const json = bodies.bodyOf(row.seq).slice(element.start, element.end);
  const receipt = json.subarray(element.receiptStart - element.start, element.receiptEnd - element.start);
  const attemptsOf = yield* readAttempts(session, row.seq, key);
  return { ...delivery, json, receipt, timeline: attemptsOf(key.index, key.target) };
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

function isDelivery(delivery: Delivery, { target, state, pushId, reason }: DeliveryFilter): boolean {
  return (
    (reason === undefined || (delivery.reason ?? "").includes(reason)) &&
    (target === undefined || delivery.target === target) &&
    (state === undefined || delivery.state === state) &&
    (pushId === undefined || delivery.pushId === pushId)
  );
}

/** The position after a delivery of a batch; with `wholeBatch`, after the batch. */
interface Cursor {
  readonly batch: BatchPlace;
  readonly place: number;
}

function encodeCursor(row: BatchRow, place: number): string {
  return `${row.accepted_at_ms}.${row.seq}.${place}`;
}

/** Decodes `time.seq.place`. */
function decodeCursor(after: string): Cursor {
  const [, time = "", seq = "", place = ""] = /^(\d{1,15})\.(\d{1,15})\.(-1|\d{1,9})$/.exec(after) ?? [];
  if (seq === "") throw new PageCursorError(`page cursor ${JSON.stringify(after)} is not one of this list`);
  return { batch: { acceptedAtMs: Number(time), seq: Number(seq) }, place: Number(place) };
}
