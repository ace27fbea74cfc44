import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { BodyFault } from "../ingest/body-fault.ts";
import type { RefusedRecord } from "../record/record.ts";
import { refuse } from "../record/refusal.ts";
import {
  byteAt,
  endOfLooseElement,
  type Progress,
  scanValue,
  skipBlanks,
  startScan,
  type ValueScan,
} from "./json-scan.ts";
import { refuseLarge } from "./record-bounds.ts";

/** Where the records of a body stand. */
export interface RecordList {
  /** The whole body. */
  readonly bytes: Buffer;
  /** The list, or the one record, within `bytes`. */
  readonly start: number;
  readonly end: number;
  /** Of each record, within `bytes`. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** By place: what is no JSON, where the records around it still are. */
  readonly faults: ReadonlyMap<number, RefusedRecord>;
  /** Most lists and objects within each other in one record. */
  readonly depth: number;
}

/** As many as one transaction of the loader takes. */
const maxRecords = 50_000;
const comma = 44;
const openList = 91;
const closeList = 93;
/** Scanned at once: about 1 ms. */
const sliceBytes = 262_144;
/** Faults of one body that are described, with their places. */
const maxDescribed = 100;
const notJson: RefusedRecord = refuse("not_json", "", "record is not JSON");

/**
 * Finds the elements of the JSON list that begins at `start`. An element that
 * is no JSON, such as one with NaN, is a fault of its own as long as brackets
 * and quotation marks tell where it ends. Undefined when it is no list, or no
 * element is JSON.
 * @throws BodyFault when there are too many
 * @param bytes valid UTF-8
 */
export async function findRecords(
  bytes: Buffer,
  start: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<RecordList | undefined> {
  const starts: number[] = [];
  const ends: number[] = [];
  const faults = new Map<number, RefusedRecord>();
  let depth = 0;
  if (byteAt(bytes, start) !== openList) return undefined;
  let at = skipBlanks(bytes, start + 1);
  if (byteAt(bytes, at) === closeList) return { bytes, start, end: at + 1, starts, ends, faults, depth };
  for (;;) {
    const scan = startScan(at);
    const scanned = scanWhole(bytes, scan, yieldToEventLoop);
    // Most records need no yield, and waiting for each takes half as long as scanning it.
    const progress = typeof scanned === "string" ? scanned : await scanned;
    let end = scan.at;
    if (progress !== "end" || !isElementEnd(bytes, end)) {
      end = endOfLooseElement(bytes, at);
      if (end === -1) return undefined;
      const isDescribed = faults.size < maxDescribed;
      faults.set(starts.length, isDescribed ? refuseElement(bytes, starts.length, at, scan.at) : notJson);
    }
    const large = faults.has(starts.length) ? undefined : refuseLarge(bytes.subarray(at, end));
    if (large !== undefined) faults.set(starts.length, large);
    depth = Math.max(depth, scan.depth);
    starts.push(at);
    ends.push(end);
    if (starts.length > maxRecords) {
      throw new BodyFault(`Data format error, ${starts.length} records, at most ${maxRecords} are taken`);
    }
    at = skipBlanks(bytes, end);
    if (byteAt(bytes, at) === closeList) {
      const isNone = starts.every((_, index) => faults.get(index)?.reason === "not_json");
      return isNone ? undefined : { bytes, start, end: at + 1, starts, ends, faults, depth };
    }
    at = skipBlanks(bytes, at + 1);
  }
}

/** One value to its end, with turns for others. */
export function scanWhole(
  bytes: Buffer,
  scan: ValueScan,
  yieldToEventLoop: YieldToEventLoop,
): Progress | Promise<Progress> {
  const progress = scanValue(bytes, scan, scan.at + sliceBytes);
  const wait = yieldToEventLoop();
  if (progress !== "more") return wait === undefined ? progress : wait.then(() => progress);
  return (wait ?? Promise.resolve()).then(() => scanWhole(bytes, scan, yieldToEventLoop));
}

function isElementEnd(bytes: Buffer, end: number): boolean {
  const next = byteAt(bytes, skipBlanks(bytes, end));
  return next === comma || next === closeList;
}

/** Names what is wrong, and its place: of the record in the list from 1, of the fault in the record in bytes. */
function refuseElement(bytes: Buffer, index: number, start: number, faultAt: number): RefusedRecord {
  const token = /^[^\s,:{}[\]"]+/.exec(bytes.toString("utf8", faultAt, faultAt + 200))?.[0];
  const found = token === undefined ? "" : `, ${quoteText(token)} is none of its values`;
  const place = `record ${index + 1} of the list`;
  return { ...notJson, message: `${place} is not JSON at byte ${faultAt - start} of it${found}` };
}
