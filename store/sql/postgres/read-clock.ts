import { first, type Operation } from "../query.ts";

/** Milliseconds since 1970, as the database counts them, with a fraction. */
export function* readClock(): Operation<number> {
  const clock = yield* first<{ now_us: number }>(
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint) AS now_us",
  );
  return clock!.now_us / 1_000;
}
