import type { RefusalReason, RefusedRecord } from "./record.ts";

export function refuse(reason: RefusalReason, field: string, message: string): RefusedRecord {
  return { kind: "refused", reason, field, message };
}

/** Short, and at no cost whatever the value is. */
export function show(value: unknown): string {
  if (value === undefined) return "(missing)";
  if (Array.isArray(value)) return "(a list)";
  if (typeof value === "object" && value !== null) return "(an object)";
  return typeof value === "string" ? quoteText(value) : String(value);
}

/** Of a value of the sender, so that what is valid still has its place in the message. */
const maxQuotedLength = 100;

/** A text; of a long one its beginning and its length. */
function quoteText(text: string): string {
  if (text.length <= maxQuotedLength) return JSON.stringify(text);
  // Not between the halves of a pair.
  const start = text.slice(0, maxQuotedLength).replace(/[\ud800-\udbff]$/, "");
  return `${JSON.stringify(`${start}…`)} (${text.length} characters)`;
}
