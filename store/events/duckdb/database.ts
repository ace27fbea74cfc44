import { mkdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { createSerial } from "../../../base/async/serial.ts";
import { makePrivateFolder, tightenLater } from "../../../base/files/private.ts";
import { EventsMemoryError, EventsOpenError, EventsUnavailableError } from "../events.ts";
import type { SpoolPlace } from "../load.ts";
import { openCatalog } from "./catalog.ts";
import { firstLine, storeError } from "./errors.ts";
import { createFewTexts } from "./few-texts.ts";
import type { StoreTables } from "./layout.ts";
import { lowerPoolPriority } from "./priority.ts";
import { Session, textLiteral } from "./session.ts";

export interface DatabaseOptions {
  /** The folder of the file and of temporary data of queries. */
  readonly folder: string;
  /** The folder with the files of batches; statements can read no other files. */
  readonly stagingFolder: string;
  readonly memoryLimitBytes: number;
  readonly threads: number;
  /** The maximum of temporary data of queries on the disk. */
  readonly maxTempBytes: number;
  /**
   * The niceness of statements, 1 to 19, where the system supports it; they then run at a lower
   * priority than the rest of the process. Default 0.
   */
  readonly niceness?: number;
  /**
   * The log is moved into the file when it exceeds this size. Default 64 MiB, which take about a second
   * to read after a crash.
   */
  readonly maxLogBytes?: number;
}

const scratchFolder = ({ folder }: DatabaseOptions): string => join(folder, "scratch");
export const databaseFile = (folder: string): string => join(folder, "events.duckdb");
/** The commits since the last checkpoint; missing right after one. */
export const logFile = (folder: string): string => `${databaseFile(folder)}.wal`;

/** The file and all connections to it. After an error which makes an instance unusable, the file is opened again. */
export class Database {
  /** The tables as of the last commit. Changes only within `gate`. */
  tables: StoreTables;
  /** Everything loaded up to here is in the file, whatever happens to the log. */
  settledTo: SpoolPlace | undefined;
  /** Serializes commits with their change of `tables`, and starts of snapshots: a snapshot shows exactly `tables`. */
  readonly gate = createSerial();
  readonly fewTexts = createFewTexts();
  readonly #options: DatabaseOptions;
  readonly #sessions = new Set<Session>();
  #instance: Promise<DuckDBInstance>;
  #isBroken = false;
  #isClosed = false;

  private constructor(options: DatabaseOptions, { instance, tables, hadLog }: OpenedFile) {
    this.#options = options;
    this.#instance = Promise.resolve(instance);
    this.tables = tables;
    this.settledTo = hadLog ? undefined : tables.loadedTo;
  }

  /** @throws EventsOpenError when another process has the file, or it is not a database of this service */
  static async open(given: DatabaseOptions): Promise<Database> {
    // The engine treats the paths of files as patterns.
    const wild = [given.folder, given.stagingFolder].find((folder) => /[*?[\]]/.test(resolve(folder)));
    if (wild !== undefined)
      throw new EventsOpenError(`the folder of events "${wild}" must not have any of * ? [ ] in its path`);
    const options = { ...given, folder: resolve(given.folder), stagingFolder: resolve(given.stagingFolder) };
    return new Database(options, await openFile(options));
  }

  /** The folder for files of the store's own, which are not needed after a crash. */
  get scratchFolder(): string {
    return scratchFolder(this.#options);
  }

  get folder(): string {
    return this.#options.folder;
  }

  get maxLogBytes(): number {
    return this.#options.maxLogBytes ?? 64 * 1_048_576;
  }

  async session(signal?: AbortSignal): Promise<Session> {
    if (this.#isClosed) throw new EventsUnavailableError("the event store is closed");
    if (this.#isBroken) this.#reopen();
    const connection = await (await this.#instance).connect();
    const session = new Session(connection, {
      signal,
      onFatal: () => {
        this.#isBroken = true;
      },
      onClose: (closed) => this.#sessions.delete(closed),
      isEngineFree: () => this.#options.threads > 1 && this.#sessions.size === 1,
    });
    this.#sessions.add(session);
    return session;
  }

  /** Interrupts running statements and closes the file. Commits stay. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#abandonAll();
    const instance = await this.#instance.catch(() => undefined);
    if (instance === undefined) return;
    await checkpointAndClose(instance);
  }

  #reopen(): void {
    this.#isBroken = false;
    const before = this.#instance;
    const instance = this.#replace(before);
    this.#instance = instance;
    // The next call tries again.
    instance.catch(() => {
      this.#isBroken = true;
    });
  }

  async #replace(before: Promise<DuckDBInstance>): Promise<DuckDBInstance> {
    await this.#abandonAll();
    // A file which is still open would be returned again as it is.
    await before.then(
      (instance) => instance.closeSync(),
      () => undefined,
    );
    try {
      const { instance, tables } = await openFile(this.#options);
      await this.gate(async () => {
        this.tables = tables;
      });
      return instance;
    } catch (error) {
      throw new EventsUnavailableError(`the event store can't be opened again: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  async #abandonAll(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.abandon()));
  }
}

/** Returns the settings of an instance. To share an instance, all settings must be equal. */
export function engineSettings(options: DatabaseOptions): Record<string, string> {
  return {
    memory_limit: `${options.memoryLimitBytes}B`,
    threads: String(options.threads),
    temp_directory: join(options.folder, "temp"),
    max_temp_directory_size: `${options.maxTempBytes}B`,
    autoload_known_extensions: "false",
    autoinstall_known_extensions: "false",
    allow_community_extensions: "false",
    // A checkpoint would delay commits; the writer runs it between loads.
    checkpoint_threshold: "1GB",
    // Otherwise the allocator of the engine keeps the memory of statements that have ended, up to the limit.
    allocator_background_threads: "true",
    allocator_flush_threshold: "16MB",
    allocator_bulk_deallocation_flush_threshold: "16MB",
  };
}

interface OpenedFile {
  readonly instance: DuckDBInstance;
  readonly tables: StoreTables;
  /** Whether commits came from a log left by an unclean end. */
  readonly hadLog: boolean;
}

async function openFile(options: DatabaseOptions): Promise<OpenedFile> {
  const file = databaseFile(options.folder);
  let instance: DuckDBInstance | undefined;
  try {
    makePrivateFolder(options.folder);
    makePrivateFolder(options.stagingFolder);
    // The folders were created in the pool, so its threads exist; the engine's threads start next.
    const { niceness = 0 } = options;
    if (niceness > 0) await lowerPoolPriority(niceness);
    const hadLog = (await sizeOf(logFile(options.folder))) > 0;
    // With `create`, a second instance of the same process would be another database on the same file.
    instance = await DuckDBInstance.fromCache(file, engineSettings(options));
    const tables = await lockDown(instance, options);
    // The engine creates these with the modes of the process.
    await Promise.all([file, logFile(options.folder), join(options.folder, "temp")].map(tightenLater));
    return { instance, tables, hadLog };
  } catch (error) {
    instance?.closeSync();
    throw openError(file, options, error);
  }
}

async function lockDown(instance: DuckDBInstance, options: DatabaseOptions): Promise<StoreTables> {
  const connection = await instance.connect();
  await using session = new Session(connection, { signal: undefined, onFatal() {}, onClose() {} });
  const [[isLocked]] = (await session.rows("SELECT current_setting('lock_configuration')")) as [[boolean]];
  if (isLocked) throw new EventsOpenError("it is open in this process already");
  // No other process has the folder at this point.
  await rm(scratchFolder(options), { recursive: true, force: true });
  await mkdir(scratchFolder(options), { mode: 0o700 });
  const readable = [options.stagingFolder, scratchFolder(options)].map(textLiteral);
  await session.run(`SET allowed_directories = [${readable.join(", ")}]`);
  // The cache mixes a file with an earlier one of its path. Each file of rows is read once anyway.
  await session.run("SET enable_external_file_cache = false");
  await session.run("SET enable_external_access = false");
  await session.run("SET lock_configuration = true");
  return await openCatalog(session);
}

function openError(file: string, { memoryLimitBytes }: DatabaseOptions, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = error.cause instanceof Error ? error.cause.message : error.message;
  const holder = /\(PID (\d+)\)/.exec(message)?.[1];
  if (/Could not set lock on file/.test(message))
    return new EventsOpenError(
      `the events in "${file}" are in use by another process${holder === undefined ? "" : ` (${holder})`}`,
      { cause: error },
    );
  const why = storeError(error.cause instanceof Error ? error.cause : error) as Error;
  if (why instanceof EventsMemoryError) {
    const advice = `it takes more memory than the ${Math.floor(memoryLimitBytes / 1_048_576)} MiB that the engine may have`;
    return new EventsOpenError(`the events in "${file}" can't be opened: ${advice}`, { cause: why });
  }
  if (/replaying WAL/.test(message)) {
    const advice = `move it away to go on without it: what it holds is loaded again from the spool`;
    return new EventsOpenError(`the log "${file}.wal" of the events is damaged: ${advice}`, { cause: error });
  }
  const cause = why.cause instanceof Error ? why.cause : why;
  const advice = isDamage.test(message)
    ? ": restore it, or move it away to load again what the spool still holds"
    : "";
  return new EventsOpenError(`the events in "${file}" can't be opened: ${firstLine(cause)}${advice}`, {
    cause: error,
  });
}

/** Messages of the engine about a truncated or overwritten file. */
const isDamage = /Could not read enough bytes|not a valid DuckDB|corrupt|checksum/i;

/** Returns the size in bytes; 0 when the file is missing. */
export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

async function checkpointAndClose(instance: DuckDBInstance): Promise<void> {
  try {
    const connection = await instance.connect();
    try {
      await connection.run("CHECKPOINT");
    } finally {
      connection.closeSync();
    }
  } catch {
    // Commits are in the log, which is read when the file is opened.
  }
  instance.closeSync();
}
