import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../../base/async/clock.ts";
import {
  type Loader,
  type LoaderOptions,
  type LoadLimits,
  openLoader,
} from "../../../../services/event/load/load.ts";
import { createPreparer, type Preparer } from "../../../../services/event/load/prepare.ts";
import type { PrepareWorker } from "../../../../services/event/load/prepare-client.ts";
import type {
  LimitedName,
  PreparedBatch,
  PrepareTask,
  WrittenBatch,
} from "../../../../services/event/load/prepared.ts";
import { encodeSpoolLine } from "../../../../services/event/spool-line.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";
import { createRecordReader } from "../../../../store/records/record-reader.ts";
import { openRecordSpool, type RecordSpool } from "../../../../store/records/record-spool.ts";
import type { RecordReader } from "../../../../store/records/records.ts";
import type { MemoryStore } from "./memory-store.ts";

/** Called around each step with its name. Throws to stop at the step. */
export type Gate = (step: string) => void;

export interface RigOptions {
  readonly folder: string;
  readonly store: MemoryStore;
  readonly limits?: Partial<LoadLimits>;
  readonly gate?: Gate;
  readonly maxFileBytes?: number;
  /** The records to load. Default: of files in the folder. */
  readonly records?: { readonly spool: RecordSpool; readonly reader: RecordReader };
  readonly overrides?: Partial<LoaderOptions>;
}

export interface Rig extends AsyncDisposable {
  readonly spool: RecordSpool;
  readonly loader: Loader;
  readonly batches: PreparedBatch[];
  readonly faults: unknown[];
  /** The numbers of bytes of incomplete lines. */
  readonly torn: number[];
  /** The projects and properties that were over the limit. */
  readonly overLimit: (readonly [number, string])[];
  readonly letters: string[];
  /** The names that the observer reported as refused. */
  readonly limited: LimitedName[];
  append(...records: unknown[]): Promise<void>;
  flush(): Promise<void>;
}

const receivedMs = Date.UTC(2026, 0, 2);

/** Opens a loader with a real spool and intake, and the preparer in the same thread. */
export function openRig({ folder, store, limits, gate = () => {}, ...options }: RigOptions): Rig {
  const stack = new AsyncDisposableStack();
  const torn: number[] = [];
  const openFiles = () => {
    const spool = stack.use(
      openRecordSpool({
        folder: join(folder, "spool"),
        after: store.loadedTo(),
        checksums: true,
        torn: (_file, bytes) => void torn.push(bytes),
        ...(options.maxFileBytes !== undefined && { maxFileBytes: options.maxFileBytes }),
      }),
    );
    return { spool, reader: createRecordReader({ folder: join(folder, "spool"), spool }) };
  };
  const { spool, reader } = options.records ?? openFiles();
  const stagingFolder = join(folder, "staging");
  mkdirSync(stagingFolder, { recursive: true });
  const maxBytes = limits?.maxBytes ?? 10_000;
  const batches: PreparedBatch[] = [];
  const faults: unknown[] = [];
  const letters: string[] = [];
  const limited: LimitedName[] = [];
  const overLimit: (readonly [number, string])[] = [];
  const around = async <T>(step: string, work: () => Promise<T> | T): Promise<T> => {
    gate(`before ${step}`);
    const result = await work();
    gate(`after ${step}`);
    return result;
  };
  const loader = stack.use(
    openLoader({
      store: {
        ...store,
        load: (batch) => around("load", () => store.load(batch)),
      },
      reader: { ...reader, release: (to) => around("release", () => reader.release(to)) },
      zones: new Map([[1, "+00:00"]]),
      startWorker: () => startWorker(folder, stagingFolder, around),
      stagingFolder,
      keepDeadLetters: (batch) =>
        around(
          "letters",
          () => void letters.push(...Buffer.from(batch.ndjson).toString().split("\n").filter(Boolean)),
        ),
      limits: { maxRecords: 50, maxBytes, burstBytes: maxBytes, batchMs: 5, ...limits },
      delays: { minDelayMs: 1, maxDelayMs: 4 },
      observer: {
        loaded: (prepared) => void batches.push(prepared),
        failed: (error) => void faults.push(error),
        overLimit: (projectId, property) => void overLimit.push([projectId, property]),
        limited: (name) => void limited.push(name),
      },
      clock: systemClock,
      ...options.overrides,
    }),
  );
  return {
    spool,
    loader,
    batches,
    faults,
    letters,
    overLimit,
    limited,
    torn,
    async append(...records) {
      await spool.append(encodeSpoolLine(1, receivedMs, Buffer.from(JSON.stringify(records))));
    },
    flush: () => loader.flush(AbortSignal.timeout(10_000)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Around = <T>(step: string, work: () => Promise<T> | T) => Promise<T>;

function startWorker(folder: string, stagingFolder: string, around: Around): PrepareWorker {
  const intake = openSqliteIntake({ path: join(folder, "intake.db"), lockWaitMs: 0 });
  const preparer = createPreparer({ intake, folder: stagingFolder });
  return {
    reset: (start) => around("reset", () => preparer.reset(start)),
    prepare: (task) => around("prepare", () => prepareWhole(preparer, task)),
    async [Symbol.asyncDispose]() {
      intake[Symbol.dispose]();
    },
  };
}

/** Prepares a batch and commits its claims. */
export async function prepareWhole(preparer: Preparer, task: PrepareTask): Promise<WrittenBatch> {
  return { ...(await preparer.prepare(task)), committed: Promise.resolve() };
}

export const track = (n: number, changes: Record<string, unknown> = {}) => ({
  "#type": "track",
  "#event_name": `e${n % 7}`,
  "#time": "2026-01-01 00:00:00",
  "#uuid": `uuid-${n}`,
  "#account_id": `a${n % 5}`,
  "#distinct_id": `d${n % 11}`,
  properties: { n, [`p${n % 9}`]: "x" },
  ...changes,
});
