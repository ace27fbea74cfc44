import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeMemory } from "../../../base/memory/free.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import { maxPropertiesOf } from "../../../services/event/config.ts";
import { createPreparer } from "../../../services/event/load/prepare.ts";
import { removeRows } from "../../../services/event/load/staging.ts";
import { encodeRawSpoolLines } from "../../../services/event/spool-line.ts";
import { openNdjsonDeadLetters } from "../../../store/deadletters/ndjson.ts";
import { emptySchema } from "../../../store/events/events.ts";
import { openSqliteIntake } from "../../../store/intake/sqlite/open.ts";
import type { Config } from "../../config/config.ts";
import type { ImportSummary } from "../../import/summary.ts";
import type { ImportTarget, TargetPorts } from "../../import/target.ts";
import { writeForeign } from "../../terminal/terminal.ts";
import { keepFilesPrivate } from "../data/folder.ts";
import { lockFolder } from "../data/lock.ts";
import { openEventLoading } from "./loading.ts";
import { requireEmbedded } from "./store.ts";

/**
 * The engine writes 122,880 and more rows of a day directly to their place, without its log. Batches of 250,000 records
 * take three quarters of the time of batches of 50,000, as measured.
 */
const bulk = { maxRecords: 250_000, maxBytes: 64 * 1_048_576, maxCachedIds: 2_000_000 };
/**
 * Reading continues while at most this much waits in the spool: one batch being loaded, one being prepared and one
 * being read.
 */
const maxWaitingBytes = 3 * bulk.maxBytes;

/**
 * Imports records into the data folder through its spool, as a server does. After a crash, the records in the spool are
 * loaded at the next start.
 * @throws UserError when another process uses the folder
 */
export async function openLocalImport(
  config: Config,
  { projectId, summary, streams, signal }: TargetPorts,
): Promise<ImportTarget> {
  requireEmbedded(config, "engage import without --url");
  keepFilesPrivate();
  await using opened = new AsyncDisposableStack();
  opened.use(lockFolder(join(config.data, "events")));
  const say = (what: string, error: unknown) =>
    writeForeign(streams.stderr, `engage: ${what}: ${errorMessage(error)}\n`);
  const deadLetters = opened.use(
    openNdjsonDeadLetters({
      ...config.events.deadLetters,
      file: join(config.data, config.events.deadLetters.file),
      observer: {
        written: () => {},
        dropped: () => {},
        resumed: () => {},
        failed: (error) => void say("refused records cannot be written", error),
      },
    }),
  );
  let moved = Promise.withResolvers<void>();
  let own: ImportSummary | undefined;
  const loading = opened.use(
    await openEventLoading(config, {
      deadLetters: {
        flush: () => deadLetters.flush(),
        append(batch) {
          own?.deadLetters(batch);
          deadLetters.append(batch);
        },
      },
      observer: {
        loaded({ counts }) {
          own?.stored(counts);
          moved.resolve();
          moved = Promise.withResolvers();
        },
        failed: (error, delayMs) => void say(`tried again in ${delayMs} ms`, error),
        // The summary counts what was dropped, by reason.
        overLimit: () => {},
      },
      torn: () => {},
      changed: (description) => void say("files of events were changed by another program", description),
      bulk,
    }),
  );
  // Records that an earlier import left in the spool do not count as those of this import.
  if ((await loading.waitingBytes()) > 0) await loading.loader.flush(signal);
  own = summary;
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const stack = opened.move();
  return {
    async take(lines, onStored, placeOf) {
      const encoded = encodeRawSpoolLines(projectId, Date.now(), lines, placeOf);
      if (encoded.length > 0) await loading.appendLines(encoded);
      freeMemory(encoded);
      onStored();
      while (!signal.aborted) {
        const next = moved.promise;
        if ((await loading.waitingBytes()) < maxWaitingBytes) return;
        await Promise.race([next, aborted]);
      }
    },
    finish: () => loading.loader.flush(new AbortController().signal),
    whileStopping: "what was taken is being stored, a second Ctrl-C leaves that to the next start",
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Checks records as if nothing were stored yet, with an intake of its own in a temporary folder. */
export async function openDryImport(
  config: Config,
  { projectId, summary }: TargetPorts,
): Promise<ImportTarget> {
  const folder = mkdtempSync(join(tmpdir(), "engage-import-"));
  const intake = openSqliteIntake({ path: join(folder, "intake.db") });
  const preparer = createPreparer({ intake, folder, eventFormat: "columns" });
  const zone = config.projects.find(({ id }) => id === projectId)?.zone ?? "+00:00";
  const projects = new Map([[projectId, { schema: emptySchema, zone }]]);
  const maxProperties = maxPropertiesOf(config.events);
  await preparer.reset({ loadedTo: undefined, projects, maxProperties });
  let place = { number: 1, offset: 0 };
  return {
    async take(lines, onStored, placeOf) {
      onStored();
      const bytes = new Uint8Array(encodeRawSpoolLines(projectId, Date.now(), lines, placeOf));
      if (bytes.length === 0) return;
      const task = { from: place, bytes, maxRecords: Number.POSITIVE_INFINITY, skipped: [] };
      const { batch, counts, deadLetters } = await preparer.prepare(task);
      place = { number: place.number + 1, offset: 0 };
      if (deadLetters !== undefined) summary.deadLetters(deadLetters);
      summary.stored(counts);
      await removeRows(batch);
    },
    finish: async () => {},
    whileStopping: "nothing is stored by a dry run",
    async [Symbol.asyncDispose]() {
      intake[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
