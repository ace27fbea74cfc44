import { isUtf8 } from "node:buffer";
import { closeArray, comma, openArray, space } from "../../../base/json/bytes.ts";
import { JsonCursor } from "../../../base/json/cursor.ts";
import { parseWithBigInts } from "../../../base/json/exact-numbers.ts";
import { rawHead, readHead, readRawTail, type SpoolLine, tailForm } from "../spool-line.ts";
import type { RecordShapes, ShapedEvent } from "./record-shapes.ts";
import { isAt } from "./value-reader.ts";

/** A line of the spool, some of whose records are events of known shapes. */
export interface ShapedLine extends Omit<SpoolLine, "records"> {
  readonly shapes: RecordShapes;
  readonly records: readonly LineRecord[];
}

/** A record and its range in the bytes. */
export interface LineRecord {
  readonly start: number;
  readonly end: number;
  /** Undefined for a record that was parsed. */
  readonly event: ShapedEvent | undefined;
  /** As `parseWithBigInts` reads it; undefined for an event of a known shape. */
  readonly json: unknown;
}

/** Records in succession without a known shape, after which some lines are parsed without trying. */
const maxMisses = 256;
/** Of those lines: about as many records, in lines of any length. */
const bytesLeftOut = 262_144;

/** Reads lines of the spool with the shapes of their projects. */
export class ShapedLines {
  readonly #shapes: ReadonlyMap<number, RecordShapes>;
  #isKeeping = false;
  #misses = 0;
  /** Bytes. */
  #leftOut = 0;
  /** The project of the last raw line, whose own project follows its record. */
  #rawProject: number | undefined;

  /** @param shapes by project */
  constructor(shapes: ReadonlyMap<number, RecordShapes>) {
    this.#shapes = shapes;
  }

  /** Begins a batch. @param isKeeping whether all values of its events stay valid until the next batch begins */
  begin(isKeeping: boolean): void {
    this.#isKeeping = isKeeping;
    for (const shapes of this.#shapes.values()) shapes.clear();
  }

  /**
   * Reads a line. Returns undefined if it must be decoded as a whole: all lines that are not JSON, and some others. The
   * values of events are valid until the next line is read, unless the batch keeps them.
   * @param bytes with an LF after the line
   */
  read(bytes: Buffer, start: number, end: number): ShapedLine | undefined {
    if (this.#leftOut > 0) {
      this.#leftOut -= end - start;
      return undefined;
    }
    if (this.#misses >= maxMisses) {
      this.#misses = 0;
      this.#leftOut = bytesLeftOut;
    }
    try {
      return isAt(bytes, start, rawHead)
        ? this.#readRaw(bytes, start, end)
        : this.#readBody(bytes, start, end);
    } catch {
      // A record is not JSON.
      return undefined;
    }
  }

  #readBody(bytes: Buffer, start: number, end: number): ShapedLine | undefined {
    const { head, bodyStart } = readHead(bytes, start, end) ?? {};
    const shapes = head === undefined ? undefined : this.#shapes.get(head.projectId);
    if (head === undefined || bodyStart === undefined || shapes === undefined) return undefined;
    this.#beginLine(shapes);
    const cursor = new JsonCursor(bytes.subarray(0, end), Number.POSITIVE_INFINITY);
    const records: LineRecord[] = [];
    const isList = bytes[bodyStart] === openArray;
    let at = isList ? bodyStart : bodyStart - 1;
    do {
      at = afterSpaces(bytes, at + 1);
      const record = this.#readRecord(shapes, bytes, at, head.receivedMs, cursor);
      records.push(record);
      at = isList ? afterSpaces(bytes, record.end) : record.end;
    } while (isList && bytes[at] === comma);
    if (isList && bytes[at++] !== closeArray) return undefined;
    if (!tailForm.test(bytes.toString("latin1", at, end))) return undefined;
    return isDecodable(shapes, bytes, start, end) ? { ...head, shapes, records } : undefined;
  }

  #beginLine(shapes: RecordShapes): void {
    if (!this.#isKeeping) shapes.clear();
    shapes.beginLine();
  }

  #readRecord(
    shapes: RecordShapes,
    bytes: Buffer,
    start: number,
    receivedMs: number,
    cursor: JsonCursor,
  ): LineRecord {
    const end = shapes.match(bytes, start);
    const event = end === -1 ? undefined : shapes.take(bytes, receivedMs);
    if (event !== undefined) {
      this.#misses = 0;
      return { start, end, event, json: undefined };
    }
    this.#misses++;
    cursor.at = start;
    cursor.value();
    const json = parseWithBigInts(bytes.toString("utf8", start, cursor.at));
    return { start, end: cursor.at, event, json };
  }

  /** Reads a line with one record, whose project and time of receipt follow it. */
  #readRaw(bytes: Buffer, lineStart: number, lineEnd: number): ShapedLine | undefined {
    const shapes = this.#rawProject === undefined ? undefined : this.#shapes.get(this.#rawProject);
    if (shapes !== undefined) this.#beginLine(shapes);
    const start = lineStart + rawHead.length;
    // The elements of a list are records.
    if (bytes[start] === openArray) return undefined;
    const matched = shapes?.match(bytes, start) ?? -1;
    const end = matched === -1 ? endOfValue(bytes, start, lineEnd) : matched;
    const head = readRawTail(bytes.toString("utf8", end, lineEnd));
    this.#rawProject = head?.projectId;
    if (head === undefined) return undefined;
    const own = this.#shapes.get(head.projectId);
    if (own === undefined) return undefined;
    const event = own === shapes && matched !== -1 ? own.take(bytes, head.receivedMs) : undefined;
    this.#misses = event === undefined ? this.#misses + 1 : 0;
    if (event !== undefined && !isDecodable(own, bytes, lineStart, lineEnd)) return undefined;
    const json = event === undefined ? parseWithBigInts(bytes.toString("utf8", start, end)) : undefined;
    return { ...head, shapes: own, records: [{ start, end, event, json }] };
  }
}

function endOfValue(bytes: Buffer, start: number, lineEnd: number): number {
  const cursor = new JsonCursor(bytes.subarray(0, lineEnd), Number.POSITIVE_INFINITY);
  cursor.at = start;
  cursor.value();
  return cursor.at;
}

/** Reports whether texts of the line can be copied: bytes which are not UTF-8 must be replaced. */
function isDecodable(shapes: RecordShapes, bytes: Buffer, start: number, end: number): boolean {
  return !shapes.hasBeyondAscii || isUtf8(bytes.subarray(start, end));
}

function afterSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === space) at++;
  return at;
}
