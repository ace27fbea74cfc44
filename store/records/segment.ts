import { open } from "node:fs/promises";
import { dirname } from "node:path";

/** The file operations in use, which a test can make fail. */
export interface SegmentFileSystem {
  open(path: string, flags: string, mode: number): Promise<SegmentHandle>;
}

/** The part of `FileHandle` in use. */
export interface SegmentHandle {
  stat(): Promise<{ readonly size: number }>;
  read(
    bytes: Uint8Array,
    offset: number,
    length: number,
    at: number,
  ): Promise<{ readonly bytesRead: number }>;
  /** Appends; may write only a part. */
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  truncate(size: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** One file of lines, open for appending. */
export interface Segment {
  size(): number;
  /** Resolves when all bytes are on disk. When it rejects, none counts: partly written bytes are truncated. */
  append(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const lf = 0x0a;
const tailBytes = 65_536;

/**
 * Opens or creates a file. A last line without an end was never acknowledged, so it is truncated.
 * @param torn called with the number of truncated bytes
 */
export async function openSegment(
  path: string,
  fileSystem: SegmentFileSystem = { open },
  torn: (bytes: number) => void = () => {},
): Promise<Segment> {
  const handle = await fileSystem.open(path, "a+", 0o600);
  let size = 0;
  try {
    const foundSize = (await handle.stat()).size;
    size = await wholeLines(handle, foundSize);
    await handle.truncate(size);
    if (foundSize > size) torn(foundSize - size);
    if (foundSize === 0) await syncFolder(dirname(path));
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    size: () => size,
    async append(bytes) {
      try {
        for (let offset = 0; offset < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, offset, bytes.length - offset);
          offset += bytesWritten;
        }
        await handle.datasync();
      } catch (error) {
        await handle.truncate(size).catch(() => {});
        throw error;
      }
      size += bytes.length;
    },
    close: () => handle.close(),
  };
}

/** Syncs a folder, so that the name of a new file survives a power failure too. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}

/** Returns the size up to the end of the last whole line. */
async function wholeLines(handle: SegmentHandle, size: number): Promise<number> {
  const buffer = new Uint8Array(tailBytes);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - tailBytes);
    const { bytesRead } = await handle.read(buffer, 0, end - start, start);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(lf);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}
