import { openArray, openObject } from "../../../base/json/bytes.ts";
import { JsonCursor, type JsonKind } from "../../../base/json/cursor.ts";
import { type DuplicateKey, DuplicateKeys } from "../../../base/json/duplicate-keys.ts";
import { asBuffer, requireUtf8, textStart } from "../../../base/json/utf8.ts";
import { type ElementShapes, learnElement, readElement } from "./element-shapes.ts";
import { type FieldProblem, FieldScanner, type ScannedElement, type Span } from "./scan-fields.ts";

export interface ScannedBatch {
  /** The bytes as Latin-1; undefined for many. */
  readonly latin1: string | undefined;
  /** Whether all bytes are ASCII. */
  readonly isAscii: boolean;
  readonly elements: readonly ScannedElement[];
  /** Repeated keys of objects anywhere in the body: their number and the first few. */
  readonly duplicateKeys: { readonly count: number; readonly found: readonly DuplicateKey[] };
  /** Number of numbers instead of strings. */
  readonly numbersForText: number;
  /** Number of `ops_*` members of receipts with another type than specified. */
  readonly oddReceiptValues: number;
}

export interface ScanLimits {
  readonly maxElements: number;
  /** Nesting of objects and arrays, including the array of the batch. */
  readonly maxDepth: number;
}

/** The body is JSON, but not an array. */
export class NotAnArrayError extends Error {
  override readonly name = "NotAnArrayError";
}

/** The array has more elements than the channel accepts. */
export class TooManyElementsError extends Error {
  override readonly name = "TooManyElementsError";
}

/** Up to this size a body is decoded, and push ids are slices of its text, which they keep in memory. */
const maxDecodedBytes = 262_144;

/**
 * Scans a batch in one pass over its bytes, in linear time: checks the whole grammar and returns byte ranges, so
 * receipts can be extracted byte for byte.
 * @param shapes the shapes of earlier batches under the same limits
 * @throws JsonFault, NotAnArrayError, TooManyElementsError
 */
export function scanBatch(bytes: Uint8Array, limits: ScanLimits, shapes?: ElementShapes): ScannedBatch {
  const isAscii = requireUtf8(bytes);
  const duplicates = new DuplicateKeys(bytes);
  const cursor = new JsonCursor(bytes, limits.maxDepth, duplicates);
  cursor.at = textStart(bytes);
  const fields = new FieldScanner(cursor);
  const latin1 = bytes.length <= maxDecodedBytes ? asBuffer(bytes).toString("latin1") : undefined;
  const reader = shapes?.open(bytes, latin1);
  const elements: ScannedElement[] = [];
  if (cursor.next() !== openArray) {
    const kind = cursor.value();
    cursor.finish();
    throw new NotAnArrayError(`body must be an array of messages, found ${article(kind)}`);
  }
  for (let more = cursor.firstItem(); more; more = cursor.nextItem()) {
    if (elements.length === limits.maxElements) {
      throw new TooManyElementsError(`body has more than ${limits.maxElements} messages`);
    }
    const known = reader && readElement(reader, cursor.at);
    if (known !== undefined) {
      elements.push(known);
      cursor.at = known.end;
      continue;
    }
    const oddities = duplicates.count + fields.oddities;
    const element = scanElement(cursor, fields);
    elements.push(element);
    if (reader !== undefined && duplicates.count + fields.oddities === oddities)
      learnElement(reader, element);
  }
  cursor.finish();
  reader?.finish();
  const { count, found } = duplicates;
  const { numbersForText, oddReceiptValues } = fields;
  return {
    latin1,
    isAscii,
    elements,
    duplicateKeys: { count, found },
    numbersForText,
    oddReceiptValues,
  };
}

function scanElement(cursor: JsonCursor, fields: FieldScanner): ScannedElement {
  const start = cursor.at;
  let pushId: Span | undefined;
  let params: JsonKind | undefined;
  let customParams: JsonKind | undefined;
  let receipt: Span | undefined;
  let requestId: Span | undefined;
  let problem: FieldProblem | undefined;
  if (cursor.bytes[start] !== openObject) {
    const kind = cursor.value();
    return { kind, start, end: cursor.at, pushId, params, customParams, receipt, requestId, problem };
  }
  for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
    switch (memberOf(cursor)) {
      case "push_id":
        pushId = fields.text();
        break;
      case "params":
        params = fields.params("params");
        problem ??= fields.problem;
        break;
      case "custom_params":
        customParams = fields.params("custom_params");
        problem ??= fields.problem;
        break;
      case "#ops_receipt_properties":
        receipt = fields.receipt();
        requestId = fields.requestId;
        break;
      default:
        cursor.value();
    }
  }
  return {
    kind: "object",
    start,
    end: cursor.at,
    pushId,
    params,
    customParams,
    receipt,
    requestId,
    problem,
  };
}

const members = ["push_id", "params", "custom_params", "#ops_receipt_properties"] as const;
type Member = (typeof members)[number];
/** The names differ in length, so at most one must be compared. */
const memberByLength: readonly (Member | undefined)[] = Array.from({ length: 24 }, (_, length) =>
  members.find((name) => name.length === length),
);

function memberOf(cursor: JsonCursor): Member | undefined {
  if (cursor.keyEscaped) return members.find((name) => cursor.keyIs(name));
  const name = memberByLength[cursor.keyEnd - cursor.keyStart];
  return name !== undefined && cursor.keyIs(name) ? name : undefined;
}

/** `an object`, `a number`, `null` */
export function article(kind: JsonKind): string {
  if (kind === "null") return kind;
  return kind === "object" || kind === "array" ? `an ${kind}` : `a ${kind}`;
}
