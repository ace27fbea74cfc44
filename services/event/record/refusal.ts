import type { RefusalReason, RefusedRecord } from "./record.ts";

export function refuse(reason: RefusalReason, field: string, message: string): RefusedRecord {
  return { kind: "refused", reason, field, message };
}

/** Short, and at no cost whatever the value is. */
export function show(value: unknown): string {
  if (value === undefined) return "(missing)";
  if (Array.isArray(value)) return "(a list)";
  if (typeof value === "object" && value !== null) return "(an object)";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
}
