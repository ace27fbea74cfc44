import type { Answer, SeenBatch } from "./batch.ts";

/** How good batches are answered. */
export interface ToldAnswer {
  /** Indexes to name as failed, counted from 1; also such that there are not. */
  readonly fail: readonly number[];
  readonly returnCode: number;
  readonly status: number;
  readonly isEmpty: boolean;
}

/** Refuses what no receiver may take, names faulty elements, and otherwise answers as told. */
export function answerOf(batch: SeenBatch, { fail, returnCode, status, isEmpty }: ToldAnswer): Answer {
  const { refusal, messages } = batch;
  if (refusal !== undefined) {
    const text = JSON.stringify({ return_code: 1, return_message: refusal.message });
    return { status: refusal.status, text };
  }
  if (isEmpty) return { status, text: "" };
  const told = new Map(fail.map((index) => [index, "failed as told"]));
  for (const { index, fault } of messages) if (fault !== undefined) told.set(index, fault);
  const failList = [...told].sort(([a], [b]) => a - b).map(([index, message]) => ({ index, message }));
  const returnMessage = returnCode === 0 ? "success" : "failed as told";
  const data = { fail_list: failList };
  return {
    status,
    text: JSON.stringify({ return_code: returnCode, return_message: returnMessage, data }),
  };
}
