import type { Writable } from "node:stream";
import { exactCountOf } from "../../base/text/count.ts";
import type { EventStore, ProjectStats } from "../../store/events/events.ts";
import { startPartProgress } from "../terminal/part-progress.ts";
import { sizeOf } from "../terminal/sizes.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";

export interface StoreOutput {
  readonly stdout: Writable;
  readonly stderr: { readonly isTTY?: boolean };
  /** Prints one JSON object instead of tables. */
  readonly json?: boolean | undefined;
}

const columns: readonly Column<ProjectStats>[] = [
  { head: "PROJECT", of: ({ projectId }) => projectId },
  { head: "DAYS", of: ({ days }) => days },
  { head: "FIRST", of: ({ firstDay }) => firstDay ?? "" },
  { head: "LAST", of: ({ lastDay }) => lastDay ?? "" },
  { head: "EVENTS", of: ({ events }) => events },
  { head: "UPDATABLE", of: ({ updatableEvents }) => updatableEvents },
  { head: "USERS", of: ({ users }) => users },
  { head: "NAMES", of: ({ eventNames }) => eventNames },
  { head: "PROPERTIES", of: ({ properties }) => properties },
];

/** Prints the contents of the store by project. */
export async function printStoreStats(store: EventStore, { stdout, json }: StoreOutput): Promise<void> {
  const stats = await store.stats();
  if (json) return writeJson(stdout, stats);
  stdout.write(stats.projects.length === 0 ? "no events yet\n" : formatTable(columns, stats.projects));
  stdout.write(`uses ${sizeOf(stats.bytes)}\n`);
}

/** Compacts closed days and deletes those that are too old. */
export async function compactStore(
  store: EventStore,
  options: {
    readonly nowMs: number;
    readonly keepDays: ReadonlyMap<number, number>;
    readonly signal: AbortSignal;
  },
  { stdout, stderr, json }: StoreOutput,
): Promise<void> {
  const before = await store.stats();
  const report = await (async () => {
    using progress = startPartProgress("days", stderr);
    return await store.compact({ ...options, onProgress: progress.at });
  })();
  const after = await store.stats();
  if (json) return writeJson(stdout, { ...report, bytesBefore: before.bytes, bytes: after.bytes });
  stdout.write(
    `${exactCountOf(report.rewrittenDays, "day")} compacted, ${exactCountOf(report.droppedDays, "day")} with ` +
      `${exactCountOf(report.droppedEvents, "event")} deleted; now ${sizeOf(after.bytes)} (was ${sizeOf(before.bytes)})\n`,
  );
}

/**
 * Reads all data once and prints the faults.
 * @returns the exit code
 */
export async function checkStore(
  store: EventStore,
  signal: AbortSignal,
  { stdout, stderr, json }: StoreOutput,
): Promise<number> {
  const faults = await (async () => {
    using progress = startPartProgress("checks", stderr);
    return await store.check(signal, progress.at);
  })();
  if (json) writeJson(stdout, { faults });
  else writeForeign(stdout, faults.length === 0 ? "no faults found\n" : `${faults.join("\n")}\n`);
  return faults.length === 0 ? 0 : 1;
}

function writeJson(stdout: Writable, value: object): void {
  writeForeign(stdout, `${JSON.stringify(value)}\n`);
}
