import { statSync } from "node:fs";
import type { Progress } from "../terminal/progress.ts";
import { StoppedError } from "../terminal/user-error.ts";
import { type FileOptions, readImportFile } from "./files.ts";
import { argumentsOf, describePosition, type ImportPosition } from "./position.ts";
import type { ImportSummary } from "./summary.ts";
import type { ImportOptions, ImportStreams, ImportTarget, PlaceOf } from "./target.ts";

export interface ReadingPorts {
  readonly sourceOf: (file: string) => FileOptions;
  readonly target: ImportTarget;
  readonly summary: ImportSummary;
  readonly progress: Progress;
  /** Writes the summary. */
  readonly writeSummary: () => void;
  readonly options: ImportOptions;
  readonly streams: Pick<ImportStreams, "stderr">;
  readonly signal: AbortSignal;
  /** Called at the end with the position before which everything is stored. */
  readonly storePosition?: (position: ImportPosition) => void;
}

/**
 * Sends files to the target and reports the results. If it ends early, the records read so far are stored, and the
 * position of the rest is reported.
 * @throws StoppedError if the signal was aborted, and the errors of reading or storing
 */
export async function importFiles(files: readonly string[], ports: ReadingPorts): Promise<void> {
  const { target, writeSummary, options, streams, signal } = ports;
  const reading = new Reading(files, ports);
  const faults: unknown[] = [];
  await reading.run().catch((error: unknown) => faults.push(error));
  if (faults.length > 0 && !signal.aborted && reading.takenBlocks === 0) throw faults[0];
  const reportStop = () => {
    const next = describePosition(reading.next, options);
    const where = next === undefined ? "stopping, all is read" : `stopping before ${next}`;
    streams.stderr.write(`engage: ${where}; ${target.whileStopping}\n`);
  };
  if (signal.aborted) reportStop();
  signal.addEventListener("abort", reportStop, { once: true });
  await target.finish().catch((error: unknown) => faults.push(error));
  signal.removeEventListener("abort", reportStop);
  writeSummary();
  ports.storePosition?.(reading.storedTo);
  if (faults.length === 0 && !signal.aborted) return;
  const outcome = outcomeOf(reading, options);
  const fault = faults.find((error) => error !== signal.reason);
  if (fault === undefined) throw new StoppedError(`stopped ${outcome}`);
  streams.stderr.write(`engage: ended ${outcome}\n`);
  throw fault;
}

function outcomeOf({ storedTo, next }: Reading, options: ImportOptions): string {
  const from = describePosition(storedTo, options);
  if (from === undefined) return "when all was done";
  const to = storedTo === next ? undefined : (describePosition(next, options) ?? "the end");
  const uncertain = to === undefined ? "" : `; what is between it and ${to} may be stored or not`;
  return `before ${from}${uncertain}; to go on, give the same options and ${argumentsOf(storedTo)}`;
}

/** Reads files one after the other, and tracks the positions. */
class Reading {
  /** The number of blocks that the target has taken. */
  takenBlocks = 0;
  /** The position at which reading continues. */
  next: ImportPosition;
  /** The position before which all records are on disk, or were refused. */
  storedTo: ImportPosition;
  readonly #ports: ReadingPorts;
  #storedBlocks = 0;

  constructor(files: readonly string[], ports: ReadingPorts) {
    this.#ports = ports;
    this.next = { files, skip: ports.options.skip ?? 0 };
    this.storedTo = this.next;
  }

  async run(): Promise<void> {
    const { progress, signal } = this.#ports;
    try {
      for (;;) {
        const [file, ...others] = this.next.files;
        if (file === undefined) return;
        signal.throwIfAborted();
        await this.#read(file);
        this.#moveTo({ files: others, skip: 0 });
      }
    } finally {
      progress.stop();
    }
  }

  async #read(file: string): Promise<void> {
    const { sourceOf, target, summary, progress, options, signal } = this.#ports;
    const isTraced = options.rejects !== undefined || options.examples !== undefined;
    const { files, skip } = this.next;
    const fileBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    let rows = skip;
    for await (const block of readImportFile(file, { ...sourceOf(file), skip })) {
      signal.throwIfAborted();
      const before = rows;
      const placeOf = (row: number): string => `${file}:${before + row}`;
      summary.failed(block.failures, placeOf);
      rows += block.rows;
      const next = { files, skip: rows };
      const { rowOf = (line) => line } = block;
      const lineOf = isTraced ? (line: number) => placeOf(rowOf(line)) : undefined;
      if (block.lines.length > 0) await this.#take(block.lines, next, target, lineOf);
      else this.#moveTo(next);
      progress.at(file, block.fraction(fileBytes) * fileBytes);
    }
  }

  async #take(
    lines: Uint8Array,
    next: ImportPosition,
    target: ImportTarget,
    placeOf: PlaceOf | undefined,
  ): Promise<void> {
    const number = this.takenBlocks + 1;
    const storedTo = () => {
      this.#storedBlocks = number;
      this.storedTo = number === this.takenBlocks ? this.next : next;
    };
    const taking = target.take(lines, storedTo, placeOf);
    this.takenBlocks = number;
    this.next = next;
    await taking;
  }

  /** Moves past files and rows without records. */
  #moveTo(next: ImportPosition): void {
    this.next = next;
    if (this.#storedBlocks === this.takenBlocks) this.storedTo = next;
  }
}
