import type { BatchResponse, SeenBatch } from "../../services/webhook/inspect/inspect.ts";

/** The configured response to valid batches. */
export interface ConfiguredResponse {
  /** Indexes to report as failed, counted from 1. They need not exist. */
  readonly fail: readonly number[];
  readonly returnCode: number;
  readonly status: number;
  readonly isEmpty: boolean;
}

/** Refuses batches that no receiver may accept, reports invalid elements, and otherwise responds as configured. */
export function configuredResponse(
  batch: SeenBatch,
  { fail, returnCode, status, isEmpty }: ConfiguredResponse,
): BatchResponse {
  const { refusal, messages } = batch;
  if (refusal !== undefined) {
    const text = JSON.stringify({ return_code: 1, return_message: refusal.message });
    return { status: refusal.status, text };
  }
  if (isEmpty) return { status, text: "" };
  const failed = new Map(fail.map((index) => [index, "failed as configured"]));
  for (const { index, fault } of messages) if (fault !== undefined) failed.set(index, fault);
  const failList = [...failed].sort(([a], [b]) => a - b).map(([index, message]) => ({ index, message }));
  const returnMessage = returnCode === 0 ? "success" : "failed as configured";
  const data = { fail_list: failList };
  return {
    status,
    text: JSON.stringify({ return_code: returnCode, return_message: returnMessage, data }),
  };
}
