import { Code, ConnectError } from "@connectrpc/connect";
import { RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import type { DeadLetters } from "../../store/deadletters/deadletters.ts";
import type { EventStore } from "../../store/events/events.ts";
import { type RecordSink, RecordsUnavailableError } from "../../store/records/records.ts";
import type { CollectObserver, RecordSource } from "./observer.ts";
import type { Project } from "./projects.ts";
import type { CheckedRecord, RefusedRecord } from "./record/record.ts";
import { keepRefused, type RefusedLine } from "./refused-letters.ts";
import { encodeSpoolLine } from "./spool-line.ts";
import { createVerdicts, type Verdicts } from "./verdicts.ts";

/** What records are taken into. */
export interface TakeOptions {
  /** Resolves when the line is on disk. */
  readonly append: RecordSink["append"];
  readonly schema: EventStore["schema"];
  readonly letters: Pick<DeadLetters, "append">;
  readonly observer: CollectObserver;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A record as it came, read or found to be none. */
export type RawRecord =
  | { readonly json: unknown; readonly text: string }
  | { readonly refusal: RefusedRecord; readonly text: string | Uint8Array };

export interface Batch {
  readonly project: Project;
  readonly source: RecordSource;
  readonly records: readonly RawRecord[];
  readonly receivedMs: number;
  readonly dryRun: boolean;
  /** Those of the whole call, where it has several batches. */
  readonly verdicts?: Verdicts;
}

/**
 * Checks records one by one and keeps the good ones; the others become dead letters.
 * @returns a verdict for each, once the good ones are on disk
 * @throws ConnectError UNAVAILABLE when they can't be kept
 */
export async function takeChecked(options: TakeOptions, batch: Batch): Promise<readonly CheckedRecord[]> {
  const { project, records, receivedMs } = batch;
  const verdicts = batch.verdicts ?? createVerdicts(project, options.schema);
  const good: string[] = [];
  const refused: RefusedLine[] = [];
  const checked = records.map((record): CheckedRecord => {
    const verdict = "json" in record ? verdicts(record.json, receivedMs) : record.refusal;
    if (verdict.kind === "refused") refused.push({ refusal: verdict, line: record.text });
    else good.push(record.text as string);
    return verdict;
  });
  if (batch.dryRun) return checked;
  // What can't be kept is sent again, so its refused records are told only once.
  if (good.length > 0) await keepLine(options, project, receivedMs, Buffer.from(`[${good.join(",")}]`));
  keepRefused(options.letters, project.id, refused, options.now);
  tell(options.observer, batch, checked, good.length);
  return checked;
}

/** @throws ConnectError UNAVAILABLE */
export async function keepLine(
  { append }: Pick<TakeOptions, "append">,
  { id }: Project,
  receivedMs: number,
  body: Uint8Array,
): Promise<void> {
  try {
    await append(encodeSpoolLine(id, receivedMs, body));
  } catch (error) {
    if (!(error instanceof RecordsUnavailableError)) throw error;
    const retry = { desc: RetryInfoSchema, value: { retryDelay: { seconds: 1n, nanos: 0 } } };
    throw new ConnectError("records cannot be kept at present", Code.Unavailable, undefined, [retry], error);
  }
}

function tell(
  observer: CollectObserver,
  { project, source }: Batch,
  checked: readonly CheckedRecord[],
  good: number,
): void {
  if (good > 0) observer.taken(project.id, source, good);
  for (const verdict of checked) {
    if (verdict.kind === "refused") observer.refused(project.id, source, verdict.reason);
    else for (const { reason } of verdict.dropped) observer.dropped(project.id, source, reason);
  }
}
