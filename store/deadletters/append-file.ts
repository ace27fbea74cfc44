import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";

/** The file operations in use, which a test can make fail. */
export interface FileSystem {
  readonly mkdir: typeof mkdir;
  readonly rename: typeof rename;
  readonly rm: typeof rm;
  open(path: string, flags: string, mode: number): Promise<OpenFile>;
}

export type OpenFile = Pick<FileHandle, "stat" | "read" | "write" | "truncate" | "sync" | "close">;

export const nodeFileSystem: FileSystem = { mkdir, rename, rm, open };

export interface AppendFile {
  size(): number;
  /** Appends all bytes, or none when it rejects: partly written bytes are truncated. */
  append(bytes: Uint8Array): Promise<void>;
  /** Syncs and closes the file. */
  close(): Promise<void>;
}

const lf = 0x0a;

/**
 * Opens or creates a file of lines. An incomplete last line, left by a crash, is ended so that it does
 * not corrupt the next one.
 */
export async function openAppendFile(fileSystem: FileSystem, path: string): Promise<AppendFile> {
  const handle = await fileSystem.open(path, "a+", 0o600);
  let size = 0;
  let isTorn = false;
  try {
    size = (await handle.stat()).size;
    if (size > 0) {
      const { buffer } = await handle.read(new Uint8Array(1), 0, 1, size - 1);
      isTorn = buffer[0] !== lf;
    }
  } catch (error) {
    await handle.close();
    throw error;
  }

  async function writeAll(bytes: Uint8Array): Promise<void> {
    for (let offset = 0; offset < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, offset, bytes.length - offset);
      offset += bytesWritten;
    }
  }
  /** Truncates a failed append, which works on a full disk too. If it fails, the next append begins on a new line. */
  async function truncateToSize(): Promise<void> {
    try {
      await handle.truncate(size);
    } catch {
      isTorn = true;
      size = (await handle.stat()).size;
    }
  }
  async function append(bytes: Uint8Array): Promise<void> {
    try {
      if (isTorn) await writeAll(Uint8Array.of(lf));
      await writeAll(bytes);
    } catch (error) {
      await truncateToSize();
      throw error;
    }
    size += bytes.length + (isTorn ? 1 : 0);
    isTorn = false;
  }
  return {
    size: () => size,
    append,
    async close() {
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

/** Renames `path` to `path.1`, `path.1` to `path.2` and so on, and deletes the oldest file beyond `keepFiles`. */
export async function rotate(fileSystem: FileSystem, path: string, keepFiles: number): Promise<void> {
  const names = [path, ...Array.from({ length: keepFiles }, (_, number) => `${path}.${number + 1}`)];
  const oldest = names.pop();
  if (oldest !== undefined) await fileSystem.rm(oldest, { force: true });
  for (
    let to = oldest, from = names.pop();
    from !== undefined && to !== undefined;
    to = from, from = names.pop()
  ) {
    await fileSystem.rename(from, to).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
