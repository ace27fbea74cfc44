import { isUtf8 } from "node:buffer";
import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import { openArray, openObject, quote } from "../../../base/json/bytes.ts";
import { JsonCursor } from "../../../base/json/cursor.ts";
import { parseWithBigInts } from "../../../base/json/exact-numbers.ts";
import { JsonFault } from "../../../base/json/fault.ts";
import type { RawRecord } from "../accept-records.ts";
import { refuseLarge } from "../body/record-bounds.ts";
import { findRecords, type RecordList, type RecordShapes, scanWhole } from "../body/record-list.ts";
import { notJson } from "../body/request-data.ts";
import { BodyFault } from "./body-fault.ts";

/** The records of a body. */
export interface IngestBody {
  readonly list: RecordList;
  /** `#app_id` next to `data`. */
  readonly appid: string | undefined;
}

/** Writing JSON recurses for each level. */
const maxDepth = 64;
const maxKeyBytes = 1_024;

/** Reads the JSON of a body: a list of records, one record, or an envelope with a list in `data`. @throws BodyFault */
export async function readIngestBody(
  bytes: Buffer,
  yieldToEventLoop: YieldToEventLoop,
  shapes?: RecordShapes,
): Promise<IngestBody> {
  try {
    const body = isUtf8(bytes) ? await findBody(bytes, yieldToEventLoop, shapes) : undefined;
    if (body !== undefined) return body;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  throw new BodyFault(notJson);
}

async function findBody(
  bytes: Buffer,
  yieldToEventLoop: YieldToEventLoop,
  shapes: RecordShapes | undefined,
): Promise<IngestBody | undefined> {
  const cursor = new JsonCursor(bytes, Number.POSITIVE_INFINITY);
  if (cursor.next() === openObject) return readObject(cursor, yieldToEventLoop, shapes);
  const list = await findRecords(cursor, yieldToEventLoop, shapes);
  if (list === undefined) return undefined;
  cursor.finish();
  return { list, appid: undefined };
}

/**
 * Reads one record, or an envelope: it has a list `data` and no `#type`. The last member of a name counts, as for every
 * reader.
 */
async function readObject(
  cursor: JsonCursor,
  yieldToEventLoop: YieldToEventLoop,
  shapes: RecordShapes | undefined,
): Promise<IngestBody | undefined> {
  const bytes = cursor.bytes as Buffer;
  const start = cursor.at;
  let data: RecordList | undefined;
  let appid: string | undefined;
  let isRecord = false;
  for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
    const key = shortText(bytes, cursor.keyStart - 1, cursor.keyEnd + 1);
    const valueStart = cursor.at;
    const isList = key === "data" && bytes[valueStart] === openArray;
    const list = isList ? await findRecords(cursor, yieldToEventLoop, shapes) : undefined;
    if (isList ? list === undefined : (await scanWhole(cursor, yieldToEventLoop)) !== "end") return undefined;
    if (key === "data") data = list;
    if (key === "#type") isRecord = true;
    if (key === "#app_id") appid = shortText(bytes, valueStart, cursor.at);
  }
  const end = cursor.at;
  cursor.finish();
  if (data !== undefined && !isRecord) return { list: data, appid };
  if (data !== undefined && data.faults.size > 0) return undefined;
  const large = refuseLarge(bytes.subarray(start, end));
  const faults = new Map(large === undefined ? [] : [[0, large]]);
  const list = { bytes, start, end, starts: [start], ends: [end], faults, depth: cursor.deepest };
  return { list, appid: undefined };
}

/** Returns the text of a JSON string; undefined for any other value, and for more than a key or an app id may have. */
function shortText(bytes: Buffer, start: number, end: number): string | undefined {
  if (bytes[start] !== quote || end - start > maxKeyBytes) return undefined;
  return JSON.parse(bytes.toString("utf8", start, end)) as string;
}

/** Parses the records. @throws BodyFault if one is nested too deeply to be written */
export async function toRawRecords(
  { list }: IngestBody,
  yieldToEventLoop: YieldToEventLoop,
): Promise<readonly RawRecord[]> {
  const { bytes, starts, ends, faults, depth } = list;
  if (depth > maxDepth) throw new BodyFault(`Data format error, more than ${maxDepth} levels`);
  const records: RawRecord[] = [];
  for (const [index, start] of starts.entries()) {
    const text = bytes.toString("utf8", start, ends[index]);
    const refusal = faults.get(index);
    records.push(refusal === undefined ? { json: parseWithBigInts(text), text } : { refusal, text });
    const wait = yieldToEventLoop();
    if (wait !== undefined) await wait;
  }
  return records;
}

/** Returns the list of the valid records, which is the original bytes if all are valid. */
export function validBytes({ list }: IngestBody): Uint8Array {
  const { bytes, start, end, starts, ends, faults } = list;
  if (faults.size === 0) return bytes.subarray(start, end);
  const pieces = starts.flatMap((from, index) =>
    faults.has(index) ? [] : [separator, bytes.subarray(from, ends[index])],
  );
  return Buffer.concat([Buffer.from("["), ...pieces.slice(1), Buffer.from("]")]);
}

const separator = Buffer.from(",");
