import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import { unscannedBytes } from "../../../base/json/bounds.ts";
import {
  backslash,
  classOf,
  closeArray,
  closeObject,
  comma,
  isSpace,
  openArray,
  openObject,
  quote,
} from "../../../base/json/bytes.ts";
import type { JsonCursor, Progress } from "../../../base/json/cursor.ts";
import { ValueShapes } from "../../../base/json/value-shapes.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { BodyFault } from "../ingest/body-fault.ts";
import { type RefusedRecord, refuse } from "../record/record.ts";
import { refuseLarge } from "./record-bounds.ts";

/** The places of the records in a body. */
export interface RecordList {
  /** The whole body. */
  readonly bytes: Buffer;
  /** Range of the list, or of the only record, within `bytes`. */
  readonly start: number;
  readonly end: number;
  /** The range of each record, within `bytes`. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The faults of elements that are not JSON or too large, by index. The records around them are accepted. */
  readonly faults: ReadonlyMap<number, RefusedRecord>;
  /** The largest number of lists and objects within each other in one record. */
  readonly depth: number;
}

/** The number of records that one transaction of the loader takes. */
const maxRecords = 50_000;
/** Bytes that are read before the event loop is yielded to: about 1 ms. */
const sliceBytes = 262_144;
/** Faults of one body that are described with their places. */
const maxDescribed = 100;
const notJson: RefusedRecord = refuse("not_json", "", "record is not JSON");

/** The shapes of the records of a project, with their depths. */
export type RecordShapes = ValueShapes<number>;

const maxShapes = 8;

export function createRecordShapes(): RecordShapes {
  return new ValueShapes(maxShapes);
}

/**
 * Finds the elements of the JSON list at the cursor, which is after the list
 * then. An element that is not JSON, such as one with NaN, is a fault of its own
 * as long as brackets and quotation marks tell where it ends. Returns undefined
 * if it is not a list, or if no element is JSON.
 * @throws BodyFault for too many elements
 * @param cursor of valid UTF-8
 * @param shapes of the project's records so far
 */
export async function findRecords(
  cursor: JsonCursor,
  yieldToEventLoop: YieldToEventLoop,
  shapes?: RecordShapes,
): Promise<RecordList | undefined> {
  const bytes = cursor.bytes as Buffer;
  const start = cursor.at;
  const starts: number[] = [];
  const ends: number[] = [];
  const faults = new Map<number, RefusedRecord>();
  if (bytes[start] !== openArray) return undefined;
  const outer = cursor.deepest;
  let more = cursor.firstItem();
  const { depth } = cursor;
  let deepest = depth;
  const reader = shapes?.open(bytes);
  for (; more; more = cursor.nextItem()) {
    const { at } = cursor;
    const levels = reader?.read(at);
    cursor.deepest = depth + (levels ?? 0);
    if (levels !== undefined) cursor.at = reader!.end;
    const scanned =
      levels === undefined ? scanWhole(cursor, yieldToEventLoop) : (yieldToEventLoop() ?? "end");
    // Most records take no yieldToEventLoop, and waiting for each takes half as long as scanning it.
    const progress = typeof scanned === "string" ? scanned : ((await scanned) ?? "end");
    deepest = Math.max(deepest, cursor.deepest);
    let end = cursor.at;
    if (progress !== "end" || !isElementEnd(cursor.next())) {
      const faultAt = progress === "end" ? end : cursor.tokenStart;
      end = endOfLooseElement(bytes, at);
      if (end === -1) return undefined;
      const isDescribed = faults.size < maxDescribed;
      faults.set(starts.length, isDescribed ? refuseElement(bytes, starts.length, at, faultAt) : notJson);
      cursor.at = end;
      cursor.depth = depth;
    } else {
      const large = end - at > unscannedBytes ? refuseLarge(bytes.subarray(at, end)) : undefined;
      if (large !== undefined) faults.set(starts.length, large);
      else if (levels === undefined) reader?.learn(at, end, [], cursor.deepest - depth);
    }
    starts.push(at);
    ends.push(end);
    if (starts.length > maxRecords) {
      throw new BodyFault(`Data format error, ${starts.length} records, at most ${maxRecords} are valid`);
    }
  }
  reader?.finish();
  const list = { bytes, start, end: cursor.at, starts, ends, faults, depth: deepest - depth };
  cursor.deepest = Math.max(outer, deepest);
  const isNone = starts.every((_, index) => faults.get(index)?.reason === "not_json");
  return isNone && starts.length > 0 ? undefined : list;
}

/** Reads one value to its end, in slices, and yields to the event loop between them. */
export function scanWhole(
  cursor: JsonCursor,
  yieldToEventLoop: YieldToEventLoop,
): Progress | Promise<Progress> {
  const progress = cursor.scan(cursor.at + sliceBytes);
  const wait = yieldToEventLoop();
  if (progress !== "more") return wait === undefined ? progress : wait.then(() => progress);
  return (wait ?? Promise.resolve()).then(() => scanWhole(cursor, yieldToEventLoop));
}

function isElementEnd(next: number): boolean {
  return next === comma || next === closeArray;
}

/**
 * Returns the end of a list's element that is not JSON, as far as quotation
 * marks and brackets tell; −1 if they do not, or if nothing is there.
 */
function endOfLooseElement(bytes: Uint8Array, from: number): number {
  const closers: number[] = [];
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = endOfLooseText(bytes, at + 1);
      if (at === -1) return -1;
    } else if (byte === openArray) closers.push(closeArray);
    else if (byte === openObject) closers.push(closeObject);
    else if (closers.length === 0 && isElementEnd(byte)) return trimmedEnd(bytes, from, at);
    else if ((byte === closeArray || byte === closeObject) && closers.pop() !== byte) return -1;
  }
  return -1;
}

function trimmedEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && (classOf[bytes[end - 1]!]! & isSpace) !== 0) end--;
  return end === from ? -1 : end;
}

/** Returns the offset of the quotation mark that ends a text. */
function endOfLooseText(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) at++;
  }
  return -1;
}

/** Describes an element that is not JSON: its place in the list, counted from 1, and the byte of the fault in it. */
function refuseElement(bytes: Buffer, index: number, start: number, faultAt: number): RefusedRecord {
  const token = /^[^\s,:{}[\]"]+/.exec(bytes.toString("utf8", faultAt, faultAt + 200))?.[0];
  const found = token === undefined ? "" : `, ${quoteText(token)} is not a JSON value`;
  const place = `record ${index + 1} of the list`;
  return { ...notJson, message: `${place} is not JSON at byte ${faultAt - start} of it${found}` };
}
