import { quoteText } from "../../../base/text/quote.ts";
import type { RefusalReason, RefusedRecord } from "./record.ts";

export function refuse(reason: RefusalReason, field: string, message: string): RefusedRecord {
  return { kind: "refused", reason, field, message };
}

/** Quotes a value of a record for a message; lists and objects by their kind only, which costs nothing. */
export function show(value: unknown): string {
  if (value === undefined) return "(missing)";
  if (Array.isArray(value)) return "(a list)";
  if (typeof value === "object" && value !== null) return "(an object)";
  return typeof value === "string" ? quoteText(value) : String(value);
}
