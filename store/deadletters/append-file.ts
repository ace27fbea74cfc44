import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";

/** The file operations used, so that a test can let them fail. */
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
  /** All bytes or, when it rejects, none: what was written of them is cut off again. */
  append(bytes: Uint8Array): Promise<void>;
  /** Syncs before it closes. */
  close(): Promise<void>;
}

const lf = 0x0a;

/** Opens or creates a file of lines; one torn by a crash is ended, so that it spoils no other line. */
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
  /** Cutting works on a full disk too; where it fails, the next append begins on a line of its own. */
  async function cutBack(): Promise<void> {
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
      await cutBack();
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

/** `path` becomes `path.1`, `path.1` becomes `path.2` and so on; the oldest beyond `keepFiles` is removed. */
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
