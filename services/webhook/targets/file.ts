import { constants, type FileHandle, open, stat } from "node:fs/promises";
import type { Target } from "./target.ts";
import { outcomesOf, type WriteMessage, writeAll } from "./write.ts";

export interface FileTargetOptions {
  /** The file is created if it is missing, its folder is not. A renamed file is replaced by a new one. */
  readonly path: string;
  readonly write: WriteMessage;
}

const lineEnd = 0x0a;

/** Appends a line of JSON for each message and syncs it before the message is done. */
export function createFileTarget({ path, write }: FileTargetOptions): Target {
  let file: FileHandle | undefined;
  // Writes are sequential, so that only the last line can be incomplete.
  let last: Promise<unknown> = Promise.resolve();
  return {
    maxMessages: 1_000,
    async deliver(batch) {
      const texts = writeAll(batch, (input) => oneLine(write(input)));
      const lines = texts.filter((text) => typeof text === "string");
      const written = last.then(() => append(lines));
      last = written.catch(() => undefined);
      await written;
      return outcomesOf(texts, { kind: "done" });
    },
    async [Symbol.asyncDispose]() {
      await last;
      await file?.close();
      file = undefined;
    },
  };

  async function append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    try {
      file = await current(file);
      await file.appendFile(lines.map((line) => `${line}\n`).join(""));
      await file.datasync();
    } catch (error) {
      // A failed write may leave an incomplete line, which the next opening ends.
      await file?.close().catch(() => undefined);
      file = undefined;
      throw error;
    }
  }

  /** Returns the file that is at the path now. */
  async function current(handle: FileHandle | undefined): Promise<FileHandle> {
    if (handle !== undefined) {
      const [own, there] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
      if (own.ino === there?.ino && own.dev === there.dev) return handle;
      await handle.close();
    }
    const { O_CREAT, O_APPEND, O_RDWR } = constants;
    const opened = await open(path, O_CREAT | O_APPEND | O_RDWR, 0o640);
    const { size } = await opened.stat();
    const { buffer } = await opened.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) });
    if (size > 0 && buffer[0] !== lineEnd) await opened.appendFile("\n");
    return opened;
  }
}

/** Replaces line ends by spaces: in JSON they occur only between values. */
function oneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, " ");
}
