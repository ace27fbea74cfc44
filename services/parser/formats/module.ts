import { pathToFileURL } from "node:url";
import { isJsonObject } from "../../../base/json/raw-numbers.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import { type ParseLine, type Refusal, refuse } from "../line/line.ts";
import type { ConfigPath, Problems } from "../mapping/problems.ts";

type UserParse = (line: string, index: string) => unknown;

/** Loads a user's `parse(line, index)`, which returns a record, a list of records, or null for no record. */
export async function openModule(path: string, at: ConfigPath, problems: Problems): Promise<ParseLine> {
  const parse = await loadParse(path, at, problems);
  return (line, index) => {
    try {
      return recordsOf(parse(line, index));
    } catch (error) {
      return refuse(
        "module_error",
        error instanceof Error ? `${error.name}: ${error.message}` : "threw a value that is not an error",
      );
    }
  };
}

async function loadParse(path: string, at: ConfigPath, problems: Problems): Promise<UserParse> {
  try {
    const loaded: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
    if (typeof loaded["parse"] === "function") return loaded["parse"] as UserParse;
    const names = Object.keys(loaded).join(", ") || "nothing";
    problems.add(at, `${quoteText(path)} exports no function parse(line, index), it exports ${names}`);
  } catch (error) {
    problems.add(at, `can't load ${quoteText(path)}: ${errorMessage(error)}`);
  }
  return () => null;
}

function recordsOf(result: unknown): ReturnType<ParseLine> {
  if (result === null || result === undefined) return [];
  const found: readonly unknown[] = Array.isArray(result) ? result : [result];
  const promises = found.filter((record) => record instanceof Promise);
  if (promises.length > 0) return refusePromises(promises);
  const records: string[] = [];
  for (const record of found) {
    const text = isJsonObject(record) ? JSON.stringify(record) : undefined;
    // A toJSON method can return any value.
    if (!text?.startsWith("{"))
      return refuse("module_error", "parse must return an object, a list of objects or null");
    records.push(text);
  }
  return records;
}

function refusePromises(promises: readonly Promise<unknown>[]): Refusal {
  // An unhandled rejection would end the process.
  for (const promise of promises) promise.catch(() => undefined);
  return refuse("module_error", "parse must return its records synchronously, got a promise");
}
