import { create } from "@bufbuild/protobuf";
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/** Converts milliseconds since 1970. */
export function timestampOf(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1_000);
  const nanos = Math.trunc((ms - seconds * 1_000) * 1_000_000);
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
}

/** Converts milliseconds, which are not negative. */
export function durationOf(ms: number): Duration {
  const seconds = Math.floor(ms / 1_000);
  const nanos = Math.round((ms - seconds * 1_000) * 1_000_000);
  return create(DurationSchema, { seconds: BigInt(seconds), nanos });
}

export function durationMs({ seconds, nanos }: Pick<Duration, "seconds" | "nanos">): number {
  return Number(seconds) * 1_000 + nanos / 1_000_000;
}
