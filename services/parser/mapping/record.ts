/** Keys that stand at the root of a record; all others stand in `properties`. */
export const rootKeys: ReadonlySet<string> = new Set([
  "#type",
  "#time",
  "#event_name",
  "#account_id",
  "#distinct_id",
  "#uuid",
  "#ip",
  "#app_id",
  "#event_id",
  "#first_check_id",
]);

/** Hours east of UTC of the record's times. */
export const zoneOffsetKey = "#zone_offset";

/** Keys of which a record needs at least one. */
export const idKeys: readonly string[] = ["#account_id", "#distinct_id"];

const idHeads = idKeys.map((key) => `${JSON.stringify(key)}:`);

/** Whether the root members of a record, as JSON text, hold an id that is not empty. Quotes within texts are escaped. */
export function hasId(rootMembers: string): boolean {
  return idHeads.some((head) => {
    const at = rootMembers.indexOf(head);
    return at !== -1 && !rootMembers.startsWith('""', at + head.length);
  });
}
