import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { countOf } from "../../../base/text/count.ts";
import { type RebuildReport, rebuildIntake } from "../../../services/event/load/rebuild-intake.ts";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool } from "../../../store/records/record-spool.ts";
import type { Config } from "../../config/config.ts";
import { keepFilesPrivate } from "../data/folder.ts";
import { lockFolder } from "../data/lock.ts";
import { eventFolders, openEmbeddedStore, requireEmbedded } from "./store.ts";

interface Output {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

/**
 * Rebuilds the intake of the data folder from the event store and the spool. The old intake is kept beside the new
 * one, and replaced only when the new one is complete.
 * @throws UserError when a server runs on the data folder
 */
export async function rebuildIntakeOf(config: Config, { stdout, stderr, signal }: Output): Promise<void> {
  requireEmbedded(config, "engage store rebuild-intake");
  keepFilesPrivate();
  const folder = join(config.data, "events");
  const file = join(folder, "intake.db");
  const draft = `${file}.new`;
  using _lock = lockFolder(folder);
  await using store = await openEmbeddedStore(config);
  const loadedTo = store.loadedTo();
  const { spool: spoolFolder } = eventFolders(config);
  await using spool = openRecordSpool({ folder: spoolFolder, after: loadedTo });
  removeFiles(draft);
  const { ms: uuidWindowMs, maxUuids } = config.events.uuidWindow;
  const report = await (async () => {
    using intake = openSqliteIntake({ path: draft, uuidWindowMs, maxUuids });
    return await rebuildIntake({
      store,
      intake,
      signal,
      reader: createRecordReader({ folder: spoolFolder, spool }),
      zones: new Map(config.projects.map(({ id, zone }) => [id, zone])),
      onProgress: (part) => stderr.isTTY === true && stderr.write(`\r${describe(part)}`),
    });
  })();
  if (stderr.isTTY === true) stderr.write("\n");
  const kept = keepBefore(file);
  renameSync(draft, file);
  stdout.write(`intake rebuilt: ${describe(report)}\n`);
  if (kept !== undefined) stdout.write(`the old intake is kept as "${kept}"\n`);
  stdout.write("uuids and first checks of older records, which are no longer in the spool, are lost\n");
}

function describe({ accounts, visitors, records }: RebuildReport): string {
  return `${countOf(accounts, "account")}, ${countOf(visitors, "visitor")}, uuids of ${countOf(records, "record")}`;
}

const parts = ["", "-wal", "-shm", "-journal"];

function removeFiles(path: string): void {
  for (const part of parts) rmSync(`${path}${part}`, { force: true });
}

/** Renames a database with its log. */
function keepBefore(file: string): string | undefined {
  const kept = `${file}.before`;
  if (!parts.some((part) => existsSync(`${file}${part}`))) return undefined;
  removeFiles(kept);
  for (const part of parts) if (existsSync(`${file}${part}`)) renameSync(`${file}${part}`, `${kept}${part}`);
  return kept;
}
