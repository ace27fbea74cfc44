import { BigNumber, parseExactJson } from "../../../base/json/exact-numbers.ts";
import { quote, shorten } from "../../../base/text/quote.ts";

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
  /** The return_code as written and the receiver's message. */
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
 */
export function readReply(value: unknown, size: number): Reply {
  const problems: string[] = [];
  const report = (path: string, what: string): void => {
    if (problems.length < maxProblems) problems.push(`${path} ${what}`);
  };
  if (!isMembers(value)) {
    report("body", `must be an object, found ${show(value)}`);
    return { returnCode: "absent", summary: "", failed: [], problems };
  }
  const returnCode = readReturnCode(value["return_code"], report);
  const message = value["return_message"] ?? "";
  if (typeof message !== "string") report("return_message", `must be a string, found ${show(message)}`);
  const summary = [`return_code ${show(value["return_code"])}`, toText(message)].filter(Boolean).join(": ");
  return { returnCode, summary, failed: readData(value["data"] ?? undefined, size, report), problems };
}

type Report = (path: string, what: string) => void;

function readReturnCode(value: unknown, report: Report): Reply["returnCode"] {
  if (value === undefined || value === null) {
    report("return_code", value === null ? "must be an integer, found null" : "is missing");
    return "absent";
  }
  if (!Number.isSafeInteger(value)) report("return_code", `must be an integer, found ${show(value)}`);
  return value === 0 || integerOf(value) === 0 ? "ok" : "failed";
}

function readData(data: unknown, size: number, report: Report): readonly FailedElement[] {
  if (data === undefined) return [];
  if (!isMembers(data)) {
    report("data", `must be an object, found ${show(data)}`);
    return [];
  }
  const list = data["fail_list"] ?? [];
  if (Array.isArray(list)) return readFailList(list, size, report);
  report("data.fail_list", `must be an array, found ${show(list)}`);
  return [];
}

function readFailList(list: readonly unknown[], size: number, report: Report): readonly FailedElement[] {
  const found = new Map<number, string>();
  for (const [at, entry] of list.entries()) {
    const path = `data.fail_list[${at}]`;
    if (!isMembers(entry)) {
      report(path, `must be an object, found ${show(entry)}`);
      continue;
    }
    const message = entry["message"] ?? "";
    if (typeof message !== "string") report(`${path}.message`, `must be a string, found ${show(message)}`);
    const index = readIndex(entry["index"], `${path}.index`, size, report);
    if (index === undefined) continue;
    if (found.has(index)) report(`${path}.index`, `repeats ${index}`);
    else found.set(index, toText(message));
  }
  return [...found].map(([index, message]) => ({ index, message })).sort((a, b) => a.index - b.index);
}

/** Returns the index of an element; undefined if it is not valid. */
function readIndex(value: unknown, path: string, size: number, report: Report): number | undefined {
  const index = integerOf(value);
  if (value === undefined) report(path, "is missing");
  else if (!Number.isSafeInteger(value)) report(path, `must be an integer, found ${show(value)}`);
  if (index === undefined) return undefined;
  if (index >= 1 && index <= size) return index;
  const hint = index === 0 ? " (it counts from 1)" : "";
  report(path, `must be from 1 to ${size}, found ${show(value)}${hint}`);
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

function toText(value: unknown): string {
  return typeof value === "string" ? value : show(value);
}

/** Quotes a value for a message; arrays and objects by their kind only. */
function show(value: unknown): string {
  if (value === undefined) return "none";
  if (value instanceof BigNumber) return shorten(value.digits);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return quote(value);
}
