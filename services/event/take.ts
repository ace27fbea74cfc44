import { createYield, mapYielding } from "../../base/async/yield.ts";
import { retryLater } from "../../base/rpc/map-errors.ts";
import type { DeadLetters } from "../../store/deadletters/deadletters.ts";
import type { EventStore } from "../../store/events/events.ts";
import { type RecordSink, RecordsUnavailableError } from "../../store/records/records.ts";
import { keepRefused, type RefusedLine } from "./ingest/refused-letters.ts";
import type { CollectObserver, RecordSource } from "./observer.ts";
import { type PendingChecks, type PendingOptions, verdictsOf } from "./pending.ts";
import type { Project } from "./projects.ts";
import type { CheckedRecord, RefusedRecord } from "./record/record.ts";
import { encodeSpoolLine } from "./spool-line.ts";
import { areFinal, type Verdicts } from "./verdicts.ts";

/** What records are taken into. */
export interface TakeOptions {
  /** Resolves when the line is on disk. */
  readonly append: RecordSink["append"];
  readonly schema: EventStore["schema"];
  readonly pending: PendingOptions["pending"];
  readonly rates?: PendingOptions["rates"] | undefined;
  readonly letters: Pick<DeadLetters, "append">;
  readonly observer: CollectObserver;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** By how much `now` is ahead of a clock that is never set. Default: 0. */
  readonly driftMs?: () => number;
}

/** A record as it came, read or found to be none. */
export type RawRecord =
  | { readonly json: unknown; readonly text: string }
  | { readonly refusal: RefusedRecord; readonly text: string | Uint8Array };

export interface Batch {
  readonly project: Project;
  /** By which the sender named the project. */
  readonly appid: string | undefined;
  readonly source: RecordSource;
  readonly records: readonly RawRecord[];
  readonly receivedMs: number;
  /** See TakeOptions. */
  readonly driftMs: number;
  readonly dryRun: boolean;
}

export interface CheckingOptions extends TakeOptions {
  readonly checks: PendingChecks;
}

/**
 * Checks records one by one and keeps the good ones; the others become dead letters.
 * @returns a verdict for each, once the good ones are on disk: what the load will make of it
 * @throws ConnectError UNAVAILABLE when they can't be kept
 */
export async function takeChecked(options: CheckingOptions, batch: Batch): Promise<readonly CheckedRecord[]> {
  const { project, records } = batch;
  const first = await checkAll(batch, verdictsOf(project, options));
  const isFinal = await areAllFinal(project, options, first);
  if (batch.dryRun) return isFinal ? first : checkAll(batch, await options.checks.verdicts(project));
  // What can't be kept is sent again, so its refused records are told only once.
  const checked = await keepGood(options, batch, first, isFinal);
  // A record that is refused for its new name only when it is loaded becomes a dead letter there.
  const refused = first.flatMap((verdict, at): readonly RefusedLine[] =>
    verdict.kind === "refused" ? [{ refusal: verdict, line: records[at]!.text }] : [],
  );
  keepRefused(options.letters, project.id, refused, options.now);
  tell(options.observer, batch, first, checked);
  return checked;
}

/** Looked at between two turns. */
const finalSlice = 100;

async function areAllFinal(
  project: Project,
  { schema }: Pick<TakeOptions, "schema">,
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
 * Which records are not kept the first verdicts tell. They may not yet tell what the others lose, nor that the name of
 * an event is one too many.
 */
async function keepGood(
  options: CheckingOptions,
  batch: Batch,
  first: readonly CheckedRecord[],
  isFinal: boolean,
): Promise<readonly CheckedRecord[]> {
  const { project, records, receivedMs } = batch;
  const good = records.flatMap(({ text }, at) => (first[at]!.kind === "refused" ? [] : [text as string]));
  if (good.length === 0) return first;
  const body = Buffer.from(`[${good.join(",")}]`);
  const line = encodeSpoolLine(project.id, receivedMs, body, senderOf(batch), batch.driftMs);
  using expected = isFinal ? undefined : options.checks.expect(project, line);
  await keepLine(options, line);
  if (expected === undefined) return first;
  const loaded = (await expected.checked())?.values();
  if (loaded === undefined) return checkAll(batch, verdictsOf(project, options));
  return first.map((one) => (one.kind === "refused" ? one : (loaded.next().value ?? one)));
}

/** The app id, where it matters how many names it brings. */
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

/** @param line of the spool @throws ConnectError UNAVAILABLE */
export async function keepLine({ append }: Pick<TakeOptions, "append">, line: Uint8Array): Promise<void> {
  try {
    await append(line);
  } catch (error) {
    if (!(error instanceof RecordsUnavailableError)) throw error;
    throw retryLater("records cannot be kept at present", 1_000, { cause: error });
  }
}

function tell(
  observer: CollectObserver,
  { project, source }: Batch,
  first: readonly CheckedRecord[],
  checked: readonly CheckedRecord[],
): void {
  const good = first.filter(({ kind }) => kind !== "refused").length;
  if (good > 0) observer.taken(project.id, source, good);
  for (const verdict of first) {
    if (verdict.kind === "refused") observer.refused(project.id, source, verdict.reason);
  }
  for (const verdict of checked) {
    if (verdict.kind === "refused") continue;
    for (const { reason } of verdict.dropped) observer.dropped(project.id, source, reason);
  }
}
