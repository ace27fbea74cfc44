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
  /**
   * Reads all bytes of a result.
   * @throws EventsUnavailableError when the folder is full
   */
  keep(parts: AsyncIterable<Buffer>): Promise<Spool>;
}

/** The bytes of a result, until it is disposed of. */
export interface Spool extends AsyncDisposable {
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
    async keep(parts) {
      const spool = new Pieces(folder, reserve, (bytes) => {
        usedBytes -= bytes;
      });
      try {
        for await (const part of parts) await spool.add(part);
        return spool;
      } catch (error) {
        await spool[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

class Pieces implements Spool {
  readonly #folder: string;
  readonly #reserve: (bytes: number) => void;
  readonly #release: (bytes: number) => void;
  #pieces: Buffer[] = [];
  #inMemory = 0;
  #file: FileHandle | undefined;
  #inFile = 0;

  constructor(folder: string, reserve: (bytes: number) => void, release: (bytes: number) => void) {
    this.#folder = folder;
    this.#reserve = reserve;
    this.#release = release;
  }

  async add(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#inMemory += piece.length;
    if (this.#inMemory > maxMemoryBytes) await this.#write();
  }

  /** The file holds what comes first. */
  async *read(): AsyncGenerator<Buffer, void> {
    for (let at = 0; at < this.#inFile; ) {
      const block = Buffer.allocUnsafe(Math.min(blockBytes, this.#inFile - at));
      const { bytesRead } = await this.#file!.read(block, 0, block.length, at);
      if (bytesRead === 0) throw new EventsUnavailableError(`a result in "${this.#folder}" was cut off`);
      yield block.subarray(0, bytesRead);
      at += bytesRead;
    }
    yield* this.#pieces;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pieces = [];
    const file = this.#file;
    this.#file = undefined;
    this.#release(this.#inFile);
    this.#inFile = 0;
    await file?.close();
  }

  async #write(): Promise<void> {
    this.#reserve(this.#inMemory);
    const bytes = this.#inMemory;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#inMemory = 0;
    this.#inFile += bytes;
    try {
      this.#file ??= await openUnnamed(this.#folder);
      await this.#file.writev(pieces, this.#inFile - bytes);
    } catch (error) {
      throw new EventsUnavailableError(`can't keep a result in "${this.#folder}": ${describeReason(error)}`, {
        cause: error,
      });
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
