import { hash } from "node:crypto";
import type { JsonKind } from "../../../base/json/cursor.ts";
import { decodeString } from "../../../base/json/utf8.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { BatchElement } from "../../../store/inbox/inbox.ts";
import { article, type ScannedBatch } from "./scan.ts";
import type { FieldProblem, ScannedElement, Span } from "./scan-fields.ts";

/** An element that is not accepted. */
export interface ElementFailure {
  /** 0-based index in the batch; the reply has 1-based ones. */
  readonly index: number;
  readonly message: string;
}

export interface CheckedBatch {
  readonly accepted: readonly BatchElement[];
  /** Ascending by index. */
  readonly failures: readonly ElementFailure[];
  /** The id of the batch, from the receipts; null if there is none, as for journeys. */
  readonly requestId: string | null;
  /** Number of distinct ids in the receipts. The specification allows only one. */
  readonly requestIdCount: number;
}

/**
 * Bytes of the messages of one reply; further elements get a short message, so that a reply is smaller than its batch.
 */
const maxMessageBytes = 262_144;
const shortMessage = "not accepted";

/** Divides elements into accepted ones and failures. `override` has faults that are already known. */
export function checkElements(
  body: Buffer,
  scanned: Pick<ScannedBatch, "elements" | "latin1" | "isAscii">,
  override?: ReadonlyMap<number, string>,
): CheckedBatch {
  const { elements } = scanned;
  const accepted: BatchElement[] = [];
  const failures: ElementFailure[] = [];
  let messageBytes = 0;
  const fail = (index: number, message: string): void => {
    messageBytes += message.length;
    failures.push({ index, message: messageBytes > maxMessageBytes ? shortMessage : message });
  };
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index]!;
    const message = override?.get(index) ?? faultOf(element);
    const pushId = message === undefined ? pushIdOf(body, scanned, element.pushId!) : "";
    if (message !== undefined) fail(index, message);
    else if (!pushId.isWellFormed()) fail(index, "push_id has a lone surrogate");
    else {
      const { start, end, receipt } = element;
      const { start: receiptStart, end: receiptEnd } = receipt!;
      accepted.push({ index, pushId, start, end, receiptStart, receiptEnd });
    }
  }
  const ids = requestIdsOf(body, elements);
  return { accepted, failures, requestId: keyOf(ids), requestIdCount: ids.length };
}

/** Returns the text of a string, or a number as written. */
function textOf(body: Buffer, { kind, start, end, escaped }: Span): string {
  return kind === "string"
    ? decodeString(body, start + 1, end - 1, escaped)
    : body.toString("latin1", start, end);
}

/** Slices are taken of the text of the whole body, since decoding each id takes longer; most are ASCII. */
function pushIdOf(
  body: Buffer,
  { latin1, isAscii }: Pick<ScannedBatch, "latin1" | "isAscii">,
  span: Span,
): string {
  if (latin1 === undefined || span.kind !== "string" || span.escaped) return textOf(body, span);
  const end = span.end - 1;
  for (let at = span.start + 1; !isAscii && at < end; at++) if (body[at]! >= 0x80) return textOf(body, span);
  return latin1.slice(span.start + 1, end);
}

/** Returns the fault of an element; undefined if it is valid. */
function faultOf(element: ScannedElement): string | undefined {
  const { kind, pushId, params, customParams, receipt, problem } = element;
  if (kind !== "object") return `message must be an object, found ${article(kind)}`;
  if (pushId === undefined || pushId.kind === "null" || isEmptyText(pushId)) return "push_id is required";
  if (pushId.kind !== "string" && pushId.kind !== "number") {
    return `push_id must be a string, found ${article(pushId.kind)}`;
  }
  if (receipt === undefined || receipt.kind === "null") return "#ops_receipt_properties is required";
  if (receipt.kind !== "object") {
    return `#ops_receipt_properties must be an object, found ${article(receipt.kind)}`;
  }
  if (isNoObject(params)) return "params must be an object when provided";
  if (isNoObject(customParams)) return "custom_params must be an object when provided";
  return problem && describeProblem(problem);
}

function isEmptyText({ kind, start, end }: Span): boolean {
  return kind === "string" && end - start === 2;
}

/** Null counts as not provided. */
function isNoObject(kind: JsonKind | undefined): boolean {
  return kind !== undefined && kind !== "object" && kind !== "null";
}

function describeProblem({ field, key, what }: FieldProblem): string {
  const name = quoteText(key);
  if (what === "name") {
    return `${field} has the key ${name}, valid are letters, digits and underscores, not a digit first`;
  }
  return what === "row"
    ? `${field} has in ${name} a list with items that are not objects`
    : `${field} has in ${name} a value that is not a string, valid are a string and a list of objects with string values`;
}

/** Returns each id once. A batch usually has one, so bytes are compared before they are decoded. */
function requestIdsOf(body: Buffer, elements: readonly ScannedElement[]): readonly string[] {
  const ids = new Set<string>();
  let last: Span | undefined;
  for (const { requestId: span } of elements) {
    if (span === undefined || (span.kind !== "string" && span.kind !== "number")) continue;
    if (last !== undefined && isSame(body, last, span)) continue;
    last = span;
    const text = textOf(body, span);
    if (text !== "") ids.add(text);
  }
  return [...ids];
}

function isSame(body: Buffer, one: Span, other: Span): boolean {
  const length = one.end - one.start;
  if (other.end - other.start !== length) return false;
  for (let at = 0; at < length; at++) {
    if (body[one.start + at] !== body[other.start + at]) return false;
  }
  return true;
}

/** Longer keys are replaced by their hash, since the store indexes keys. */
const maxKeyLength = 200;

/**
 * Returns the key of a batch. Several ids, which are against the specification, make one key, which a retry repeats.
 */
function keyOf(ids: readonly string[]): string | null {
  if (ids.length === 0) return null;
  const key = ids.length === 1 ? ids[0]! : JSON.stringify(ids);
  return key.length <= maxKeyLength && key.isWellFormed() && !key.includes("\u0000")
    ? key
    : `sha256:${hash("sha256", JSON.stringify(key))}`;
}
