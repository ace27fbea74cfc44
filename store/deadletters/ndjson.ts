import { dirname } from "node:path";
import { type AppendFile, type FileSystem, nodeFileSystem, openAppendFile, rotate } from "./append-file.ts";
import type { DeadLetters } from "./deadletters.ts";
import { createQueue, type QueueOptions, type Writer, wholeLines } from "./queue.ts";

export interface NdjsonDeadLettersOptions extends QueueOptions {
  /** Created with mode 0600, its folder with 0700, at the first dead letter. */
  readonly file: string;
  /** The file is rotated before it exceeds this size: `file` becomes `file.1`, `file.1` becomes `file.2`, … */
  readonly maxBytes: number;
  /** The number of rotated files kept beside the current one. */
  readonly keepFiles: number;
  readonly fileSystem?: FileSystem;
}

/**
 * Stores dead letters as lines of one file, written in the background in the order of the calls. Reads
 * nothing at start.
 */
export function openNdjsonDeadLetters(options: NdjsonDeadLettersOptions): DeadLetters {
  return createQueue(createWriter(options), options);
}

function createWriter(options: NdjsonDeadLettersOptions): Writer {
  const { file, maxBytes, keepFiles, fileSystem = nodeFileSystem } = options;
  let open: AppendFile | undefined;
  let current: Uint8Array | undefined;
  let written = 0;

  async function openFile(): Promise<AppendFile> {
    if (open === undefined) {
      await fileSystem.mkdir(dirname(file), { recursive: true, mode: 0o700 });
      open = await openAppendFile(fileSystem, file);
    }
    return open;
  }
  async function close(): Promise<void> {
    const closing = open;
    open = undefined;
    await closing?.close();
  }
  return {
    close,
    async write(ndjson) {
      if (current !== ndjson) written = 0;
      current = ndjson;
      while (written < ndjson.length) {
        const target = await openFile();
        const end =
          written + wholeLines(ndjson.subarray(written), maxBytes - target.size(), target.size() === 0);
        if (end > written) {
          await target.append(ndjson.subarray(written, end));
          written = end;
        } else {
          await close();
          await rotate(fileSystem, file, keepFiles);
        }
      }
    },
  };
}
