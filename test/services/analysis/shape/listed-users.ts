import type { StoredUser } from "../../../../store/events/events.ts";

export const view = { groupBy: [{ columnName: "brand", tableType: "event" }] };
/** The users of brand a on a day. */
export const slice = { sliceDate: "2026-08-20", sliceGroupVal: ["a"], eventIndex: 0 };
export const user = (id: number | bigint, properties: Record<string, unknown> = {}): StoredUser => ({
  userId: BigInt(id),
  accountId: `acc-${id}`,
  distinctId: null,
  properties,
});
