import { isUtf8 } from "node:buffer";
import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import { parseExactJson } from "../../../store/events/events.ts";
import { byteAt, endOfKey, endOfText, skipBlanks, startScan } from "../body/json-scan.ts";
import { notJson } from "../body/payload.ts";
import { refuseLarge } from "../body/record-bounds.ts";
import { findRecords, type RecordList, scanWhole } from "../body/record-list.ts";
import type { RawRecord } from "../take.ts";
import { BodyFault } from "./body-fault.ts";

/** The records that a body holds, whatever form it came in. */
export interface IngestBody {
  readonly list: RecordList;
  /** `#app_id` beside `data`. */
  readonly appid: string | undefined;
}

/** Writing JSON needs stack for every level. */
const maxDepth = 64;
const maxKeyBytes = 1_024;
const quote = 34;
const openList = 91;
const openObject = 123;
const closeObject = 125;
const comma = 44;

/** Reads the JSON of a body: a list of records, one record, or an envelope with a list in `data`. @throws BodyFault */
export async function readIngestBody(bytes: Buffer, yieldToEventLoop: YieldToEventLoop): Promise<IngestBody> {
  const body = isUtf8(bytes) ? await findBody(bytes, yieldToEventLoop) : undefined;
  if (body === undefined) throw new BodyFault(notJson);
  return body;
}

async function findBody(bytes: Buffer, yieldToEventLoop: YieldToEventLoop): Promise<IngestBody | undefined> {
  const start = skipBlanks(bytes, 0);
  if (byteAt(bytes, start) === openObject) return readObject(bytes, start, yieldToEventLoop);
  const list = await findRecords(bytes, start, yieldToEventLoop);
  return list !== undefined && isEnd(bytes, list.end) ? { list, appid: undefined } : undefined;
}

interface Envelope {
  data: RecordList | undefined;
  appid: unknown;
  isRecord: boolean;
  depth: number;
}

/** One record, unless it has a list `data` and no `#type`. */
async function readObject(
  bytes: Buffer,
  start: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<IngestBody | undefined> {
  const envelope: Envelope = { data: undefined, appid: undefined, isRecord: false, depth: 1 };
  const end = await endOfObject(bytes, start, envelope, yieldToEventLoop);
  if (end === -1) return undefined;
  const { data, isRecord, appid, depth } = envelope;
  if (!isEnd(bytes, end)) return undefined;
  if (data !== undefined && !isRecord)
    return { list: data, appid: typeof appid === "string" ? appid : undefined };
  if (data !== undefined && data.faults.size > 0) return undefined;
  const large = refuseLarge(bytes.subarray(start, end));
  const faults = new Map(large === undefined ? [] : [[0, large]]);
  return { list: { bytes, start, end, starts: [start], ends: [end], faults, depth }, appid: undefined };
}

/** −1 when it is no JSON. */
async function endOfObject(
  bytes: Buffer,
  start: number,
  envelope: Envelope,
  yieldToEventLoop: YieldToEventLoop,
): Promise<number> {
  let at = skipBlanks(bytes, start + 1);
  if (byteAt(bytes, at) === closeObject) return at + 1;
  for (;;) {
    const end = await readMember(bytes, at, envelope, yieldToEventLoop);
    if (end === -1) return -1;
    at = skipBlanks(bytes, end);
    if (byteAt(bytes, at) === closeObject) return at + 1;
    if (byteAt(bytes, at) !== comma) return -1;
    at = skipBlanks(bytes, at + 1);
  }
}

/** After the member; −1 when it is no JSON. The last member of a name counts, as for every reader. */
async function readMember(
  bytes: Buffer,
  at: number,
  envelope: Envelope,
  yieldToEventLoop: YieldToEventLoop,
): Promise<number> {
  const valueAt = endOfKey(bytes, at);
  if (valueAt === -1) return -1;
  const key = textAt(bytes, at);
  const isList = key === "data" && byteAt(bytes, valueAt) === openList;
  const list = isList ? await findRecords(bytes, valueAt, yieldToEventLoop) : undefined;
  const scan = startScan(valueAt);
  if (list === undefined && (await scanWhole(bytes, scan, yieldToEventLoop)) !== "end") return -1;
  if (key === "data") envelope.data = list;
  if (key === "#type") envelope.isRecord = true;
  if (key === "#app_id") envelope.appid = textAt(bytes, valueAt);
  envelope.depth = Math.max(envelope.depth, 1 + (list === undefined ? scan.depth : list.depth + 1));
  return list?.end ?? scan.at;
}

/** A key or an app id; undefined for what is none, or too long for one. */
function textAt(bytes: Buffer, from: number): unknown {
  if (byteAt(bytes, from) !== quote) return undefined;
  const end = endOfText(bytes.subarray(0, from + maxKeyBytes), from + 1);
  return end === -1 ? undefined : JSON.parse(bytes.toString("utf8", from, end));
}

function isEnd(bytes: Buffer, at: number): boolean {
  return skipBlanks(bytes, at) === bytes.length;
}

/** The records one by one, as they are checked. @throws BodyFault for what is nested too deeply to be written */
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
    records.push(refusal === undefined ? { json: parseExactJson(text), text } : { refusal, text });
    const wait = yieldToEventLoop();
    if (wait !== undefined) await wait;
  }
  return records;
}

/** The list without what is no JSON in it; as it came where all of it is. */
export function goodBytes({ list }: IngestBody): Uint8Array {
  const { bytes, start, end, starts, ends, faults } = list;
  if (faults.size === 0) return bytes.subarray(start, end);
  const pieces = starts.flatMap((from, index) =>
    faults.has(index) ? [] : [separator, bytes.subarray(from, ends[index])],
  );
  return Buffer.concat([Buffer.from("["), ...pieces.slice(1), Buffer.from("]")]);
}

const separator = Buffer.from(",");
