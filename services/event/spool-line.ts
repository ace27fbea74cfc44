import { mapYielding, type YieldToEventLoop } from "../../base/async/yield.ts";
import { JsonCursor } from "../../base/json/cursor.ts";
import { parseWithBigInts } from "../../base/json/exact-numbers.ts";
import { findRecords } from "./body/record-list.ts";

const lf = 0x0a;
const cr = 0x0d;
const space = 0x20;
const closeObject = 0x7d;

/**
 * Encodes a line of the spool, without its line end: `{"p":projectId,"r":receivedMs,"b":body}`, with `"d":driftMs` if
 * it is not 0, and with `"a":appid` if the request has one. Line ends of the body, which occur only between values of
 * JSON, become spaces. The line has a buffer of its own.
 * @param body one record or a list of records, as JSON in UTF-8
 * @param driftMs how far the clock of `receivedMs` was ahead of the steady clock
 */
export function encodeSpoolLine(
  projectId: number,
  receivedMs: number,
  body: Uint8Array,
  appid?: string,
  driftMs = 0,
): Uint8Array {
  const drift = driftMs === 0 ? "" : `"d":${driftMs},`;
  const sender = appid === undefined ? "" : `"a":${JSON.stringify(appid)},`;
  const head = Buffer.from(`{"p":${projectId},"r":${receivedMs},${drift}${sender}"b":`);
  const line = Buffer.allocUnsafeSlow(head.length + body.length + 1);
  line.set(head);
  line.set(body, head.length);
  line[line.length - 1] = closeObject;
  if (line.includes(lf) || line.includes(cr)) {
    for (let at = head.length; at < line.length; at++) {
      if (line[at] === lf || line[at] === cr) line[at] = space;
    }
  }
  return line;
}

/**
 * Encodes each line of NDJSON as a line of the spool, without parsing it: text that is not JSON makes a damaged line,
 * which the loader refuses alone. Project and time follow the text, so that no member of it can replace them.
 * @param lines NDJSON; empty lines are skipped
 * @param placeOf returns the place of a line, which is counted from 1, including empty ones
 */
export function encodeRawSpoolLines(
  projectId: number,
  receivedMs: number,
  lines: Uint8Array,
  placeOf?: (line: number) => string,
): Uint8Array {
  if (placeOf !== undefined) return encodePlacedLines(projectId, receivedMs, lines, placeOf);
  const head = Buffer.from('{"b":');
  const tail = Buffer.from(`,"p":${projectId},"r":${receivedMs}}\n`);
  const source = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  // Copies into one buffer: a view of each line costs three times as much.
  const encoded = Buffer.allocUnsafeSlow(source.length + countLines(source) * (head.length + tail.length));
  let to = 0;
  for (let start = 0; start < source.length; ) {
    const found = source.indexOf(lf, start);
    const next = found === -1 ? source.length : found;
    const stop = next > start && source[next - 1] === cr ? next - 1 : next;
    if (stop > start) {
      to += head.copy(encoded, to);
      to += source.copy(encoded, to, start, stop);
      to += tail.copy(encoded, to);
    }
    start = next + 1;
  }
  return encoded.subarray(0, to);
}

function encodePlacedLines(
  projectId: number,
  receivedMs: number,
  lines: Uint8Array,
  placeOf: (line: number) => string,
): Uint8Array {
  const pieces: Uint8Array[] = [];
  const source = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  let number = 1;
  for (let start = 0; start < source.length; number++) {
    const found = source.indexOf(lf, start);
    const next = found === -1 ? source.length : found;
    const stop = next > start && source[next - 1] === cr ? next - 1 : next;
    if (stop > start) {
      const place = JSON.stringify(placeOf(number));
      const tail = Buffer.from(`,"p":${projectId},"r":${receivedMs},"i":${place}}\n`);
      pieces.push(Buffer.from('{"b":'), source.subarray(start, stop), tail);
    }
    start = next + 1;
  }
  return Buffer.concat(pieces);
}

/** Counts lines, including the last one without a line end. */
function countLines(source: Buffer): number {
  let count = 1;
  for (let at = source.indexOf(lf); at !== -1; at = source.indexOf(lf, at + 1)) count++;
  return count;
}

export interface SpoolLine {
  readonly projectId: number;
  readonly receivedMs: number;
  /** The time of receipt by the steady clock, for the ages of records. Default: `receivedMs`. */
  readonly steadyMs?: number;
  /** The app id of the request. */
  readonly appid: string | undefined;
  readonly records: readonly unknown[];
  /** The place of an imported record, such as `a.ndjson:12`. */
  readonly place?: string | undefined;
}

const lineMembers: ReadonlySet<string> = new Set(["p", "r", "d", "a", "i", "b", "#crc"]);

/** Decodes a line of the spool; undefined if it is damaged. Integers beyond 2^53 are bigints. */
export function decodeSpoolLine(text: string): SpoolLine | undefined {
  let line: Readonly<Record<string, unknown>> | null;
  try {
    line = parseWithBigInts(text) as typeof line;
  } catch {
    return undefined;
  }
  // Otherwise a changed byte in the name of the checksum would make a line without one.
  for (const name in line) if (!lineMembers.has(name)) return undefined;
  if (typeof line?.p !== "number" || typeof line.r !== "number" || line.b === undefined) return undefined;
  const { p: projectId, r: receivedMs, d: driftMs, a: appid, i: place, b: body } = line;
  if (driftMs !== undefined && typeof driftMs !== "number") return undefined;
  if (appid !== undefined && typeof appid !== "string") return undefined;
  if (place !== undefined && typeof place !== "string") return undefined;
  const records = Array.isArray(body) ? body : [body];
  const steady = driftMs === undefined ? undefined : { steadyMs: receivedMs - driftMs };
  return {
    projectId,
    receivedMs,
    ...steady,
    appid,
    records,
    ...(place !== undefined && { place }),
  } as SpoolLine;
}

/** Lines up to this size are parsed at once, in about 1 ms. */
const shortBytes = 65_536;
const headForm = /^\{"p":(\d+),"r":(\d+),(?:"d":(-?\d+),)?(?:"a":("(?:[^"\\]|\\.)*"),)?"b":/;
/** The end of a line after its records. */
export const tailForm = /^(?:,"#crc":"[0-9a-f]{8}")?\}$/;
const maxHeadBytes = 2_048;

/**
 * Decodes the bytes of a line. Parses the records of a long line one by one and yields to the event loop between them.
 */
export async function decodeSpoolLineYielding(
  line: Buffer,
  yieldToEventLoop: YieldToEventLoop,
): Promise<SpoolLine | undefined> {
  const head = line.length <= shortBytes ? null : headForm.exec(line.toString("utf8", 0, maxHeadBytes));
  const cursor = new JsonCursor(line, Number.POSITIVE_INFINITY);
  cursor.at = Buffer.byteLength(head?.[0] ?? "");
  const list = head && (await findRecords(cursor, yieldToEventLoop).catch(() => undefined));
  const isWhole = list && list.faults.size === 0 && tailForm.test(line.toString("latin1", list.end));
  if (!isWhole) return decodeSpoolLine(line.toString());
  const places = list.starts.map((start, index) => [start, list.ends[index]!] as const);
  const records = await mapYielding(
    places,
    ([start, end]) => parseWithBigInts(line.toString("utf8", start, end)),
    yieldToEventLoop,
  );
  return { ...headOf(head), records };
}

type Head = Omit<SpoolLine, "records">;

function headOf([, projectId, receivedMs, driftMs, appid]: RegExpExecArray): Head {
  return {
    projectId: Number(projectId),
    receivedMs: Number(receivedMs),
    ...(driftMs !== undefined && { steadyMs: Number(receivedMs) - Number(driftMs) }),
    appid: appid === undefined ? undefined : (JSON.parse(appid) as string),
  };
}

/** Reads the head of a line that `encodeSpoolLine` wrote; undefined for other lines. */
export function readHead(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly head: Head; readonly bodyStart: number } | undefined {
  const found = headForm.exec(bytes.toString("utf8", start, Math.min(end, start + maxHeadBytes)));
  if (found === null) return undefined;
  return { head: headOf(found), bodyStart: start + Buffer.byteLength(found[0]) };
}

/** The head of a line that `encodeRawSpoolLines` wrote. */
export const rawHead: Uint8Array = Buffer.from('{"b":');
const rawTailForm =
  /^,"p":(\d{1,15}),"r":(\d{1,15})(?:,"i":("(?:[^"\\]|\\.)*"))?(?:,"#crc":"[0-9a-f]{8}")?\}$/;

/** Reads what follows the record in a line that `encodeRawSpoolLines` wrote; undefined for other lines. */
export function readRawTail(tail: string): Head | undefined {
  const found = rawTailForm.exec(tail);
  if (found === null) return undefined;
  const [, projectId, receivedMs, place] = found;
  return {
    projectId: Number(projectId),
    receivedMs: Number(receivedMs),
    appid: undefined,
    ...(place !== undefined && { place: JSON.parse(place) as string }),
  };
}
