import { decodeTrace } from "../../../../base/trace/context.ts";
import type { BatchElement } from "../../batch.ts";
import { decodeElements } from "../../element-list.ts";
import { encodeBatchId, encodeDeliveryId, encodeToken } from "../../ids.ts";
import type { WorkElement, WorkItem } from "../../work.ts";
import { parseText } from "../dead-letters.ts";
import type { LeasedRow, LeasedRows } from "../lease.ts";

interface OpenedBody {
  readonly body: Uint8Array;
  readonly elements: ReadonlyMap<number, BatchElement>;
}

/** Converts leased rows to work items of the port; the elements are views of their batch's body. */
export function toWorkItems({ items, bodies, untilMs }: LeasedRows, leaseKey: number): WorkItem[] {
  const opened = new Map(
    bodies.map(({ batch_seq: seq, body, elements }) => {
      const byIndex = decodeElements(elements).map((element) => [element.index, element] as const);
      return [seq, { body, elements: new Map(byIndex) }] as const;
    }),
  );
  return items.map((row) => toWorkItem(row, opened.get(row.batch_seq)!, leaseKey, untilMs));
}

function toWorkItem(row: LeasedRow, opened: OpenedBody, leaseKey: number, untilMs: number): WorkItem {
  const batchId = encodeBatchId({ seq: row.batch_seq, acceptedAtMs: row.accepted_at_ms });
  return {
    token: encodeToken({ workId: row.id, leaseKey }),
    leaseUntilMs: untilMs,
    target: row.target,
    batchId,
    channel: row.channel,
    requestId: parseText(row.request_id),
    acceptedAtMs: row.accepted_at_ms,
    acceptedClockMs: row.clock_ms,
    attempt: row.attempt + 1,
    isSuspect: row.suspect === 1,
    lastReason: row.reason,
    replay: row.replay,
    trace: decodeTrace(row.trace),
    elements: row.indexes.map((index) => toWorkElement(index, opened, batchId, row.target)),
  };
}

function toWorkElement(
  index: number,
  { body, elements }: OpenedBody,
  batchId: string,
  target: string,
): WorkElement {
  const { pushId, start, end, receiptStart, receiptEnd } = elements.get(index)!;
  const json = body.subarray(start, end);
  const receipt = json.subarray(receiptStart - start, receiptEnd - start);
  return { deliveryId: encodeDeliveryId(batchId, index, target), index, pushId, json, receipt };
}
