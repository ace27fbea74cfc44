import { checkLine } from "../../../base/files/line-checksum.ts";
import { compileToInstant } from "../../../base/time/zone.ts";
import type { EventStore, SpoolPlace } from "../../../store/events/events.ts";
import type { Intake } from "../../../store/intake/intake.ts";
import type { RecordChunk, RecordReader } from "../../../store/records/records.ts";
import { checkRecord } from "../record/check-record.ts";
import type { RecordRules } from "../record/record.ts";
import { decodeSpoolLine } from "../spool-line.ts";
import { comparePlaces } from "./places.ts";
import { createProjectState } from "./project-state.ts";

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
const lf = 0x0a;

/**
 * Rebuilds an intake from the users of the store and from the loaded records that are still in the spool. Uuids and
 * first checks of older records are lost. User ids continue after the highest one of the store, so that no id is
 * assigned twice.
 */
export async function rebuildIntake(options: RebuildOptions): Promise<RebuildReport> {
  const { store, intake, onProgress = () => {}, signal } = options;
  const loadedTo = store.loadedTo();
  const report = { accounts: 0, visitors: 0, records: 0 };
  intake.rewind(undefined);
  if (loadedTo === undefined) return report;
  // A place before all places of the spool, since the store has all these users.
  intake.begin({ number: 0, offset: 0 });
  for await (const identities of store.identities(signal)) {
    for (const { projectId, ...user } of identities) {
      intake.restore(projectId, user);
      if (user.accountId !== undefined) report.accounts++;
      if (user.distinctId !== undefined) report.visitors++;
    }
    onProgress(report);
  }
  for await (const count of claimLoaded(options, loadedTo)) {
    report.records += count;
    onProgress(report);
  }
  intake.commit(loadedTo);
  return report;
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
    yield claimLines(chunk, loadedTo, rules, intake);
    at = chunk.to;
  }
}

function claimLines(
  { from, bytes }: RecordChunk,
  loadedTo: SpoolPlace,
  rules: ReadonlyMap<number, RecordRules>,
  intake: Intake,
): number {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let start = 0; start < lines.length; ) {
    const place = { number: from.number, offset: from.offset + start };
    const end = lines.indexOf(lf, start);
    const bytesOfLine = lines.subarray(start, end);
    start = end + 1;
    if (comparePlaces(place, loadedTo) >= 0) return count;
    const line =
      checkLine(bytesOfLine, place) === "damaged" ? undefined : decodeSpoolLine(bytesOfLine.toString());
    const known = line && rules.get(line.projectId);
    if (line === undefined || known === undefined) continue;
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
