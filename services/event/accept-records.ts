import { createYield, mapYielding } from "../../base/async/yield.ts";
import { retryLater } from "../../base/rpc/map-errors.ts";
import type { DeadLetters } from "../../store/deadletters/deadletters.ts";
import type { EventStore } from "../../store/events/events.ts";
import { RecordsUnavailableError } from "../../store/records/records.ts";
import { appendRefused } from "./ingest/refused-records.ts";
import type { CollectObserver, RecordSource } from "./observer.ts";
import { type PendingChecks, type PendingOptions, verdictsOf } from "./pending.ts";
import type { Project } from "./projects.ts";
import type { CheckedRecord, RefusedRecord } from "./record/record.ts";
import { encodeSpoolLine } from "./spool-line.ts";
import { areFinal, type Verdicts } from "./verdicts.ts";
import { type ReceivedRefusal, showRefused } from "./watch/refused.ts";
import type { RecordWatches } from "./watch/watch.ts";

/**
 * Appends a line to the spool of its project; resolves when it is on disk.
 * @throws RecordsUnavailableError
 */
export type AppendLine = (line: Uint8Array, projectId: number) => Promise<void>;

/** The ports and clocks of accepting records. */
export interface AcceptOptions {
  readonly append: AppendLine;
  readonly schema: EventStore["schema"];
  readonly pending: PendingOptions["pending"];
  readonly rates?: PendingOptions["rates"] | undefined;
  readonly deadLetters: Pick<DeadLetters, "append">;
  readonly observer: CollectObserver;
  /** Gets the refused records that are watched; the loader gives it the others. */
  readonly watches?: Pick<RecordWatches, "filters" | "publish"> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Returns how far `now` is ahead of the steady clock. Default: 0. */
  readonly driftMs?: () => number;
}

/** A received record: parsed, or refused because it cannot be parsed. */
export type RawRecord =
  | { readonly json: unknown; readonly text: string }
  | { readonly refusal: RefusedRecord; readonly text: string | Uint8Array };

export interface Batch {
  readonly project: Project;
  /** The app id of the request. */
  readonly appid: string | undefined;
  readonly source: RecordSource;
  readonly records: readonly RawRecord[];
  readonly receivedMs: number;
  /** See AcceptOptions. */
  readonly driftMs: number;
  readonly dryRun: boolean;
}

export interface CheckingOptions extends AcceptOptions {
  readonly checks: PendingChecks;
}

/**
 * Checks records and appends the valid ones to the spool; the others become dead letters.
 * @returns the verdict of each record, after the valid ones are on disk: it foretells the result of the loader
 * @throws ConnectError UNAVAILABLE if the spool is unavailable
 */
export async function acceptRecords(
  options: CheckingOptions,
  batch: Batch,
): Promise<readonly CheckedRecord[]> {
  const { project, records } = batch;
  const first = await checkAll(batch, verdictsOf(project, options));
  const isFinal = await areAllFinal(project, options, first);
  if (batch.dryRun) return isFinal ? first : checkAll(batch, await options.checks.verdicts(project));
  // Refused records are reported after the append, since a request whose append fails is sent again.
  const checked = await appendValid(options, batch, first, isFinal);
  // A record that only the loader refuses, for its new name, becomes a dead letter there.
  const refused = first.flatMap((verdict, at): readonly ReceivedRefusal[] => {
    if (verdict.kind !== "refused") return [];
    const record = records[at]!;
    return [{ refusal: verdict, line: record.text, ...("json" in record && { json: record.json }) }];
  });
  appendRefused(options.deadLetters, project.id, refused, options.now);
  showRefused(options.watches, batch, refused);
  report(options.observer, batch, first, checked);
  return checked;
}

/** Verdicts that are processed between two yields. */
const finalSlice = 100;

async function areAllFinal(
  project: Project,
  { schema }: Pick<AcceptOptions, "schema">,
  checked: readonly CheckedRecord[],
): Promise<boolean> {
  const yieldToEventLoop = createYield();
  for (let at = 0; at < checked.length; at += finalSlice) {
    if (!areFinal(project, schema, checked.slice(at, at + finalSlice))) return false;
    const wait = yieldToEventLoop();
    if (wait !== undefined) await wait;
  }
  return true;
}

/**
 * Appends the records that the first verdicts accept. Returns the final verdicts, in which further properties may be
 * dropped, or events refused because of the limit of names.
 */
async function appendValid(
  options: CheckingOptions,
  batch: Batch,
  first: readonly CheckedRecord[],
  isFinal: boolean,
): Promise<readonly CheckedRecord[]> {
  const { project, records, receivedMs } = batch;
  const valid = records.flatMap(({ text }, at) => (first[at]!.kind === "refused" ? [] : [text as string]));
  if (valid.length === 0) return first;
  const body = Buffer.from(`[${valid.join(",")}]`);
  const line = encodeSpoolLine(project.id, receivedMs, body, senderOf(batch), batch.driftMs);
  using expected = isFinal ? undefined : options.checks.expect(project, line);
  await appendLine(options, line, project.id);
  if (expected === undefined) return first;
  const loaded = (await expected.checked())?.values();
  if (loaded === undefined) return checkAll(batch, verdictsOf(project, options));
  return first.map((one) => (one.kind === "refused" ? one : (loaded.next().value ?? one)));
}

/** Returns the app id if the project limits new names. */
export function senderOf({ project, appid }: Pick<Batch, "project" | "appid">): string | undefined {
  return project.names === undefined ? undefined : appid;
}

function checkAll(
  { records, receivedMs, driftMs, appid }: Batch,
  { check }: Verdicts,
): Promise<readonly CheckedRecord[]> {
  const checkOne = (record: RawRecord): CheckedRecord =>
    "json" in record ? check(record.json, receivedMs, appid, receivedMs - driftMs) : record.refusal;
  return mapYielding(records, checkOne, createYield());
}

/** Appends a line to the spool. @throws ConnectError UNAVAILABLE */
export async function appendLine(
  { append }: Pick<AcceptOptions, "append">,
  line: Uint8Array,
  projectId: number,
): Promise<void> {
  try {
    await append(line, projectId);
  } catch (error) {
    if (!(error instanceof RecordsUnavailableError)) throw error;
    throw retryLater("the spool is temporarily unavailable", 1_000, { cause: error });
  }
}

function report(
  observer: CollectObserver,
  { project, source }: Batch,
  first: readonly CheckedRecord[],
  checked: readonly CheckedRecord[],
): void {
  const good = first.filter(({ kind }) => kind !== "refused").length;
  if (good > 0) observer.accepted(project.id, source, good);
  for (const verdict of first) {
    if (verdict.kind === "refused") observer.refused(project.id, source, verdict.reason);
  }
  for (const verdict of checked) {
    if (verdict.kind === "refused") continue;
    for (const { reason } of verdict.dropped) observer.dropped(project.id, source, reason);
  }
}
