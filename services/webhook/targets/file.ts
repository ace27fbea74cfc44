import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createSerial } from "../../../base/async/serial.ts";
import type { Target } from "./target.ts";
import { outcomesOf, type WriteMessage, writeAll } from "./write.ts";

export interface FileTargetOptions {
  /** The file is created if it is missing, its folder is not. A renamed file is replaced by a new one. */
  readonly path: string;
  readonly write: WriteMessage;
}

/** Appends a line of JSON for each message and syncs it before the message is done. */
export function createFileTarget({ path, write }: FileTargetOptions): Target {
  let file: AppendedFile | undefined;
  return {
    maxMessages: 1_000,
    async deliver(batch) {
      const texts = writeAll(batch, (input) => oneLine(write(input)));
      const lines = texts.filter((text) => typeof text === "string");
      file ??= shareFile(resolve(path));
      await file.append(lines);
      return outcomesOf(texts, { kind: "done" });
    },
    async [Symbol.asyncDispose]() {
      const used = file;
      file = undefined;
      await used?.release();
    },
  };
}

interface AppendedFile {
  append(lines: readonly string[]): Promise<void>;
  /** Waits for what is being appended. The last target closes the file. */
  release(): Promise<void>;
}

/** Files by path, each with the number of targets that use it. */
const sharedFiles = new Map<string, { readonly file: AppendedFile; targets: number }>();

/** Returns the file at a path. Targets of one path share it, as the old and the new one do while settings change. */
function shareFile(path: string): AppendedFile {
  const shared = sharedFiles.get(path) ?? { file: createAppendedFile(path), targets: 0 };
  sharedFiles.set(path, shared);
  shared.targets++;
  return shared.file;
}

const lineEnd = 0x0a;

function createAppendedFile(path: string): AppendedFile {
  let handle: FileHandle | undefined;
  // Writes are sequential, so that only the last line can be incomplete.
  const serial = createSerial();
  return {
    append: (lines) => serial(() => append(lines)),
    release: () =>
      serial(async () => {
        const shared = sharedFiles.get(path)!;
        if (--shared.targets > 0) return;
        sharedFiles.delete(path);
        await handle?.close();
      }),
  };

  async function append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    try {
      handle = await current(handle);
      await handle.appendFile(lines.map((line) => `${line}\n`).join(""));
      await handle.datasync();
    } catch (error) {
      // A failed write may leave an incomplete line, which the next opening ends.
      await handle?.close().catch(() => undefined);
      handle = undefined;
      throw error;
    }
  }

  /** Returns the file that is at the path now. */
  async function current(known: FileHandle | undefined): Promise<FileHandle> {
    if (known !== undefined) {
      const [own, there] = await Promise.all([known.stat(), stat(path).catch(() => undefined)]);
      if (own.ino === there?.ino && own.dev === there.dev) return known;
      await known.close();
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
