import { type FileHandle, open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { encodedStart } from "./deadletters.ts";

/** A file with dead letters, which a rotation renames. */
export interface Part {
  readonly path: string;
  /**
   * The number of its inode, which stays when it is renamed, and a checksum of its beginning: a new file may have the
   * inode of a deleted one.
   */
  readonly name: string;
  readonly size: number;
}

/** A line without its line end, and the place of its first byte. */
export interface Line {
  readonly offset: number;
  readonly bytes: Buffer;
}

const blockBytes = 262_144;
/** Most lines are shorter. */
const lineBytes = 4_096;
const lf = 0x0a;

/** Finds a file and its rotated files, the oldest first. */
export async function findParts(file: string): Promise<readonly Part[]> {
  const folder = dirname(file);
  const name = basename(file);
  const names = await readdir(folder).catch(ignoreMissing);
  const numbered = (names ?? []).flatMap((one) => {
    const rest = one.startsWith(name) ? one.slice(name.length) : undefined;
    if (rest === "") return [{ path: join(folder, one), number: 0 }];
    return rest !== undefined && /^\.\d{1,9}$/.test(rest)
      ? [{ path: join(folder, one), number: Number(rest.slice(1)) }]
      : [];
  });
  const found = await Promise.all(
    numbered.sort((a, b) => b.number - a.number).map(({ path }) => readPart(path).catch(ignoreMissing)),
  );
  // A rotation meanwhile shows one file under two names.
  return [...new Map(found.flatMap((part) => (part === undefined ? [] : [[part.name, part]]))).values()];
}

/** Returns undefined for a file without a line. */
async function readPart(path: string): Promise<Part | undefined> {
  await using handle = await open(path, "r");
  return await describePart(path, handle);
}

const headBytes = 1_024;

/** The checksum is that of the first line, or of the beginning of a long one, without what a removal changes. */
async function describePart(path: string, handle: FileHandle): Promise<Part | undefined> {
  const { ino, size } = await handle.stat({ bigint: true });
  const head = await readBlock(handle, 0, Math.min(headBytes, Number(size)));
  const end = head.indexOf(lf);
  if (end < 0 && head.length < headBytes) return undefined;
  const check = crc32(head.subarray(encodedStart.length, end < 0 ? headBytes : end));
  return { path, name: `${ino.toString(36)}-${check.toString(36)}`, size: Number(size) };
}

/** Opens a part, also one that was rotated after it was found. Returns undefined when it was deleted. */
export async function openPart(
  file: string,
  part: Part,
  flags: "r" | "r+",
): Promise<(FileHandle & AsyncDisposable) | undefined> {
  for (let found: Part | undefined = part; found !== undefined; ) {
    const handle = await open(found.path, flags).catch(ignoreMissing);
    const opened = handle && (await describePart(found.path, handle));
    if (opened?.name === part.name) return handle;
    await handle?.close();
    const before: string = found.path;
    found = (await findParts(file)).find((one) => one.name === part.name && one.path !== before);
  }
  return undefined;
}

/** Reads whole lines that end at or before a place: the last ones of them, at least one if there is one. */
export async function readBefore(
  handle: FileHandle,
  end: number,
): Promise<{ readonly lines: readonly Line[]; readonly start: number }> {
  for (let length = blockBytes; ; length *= 4) {
    const from = Math.max(0, end - length);
    const block = await readBlock(handle, from, end);
    const first = from === 0 ? 0 : block.indexOf(lf) + 1;
    const lines = linesOf(block.subarray(first), from + first);
    if (lines.length > 0 || from === 0) return { lines, start: from + first };
  }
}

/** Reads whole lines from the start of one: at least one if there is one. */
export async function readAfter(
  handle: FileHandle,
  start: number,
  size: number,
  firstBytes = blockBytes,
): Promise<{ readonly lines: readonly Line[]; readonly end: number }> {
  for (let length = firstBytes; ; length *= 4) {
    const to = Math.min(size, start + length);
    const block = await readBlock(handle, start, to);
    const lines = linesOf(block, start);
    if (lines.length > 0 || to === size) return { lines, end: start + block.lastIndexOf(lf) + 1 };
  }
}

/** Returns the line that begins at a place; undefined if none does. */
export async function readLineAt(handle: FileHandle, offset: number): Promise<Line | undefined> {
  if (offset > 0 && (await readBlock(handle, offset - 1, offset))[0] !== lf) return undefined;
  const { size } = await handle.stat();
  return (await readAfter(handle, offset, size, lineBytes)).lines[0];
}

async function readBlock(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(Math.max(0, to - from));
  let length = 0;
  while (length < block.length) {
    const { bytesRead } = await handle.read(block, length, block.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return block.subarray(0, length);
}

/** Leaves out what follows the last line end. */
function linesOf(block: Buffer, offset: number): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (let end = block.indexOf(lf); end >= 0; end = block.indexOf(lf, start)) {
    lines.push({ offset: offset + start, bytes: block.subarray(start, end) });
    start = end + 1;
  }
  return lines;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}
