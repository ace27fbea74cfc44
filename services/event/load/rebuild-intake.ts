import { compileToInstant } from "../../../base/time/zone.ts";
import type { EventStore, SpoolPlace } from "../../../store/events/events.ts";
import type { Intake } from "../../../store/intake/intake.ts";
import type { RecordChunk, RecordReader } from "../../../store/records/records.ts";
import { checkRecord } from "../record/check-record.ts";
import type { RecordRules } from "../record/record.ts";
import { comparePlaces } from "./prepared.ts";
import { createProjectState } from "./project-state.ts";
import { keysOf, type TaskLine, TaskLines } from "./task-lines.ts";

export interface RebuildOptions {
  /** A store that has loaded records. */
  readonly store: Pick<EventStore, "schema" | "loadedTo" | "identities">;
  readonly reader: Pick<RecordReader, "start" | "read">;
  /** A new intake. */
  readonly intake: Intake;
  /** Zones of all configured projects, by id. */
  readonly zones: ReadonlyMap<number, string>;
  readonly onProgress?: (report: RebuildReport) => void;
  readonly signal: AbortSignal;
}

export interface RebuildReport {
  readonly accounts: number;
  readonly visitors: number;
  /** Loaded records of the spool whose claims are restored. */
  readonly records: number;
}

const chunkBytes = 1_048_576;
/** The number of ids after which a batch ends, since an intake may keep a batch in memory. */
const maxRestored = 100_000;
/** A place before all places of the spool, since the store has all these users. */
const beforeAll = { number: 0, offset: 0 };

/**
 * Rebuilds an intake from the users of the store and from the loaded records that are still in the spool. Uuids and
 * first checks of older records are lost. User ids continue after the highest one of the store, so that no id is
 * assigned twice. Until the end the intake has prepared nothing that the store has loaded, so no loader begins with it.
 */
export async function rebuildIntake(options: RebuildOptions): Promise<RebuildReport> {
  const { store, intake, onProgress = () => {} } = options;
  const loadedTo = store.loadedTo();
  const report = { accounts: 0, visitors: 0, records: 0 };
  await intake.rewind(undefined);
  if (loadedTo === undefined) return report;
  await restoreUsers(options, report);
  for await (const count of claimLoaded(options, loadedTo)) {
    report.records += count;
    onProgress(report);
  }
  await intake.begin(beforeAll);
  await intake.commit(loadedTo);
  return report;
}

async function restoreUsers(
  { store, intake, onProgress = () => {}, signal }: RebuildOptions,
  report: { accounts: number; visitors: number; records: number },
): Promise<void> {
  let count = 0;
  await intake.begin(beforeAll);
  for await (const identities of store.identities(signal)) {
    for (const { projectId, ...user } of identities) {
      intake.restore(projectId, user);
      if (user.accountId !== undefined) report.accounts++;
      if (user.distinctId !== undefined) report.visitors++;
    }
    onProgress(report);
    count += identities.length;
    if (count < maxRestored) continue;
    count = 0;
    await intake.commit(beforeAll);
    await intake.begin(beforeAll);
  }
  await intake.commit(beforeAll);
}

/** Repeats the claims of the records before a place; yields their number for each chunk. */
async function* claimLoaded(
  { store, reader, intake, zones, signal }: RebuildOptions,
  loadedTo: SpoolPlace,
): AsyncGenerator<number, void> {
  const rules = new Map(
    Array.from(zones, ([id, zone]) => [
      id,
      createProjectState(store.schema(id), compileToInstant(zone)).rules,
    ]),
  );
  for (let at = await reader.start(); comparePlaces(at, loadedTo) < 0; ) {
    signal.throwIfAborted();
    const chunk = await reader.read(at, chunkBytes);
    if (chunk === undefined || comparePlaces(chunk.from, loadedTo) >= 0) return;
    const lines = await linesBefore(chunk, loadedTo);
    await intake.begin(chunk.from, intake.needsKeys ? await keysOf(lines, rules) : undefined);
    const count = claimLines(lines, rules, intake);
    await intake.commit(beforeAll);
    yield count;
    at = chunk.to;
  }
}

async function linesBefore({ from, bytes }: RecordChunk, end: SpoolPlace): Promise<readonly TaskLine[]> {
  const cut = from.number === end.number ? bytes.subarray(0, end.offset - from.offset) : bytes;
  return await new TaskLines({ from, bytes: cut, maxRecords: Number.POSITIVE_INFINITY, skipped: [] }).all();
}

function claimLines(
  lines: readonly TaskLine[],
  rules: ReadonlyMap<number, RecordRules>,
  intake: Intake,
): number {
  let count = 0;
  for (const { content: line } of lines) {
    const known = typeof line === "string" ? undefined : rules.get(line.projectId);
    if (typeof line === "string" || known === undefined) continue;
    for (const record of line.records) {
      const checked = checkRecord(record, known, line.receivedMs);
      if (checked.kind === "refused") continue;
      count++;
      if (checked.uuid !== undefined)
        intake.claimUuid(line.projectId, checked.uuid, line.steadyMs ?? line.receivedMs);
      if (checked.kind !== "event" || checked.firstCheckId === undefined) continue;
      intake.claimFirstCheck(line.projectId, checked.name, checked.firstCheckId);
    }
  }
  return count;
}
