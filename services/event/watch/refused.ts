import type { RefusedLine } from "../ingest/refused-records.ts";
import { createSampler, outcomeOf } from "./sample.ts";
import type { RecordSource } from "./seen-record.ts";
import type { RecordWatches } from "./watch.ts";

/** A record that was refused at its receipt. */
export interface ReceivedRefusal extends RefusedLine {
  /** The parsed record; undefined when it cannot be parsed. */
  readonly json?: unknown;
}

/** The request of refused records. */
export interface RefusedRequest {
  readonly project: { readonly id: number };
  readonly appid: string | undefined;
  readonly receivedMs: number;
}

/** Refused records of a request that watches get. They are written on the event loop, in less than a millisecond. */
const maxShown = 50;

/** Publishes records that were refused at their receipt, which the loader does not see. */
export function showRefused(
  watches: Pick<RecordWatches, "filters" | "publish"> | undefined,
  { project, appid, receivedMs }: RefusedRequest,
  refused: readonly ReceivedRefusal[],
): void {
  if (refused.length === 0) return;
  const sampler = createSampler(watches?.filters(), maxShown);
  if (sampler === undefined) return;
  for (const { refusal, line, json = textOf(line) } of refused) {
    const source: RecordSource = { projectId: project.id, receivedMs, appid, record: json };
    sampler.add(source, outcomeOf(refusal));
  }
  watches?.publish(sampler.close());
}

function textOf(line: string | Uint8Array): string {
  return typeof line === "string" ? line : Buffer.from(line).toString();
}
