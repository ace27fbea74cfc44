import { classOf, isDigit, isNameStart, openArray, openObject, quote } from "../../../base/json/bytes.ts";
import type { JsonCursor, JsonKind } from "../../../base/json/cursor.ts";

/** A value in the body, as a half-open byte range. */
export interface Span {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
  /** Whether a string contains a backslash. */
  readonly escaped: boolean;
}

/** An element of the body's array. The last one of repeated members counts, as in `JSON.parse`. */
export interface ScannedElement {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
  readonly pushId: Span | undefined;
  readonly params: JsonKind | undefined;
  readonly customParams: JsonKind | undefined;
  readonly receipt: Span | undefined;
  /** `ops_request_id` of the receipt. */
  readonly requestId: Span | undefined;
  /** The first fault in `params` and `custom_params`. */
  readonly problem: FieldProblem | undefined;
}

/** A fault in `params` or `custom_params`. */
export interface FieldProblem {
  readonly field: "params" | "custom_params";
  /** The invalid member, for example `title`, or `items.count` in an Array Row. */
  readonly key: string;
  readonly what: "name" | "value" | "row";
}

/**
 * Reads the members of an element that have rules. The methods return a span and store further results in fields, so
 * that one scanner serves the whole batch without garbage for each element.
 */
export class FieldScanner {
  numbersForText = 0;
  oddReceiptValues = 0;
  /** The first fault of the last `params()`. */
  problem: FieldProblem | undefined;
  /** `ops_request_id` of the last `receipt()`. */
  requestId: Span | undefined;
  readonly #cursor: JsonCursor;

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor;
  }

  /** The number of values that are accepted, but not as specified. */
  get oddities(): number {
    return this.numbersForText + this.oddReceiptValues;
  }

  /** Reads any value and counts a number as one instead of a string. */
  text(): Span {
    const cursor = this.#cursor;
    const start = cursor.at;
    const kind = cursor.value();
    if (kind === "number") this.numbersForText++;
    return { kind, start, end: cursor.at, escaped: cursor.escaped };
  }

  params(field: FieldProblem["field"]): JsonKind {
    const cursor = this.#cursor;
    this.problem = undefined;
    if (cursor.bytes[cursor.at] !== openObject) return cursor.value();
    for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
      if (!isName(cursor)) this.problem ??= { field, key: cursor.key(), what: "name" };
      const byte = cursor.bytes[cursor.at];
      if (byte === quote) {
        cursor.string();
        continue;
      }
      const key = cursor.key();
      if (byte === openArray) this.#rows(field, key);
      else if (this.#isNotText()) this.problem ??= { field, key, what: "value" };
    }
    return "object";
  }

  /** Reads an Array Row, which is a list of objects of strings. */
  #rows(field: FieldProblem["field"], key: string): void {
    const cursor = this.#cursor;
    for (let more = cursor.firstItem(); more; more = cursor.nextItem()) {
      if (cursor.bytes[cursor.at] !== openObject) {
        cursor.value();
        this.problem ??= { field, key, what: "row" };
        continue;
      }
      for (let member = cursor.firstKey(); member; member = cursor.nextKey()) {
        if (!isName(cursor)) this.problem ??= { field, key: `${key}.${cursor.key()}`, what: "name" };
        if (cursor.bytes[cursor.at] === quote) {
          cursor.string();
          continue;
        }
        const inner = cursor.key();
        if (this.#isNotText()) this.problem ??= { field, key: `${key}.${inner}`, what: "value" };
      }
    }
  }

  /** Reads a value and reports whether it is not a string. A number is accepted and counted. */
  #isNotText(): boolean {
    const kind = this.#cursor.value();
    if (kind === "number") this.numbersForText++;
    return kind !== "string" && kind !== "number";
  }

  receipt(): Span {
    const cursor = this.#cursor;
    const start = cursor.at;
    this.requestId = undefined;
    if (cursor.bytes[start] !== openObject) {
      return { kind: cursor.value(), start, end: cursor.at, escaped: false };
    }
    for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
      const isOps = cursor.keyStartsWith("ops_");
      const isProjectId = isOps && cursor.keyIs("ops_project_id");
      const isRequestId = isOps && cursor.keyIs("ops_request_id");
      const valueStart = cursor.at;
      const kind = cursor.value();
      if (isOps && kind !== (isProjectId ? "number" : "string")) this.oddReceiptValues++;
      if (isRequestId) {
        this.requestId = { kind, start: valueStart, end: cursor.at, escaped: cursor.escaped };
      }
    }
    return { kind: "object", start, end: cursor.at, escaped: false };
  }
}

/** Reports whether the decoded key is `[A-Za-z_][A-Za-z0-9_]*`. */
function isName(cursor: JsonCursor): boolean {
  if (cursor.keyEscaped) return /^[A-Za-z_]\w*$/.test(cursor.key());
  const { bytes, keyStart, keyEnd } = cursor;
  if (keyStart === keyEnd || (classOf[bytes[keyStart]!]! & isNameStart) === 0) return false;
  for (let at = keyStart + 1; at < keyEnd; at++) {
    if ((classOf[bytes[at]!]! & (isNameStart | isDigit)) === 0) return false;
  }
  return true;
}
