import { closeSync, constants, fdatasync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { addChecksums, checkLine } from "./line-checksum.ts";

/**
 * A small file that records what a store has acknowledged, apart from that store, so that a start can detect a loss. It
 * has two slots that are written alternately: a crash during a write leaves the other one intact.
 */
export interface MarkFile<T extends object> extends Disposable {
  /** The mark that was written last; undefined when the file is new. */
  readonly found: T | undefined;
  /**
   * Writes the mark; call it before acknowledging what the mark describes. The mark outlives the process when this
   * returns, and the computer about a second later. On a failing disk the old mark stays, so that a loss may go
   * unnoticed, but existing data is never reported as lost.
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

/** Returns the mark of a file; undefined if the file holds no mark, or both slots are damaged. */
export function readMark<T extends object>(path: string): T | undefined {
  return readSlots<T>(path)?.mark;
}

/** Opens or creates the file and its folder, readable for this user only. */
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
    // On a full disk a store is opened nevertheless.
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
