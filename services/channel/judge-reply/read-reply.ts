import { BigNumber, parseExactJson } from "../../../base/json/exact-numbers.ts";
import type { Mask } from "../../../base/text/mask-secrets.ts";
import { quoteText, shorten } from "../../../base/text/quote.ts";

/** An element that the receiver listed as failed. */
export interface FailedElement {
  /** Counted from 1. */
  readonly index: number;
  /** Empty if the receiver gave no reason. */
  readonly message: string;
}

/** The contents of a reply. */
export interface Reply {
  /** `ok`: return_code is 0; `absent`: there is none. */
  readonly returnCode: "ok" | "failed" | "absent";
  /** If it failed, the return_code as written and the receiver's message. */
  readonly summary: string;
  /** The valid entries of `fail_list`; each index once, ascending. */
  readonly failed: readonly FailedElement[];
  /** Deviations from the specified form, as a path and what is wrong. */
  readonly problems: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** Problems that are reported at most. */
const maxProblems = 20;

/** Parses a reply; numbers beyond the range of doubles become BigNumbers. @throws SyntaxError */
export function parseReply(text: string): unknown {
  return parseExactJson(text, (digits) => {
    const value = Number(digits);
    return Number.isFinite(value) ? value : new BigNumber(digits);
  });
}

/**
 * Reads a parsed reply. Null counts as missing where a member is optional, and unspecified members are ignored.
 * @param size elements of the batch
 * @param mask applied to all that is quoted, before it is shortened
 */
export function readReply(value: unknown, size: number, mask: Mask): Reply {
  const problems: string[] = [];
  const report: Report = (path, what, found) => {
    if (problems.length >= maxProblems) return;
    problems.push(`${path} ${what}${found === undefined ? "" : `, found ${show(found, mask)}`}`);
  };
  if (!isMembers(value)) {
    report("body", "must be an object", value);
    return { returnCode: "absent", summary: "", failed: [], problems };
  }
  const returnCode = readReturnCode(value["return_code"], report);
  const message = value["return_message"] ?? "";
  if (typeof message !== "string") report("return_message", "must be a string", message);
  const summary =
    returnCode === "failed"
      ? [`return_code ${show(value["return_code"], mask)}`, toText(message, mask)].filter(Boolean).join(": ")
      : "";
  return { returnCode, summary, failed: readData(value["data"] ?? undefined, size, mask, report), problems };
}

/** @param found is quoted */
type Report = (path: string, what: string, found?: unknown) => void;

function readReturnCode(value: unknown, report: Report): Reply["returnCode"] {
  if (value === undefined || value === null) {
    report("return_code", value === null ? "must be an integer" : "is missing", value);
    return "absent";
  }
  if (!Number.isSafeInteger(value)) report("return_code", "must be an integer", value);
  return value === 0 || integerOf(value) === 0 ? "ok" : "failed";
}

function readData(data: unknown, size: number, mask: Mask, report: Report): readonly FailedElement[] {
  if (data === undefined) return [];
  if (!isMembers(data)) {
    report("data", "must be an object", data);
    return [];
  }
  const list = data["fail_list"] ?? [];
  if (Array.isArray(list)) return readFailList(list, size, mask, report);
  report("data.fail_list", "must be an array", list);
  return [];
}

function readFailList(
  list: readonly unknown[],
  size: number,
  mask: Mask,
  report: Report,
): readonly FailedElement[] {
  const found = new Map<number, string>();
  for (const [at, entry] of list.entries()) {
    const path = `data.fail_list[${at}]`;
    if (!isMembers(entry)) {
      report(path, "must be an object", entry);
      continue;
    }
    const message = entry["message"] ?? "";
    if (typeof message !== "string") report(`${path}.message`, "must be a string", message);
    const index = readIndex(entry["index"], `${path}.index`, size, report);
    if (index === undefined) continue;
    if (found.has(index)) report(`${path}.index`, `repeats ${index}`);
    else found.set(index, toText(message, mask));
  }
  return [...found].map(([index, message]) => ({ index, message })).sort((a, b) => a.index - b.index);
}

/** Returns the index of an element; undefined if it is not valid. */
function readIndex(value: unknown, path: string, size: number, report: Report): number | undefined {
  const index = integerOf(value);
  if (value === undefined) report(path, "is missing");
  else if (!Number.isSafeInteger(value)) report(path, "must be an integer", value);
  if (index === undefined) return undefined;
  if (index >= 1 && index <= size) return index;
  const hint = index === 0 ? " (it counts from 1)" : "";
  report(path, `must be from 1 to ${size}${hint}`, value);
  return undefined;
}

/** Converts an integer or a string with an integer. */
function integerOf(value: unknown): number | undefined {
  if (Number.isSafeInteger(value)) return value as number;
  return typeof value === "string" && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : undefined;
}

function isMembers(value: unknown): value is Members {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof BigNumber)
  );
}

function toText(value: unknown, mask: Mask): string {
  return typeof value === "string" ? mask(value) : show(value, mask);
}

/** Quotes a value for a message; arrays and objects by their kind only. */
function show(value: unknown, mask: Mask): string {
  if (Array.isArray(value)) return "an array";
  if (isMembers(value)) return "an object";
  const text = mask(value instanceof BigNumber ? value.digits : String(value));
  return typeof value === "string" ? quoteText(text) : shorten(text);
}
