import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describeReason } from "../../../../base/text/system-error.ts";
import { EventsUnavailableError } from "../../events.ts";

export interface SpoolOptions {
  /** The folder of results which do not fit into memory. */
  readonly folder: string;
  /** The maximum of results in the folder. */
  readonly maxBytes: number;
}

/** Keeps results for slow readers, who then hold no statement on a server. */
export interface Spools {
  /** Begins to read all bytes of a result. */
  keep(parts: AsyncIterable<Buffer>): Spool;
}

/** The bytes of a result, until it is disposed of, which waits until they are kept. */
export interface Spool extends AsyncDisposable {
  /**
   * Resolves when all bytes are kept.
   * @throws EventsUnavailableError when the folder is full, the error of the result
   */
  readonly kept: Promise<void>;
  /** Returns the bytes, while others may still arrive. @throws as `kept` */
  read(): AsyncIterable<Buffer>;
}

/** Smaller results stay in memory. */
const maxMemoryBytes = 4 * 1_048_576;
const blockBytes = 262_144;

export function createSpools({ folder, maxBytes }: SpoolOptions): Spools {
  let usedBytes = 0;
  const reserve = (bytes: number): void => {
    if (usedBytes + bytes > maxBytes)
      throw new EventsUnavailableError(
        `the results of queries need more than ${maxBytes} bytes in "${folder}"`,
      );
    usedBytes += bytes;
  };
  return {
    keep: (parts) =>
      new Pieces(parts, {
        folder,
        reserve,
        release: (bytes) => {
          usedBytes -= bytes;
        },
      }),
  };
}

interface Place {
  readonly folder: string;
  readonly reserve: (bytes: number) => void;
  readonly release: (bytes: number) => void;
}

class Pieces implements Spool {
  readonly kept: Promise<void>;
  readonly #place: Place;
  #pieces: Buffer[] = [];
  #inMemory = 0;
  #isInMemory = true;
  #isKept = false;
  /** Resolves when something has arrived since. */
  #arrival = Promise.withResolvers<void>();
  #file: FileHandle | undefined;
  #inFile = 0;

  constructor(parts: AsyncIterable<Buffer>, place: Place) {
    this.#place = place;
    this.kept = this.#keep(parts);
    // Readers wait for it when they need it.
    this.kept.catch(() => undefined);
  }

  async *read(): AsyncGenerator<Buffer, void> {
    let at = 0;
    for (let next = 0; this.#isInMemory && !this.#isKept; ) {
      const piece = this.#pieces[next];
      if (piece === undefined) await this.#arrival.promise;
      else {
        next++;
        at += piece.length;
        yield piece;
      }
    }
    await this.kept;
    yield* this.#readFrom(at);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kept.catch(() => undefined);
    this.#pieces = [];
    const file = this.#file;
    this.#file = undefined;
    this.#place.release(this.#inFile);
    this.#inFile = 0;
    await file?.close();
  }

  async #keep(parts: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const part of parts) {
        this.#pieces.push(part);
        this.#inMemory += part.length;
        this.#isInMemory &&= this.#inMemory <= maxMemoryBytes;
        this.#arrive();
        if (this.#inMemory > maxMemoryBytes) await this.#write();
      }
    } finally {
      this.#isKept = true;
      this.#arrive();
    }
  }

  #arrive(): void {
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
  }

  /** Returns the bytes from a place on. The file holds what comes first. */
  async *#readFrom(start: number): AsyncGenerator<Buffer, void> {
    let at = start;
    while (at < this.#inFile) {
      const block = Buffer.allocUnsafe(Math.min(blockBytes, this.#inFile - at));
      const { bytesRead } = await this.#file!.read(block, 0, block.length, at);
      if (bytesRead === 0)
        throw new EventsUnavailableError(`a result in "${this.#place.folder}" was cut off`);
      yield block.subarray(0, bytesRead);
      at += bytesRead;
    }
    let from = this.#inFile;
    for (const piece of this.#pieces) {
      if (from >= at) yield piece;
      from += piece.length;
    }
  }

  async #write(): Promise<void> {
    this.#place.reserve(this.#inMemory);
    const bytes = this.#inMemory;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#inMemory = 0;
    this.#inFile += bytes;
    try {
      this.#file ??= await openUnnamed(this.#place.folder);
      await this.#file.writev(pieces, this.#inFile - bytes);
    } catch (error) {
      throw new EventsUnavailableError(
        `can't keep a result in "${this.#place.folder}": ${describeReason(error)}`,
        {
          cause: error,
        },
      );
    }
  }
}

/** The file ends with this process, however it ends. */
async function openUnnamed(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `result-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}
