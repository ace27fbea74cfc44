import { BigNumber, parseExactJson } from "../../../base/json/exact-numbers.ts";
import { quote, shorten } from "../../../base/text/quote.ts";

/** An element that the receiver named as failed. */
export interface FailedElement {
  /** Counted from 1. */
  readonly index: number;
  /** Empty when the receiver gave no reason. */
  readonly message: string;
}

/** What the body of an answer says. */
export interface ReadAnswer {
  /** `ok` is a return_code of 0, `absent` none at all. */
  readonly returnCode: "ok" | "failed" | "absent";
  /** The return_code as it was written, and the receiver's message. */
  readonly said: string;
  /** Without what can't be meant; each index once, ascending. */
  readonly failed: readonly FailedElement[];
  /** Where the body is not of the specified form; `path: what is wrong`. */
  readonly problems: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** More of them would not be read by anybody. */
const maxProblems = 20;

/** Parses the body of an answer; numbers beyond the range of doubles become BigNumbers. @throws SyntaxError */
export function parseAnswer(text: string): unknown {
  return parseExactJson(text, (digits) => {
    const value = Number(digits);
    return Number.isFinite(value) ? value : new BigNumber(digits);
  });
}

/**
 * Reads an answer that is JSON. Null counts as left out where a member is
 * optional, and nothing is said against members that are not specified.
 * @param size elements of the batch
 */
export function readAnswer(value: unknown, size: number): ReadAnswer {
  const problems: string[] = [];
  const report = (path: string, what: string): void => {
    if (problems.length < maxProblems) problems.push(`${path} ${what}`);
  };
  if (!isMembers(value)) {
    report("body", `must be an object, found ${show(value)}`);
    return { returnCode: "absent", said: "", failed: [], problems };
  }
  const returnCode = readReturnCode(value["return_code"], report);
  const message = value["return_message"] ?? "";
  if (typeof message !== "string") report("return_message", `must be a string, found ${show(message)}`);
  const said = [`return_code ${show(value["return_code"])}`, toText(message)].filter(Boolean).join(": ");
  return { returnCode, said, failed: readData(value["data"] ?? undefined, size, report), problems };
}

type Report = (path: string, what: string) => void;

function readReturnCode(value: unknown, report: Report): ReadAnswer["returnCode"] {
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

/** Undefined when no element can be meant. */
function readIndex(value: unknown, path: string, size: number, report: Report): number | undefined {
  const index = integerOf(value);
  if (value === undefined) report(path, "is missing");
  else if (!Number.isSafeInteger(value)) report(path, `must be an integer, found ${show(value)}`);
  if (index === undefined) return undefined;
  if (index >= 1 && index <= size) return index;
  const hint = index === 0 ? ", it is counted from 1" : "";
  report(path, `must be from 1 to ${size}, found ${show(value)}${hint}`);
  return undefined;
}

/** An integer, also one that is written as a text. */
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
