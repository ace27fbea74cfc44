/** Names of the ten types of records, as `#type` has them. */
export const recordTypes = [
  "track",
  "track_update",
  "track_overwrite",
  "user_set",
  "user_setOnce",
  "user_add",
  "user_append",
  "user_uniq_append",
  "user_unset",
  "user_del",
] as const;

export type RecordType = (typeof recordTypes)[number];

export function isRecordType(text: string): text is RecordType {
  return (recordTypes as readonly string[]).includes(text);
}
