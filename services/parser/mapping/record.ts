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
