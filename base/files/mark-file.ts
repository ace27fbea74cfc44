import { closeSync, constants, fdatasync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { addChecksums, checkLine } from "./line-checksum.ts";

/**
 * A small file that says what a store has acknowledged, kept apart from that
 * store, so that a start can see what it has lost. It has two slots that are
 * written in turn: a crash within a write leaves the other one.
 */
export interface MarkFile<T extends object> extends Disposable {
  /** What was written last; undefined when the file is new. */
  readonly found: T | undefined;
  /**
   * To be called before what the mark tells of is acknowledged. It outlives the process when
   * this returns, and the computer about a second later. On a disk that fails it stays as it was,
   * so that a loss may go unnoticed, but nothing is reported as lost that is there.
   */
  write(mark: T): void;
}

const slotBytes = 512;
const syncMs = 1_000;
const lf = 0x0a;
const space = 0x20;

interface Slot<T> {
  readonly count: number;
  readonly mark: T;
}

/** The mark of a file; undefined when there is none, or the disk has kept neither of its slots. */
export function readMark<T extends object>(path: string): T | undefined {
  return readSlots<T>(path)?.mark;
}

/** Opens or makes the file, and its folder, for this user alone. */
export function openMarkFile<T extends object>(path: string): MarkFile<T> {
  const found = readSlots<T>(path);
  let count = found?.count ?? 0;
  let file = tryOpen(path);
  let timer: NodeJS.Timeout | undefined;
  return {
    found: found?.mark,
    write(mark) {
      if (file === undefined) return;
      count++;
      try {
        const at = (count % 2) * slotBytes;
        writeSync(file, encodeSlot({ count, mark }, at), 0, slotBytes, at);
      } catch {
        return;
      }
      timer ??= setTimeout(() => {
        timer = undefined;
        if (file !== undefined) fdatasync(file, () => {});
      }, syncMs).unref();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function tryOpen(path: string): number | undefined {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch {
    // On a full disk a store is opened all the same.
    return undefined;
  }
}

function encodeSlot(slot: object, offset: number): Buffer {
  const line = addChecksums(Buffer.from(`${JSON.stringify(slot)}\n`), { number: 0, offset });
  if (line.length > slotBytes) throw new RangeError(`a mark has at most ${slotBytes} bytes`);
  const bytes = Buffer.alloc(slotBytes, space);
  line.copy(bytes);
  bytes[line.length - 1] = space;
  bytes[slotBytes - 1] = lf;
  return bytes;
}

function readSlots<T>(path: string): Slot<T> | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  return [0, slotBytes]
    .map((offset) => decodeSlot<T>(bytes, offset))
    .filter((slot) => slot !== undefined)
    .sort((a, b) => b.count - a.count)[0];
}

function decodeSlot<T>(bytes: Buffer, offset: number): Slot<T> | undefined {
  const text = bytes.toString("latin1", offset, offset + slotBytes).trimEnd();
  const line = Buffer.from(text, "latin1");
  if (checkLine(line, { number: 0, offset }) !== "intact") return undefined;
  return JSON.parse(line.toString()) as Slot<T>;
}
