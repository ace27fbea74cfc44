import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

/** Returns a time as ISO 8601. */
export function timeText(time: Timestamp | undefined): string | undefined {
  return time === undefined ? undefined : timestampDate(time).toISOString();
}
