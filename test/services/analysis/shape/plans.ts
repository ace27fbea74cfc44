import type { KeyValue } from "../../../../store/events/events.ts";
import type { ScriptedGroup } from "./scripted-store.ts";

export const byBrand = { groupBy: [{ columnName: "brand", tableType: "event" }] };
export const metric = (analysis: string, quota = "", more: object = {}) => ({
  type: "normal",
  eventName: "pay",
  analysis,
  quota,
  ...more,
});

/** Returns a group with the same cells for all measures. */
export const group = (
  key: readonly KeyValue[],
  cells: readonly (number | null)[],
  total = cells[0],
): ScriptedGroup => ({
  key,
  cells: () => cells,
  total: () => total ?? null,
});
