/** Keys at the root of a record; all other keys are in `properties`. */
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

/** Key of the hours east of UTC of the record's times. */
export const zoneOffsetKey = "#zone_offset";

/** Keys of ids; a record needs at least one. */
export const idKeys: readonly string[] = ["#account_id", "#distinct_id"];

const idHeads = idKeys.map((key) => `${JSON.stringify(key)}:`);

/** Reports whether the root members of a record, as JSON text, contain a non-empty id. Quotes in texts are escaped. */
export function hasId(rootMembers: string): boolean {
  return idHeads.some((head) => {
    const at = rootMembers.indexOf(head);
    return at !== -1 && !rootMembers.startsWith('""', at + head.length);
  });
}
