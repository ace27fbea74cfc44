import { first, type Operation, run } from "../../sql/query.ts";
import type { SlotRequest, Slots } from "../batches.ts";
import { takeSlots } from "./take-slots.ts";

/** By the database's clock, behind the lock of the channel's row. */
export function* reserveSlots(request: SlotRequest): Operation<Slots> {
  const { channelId, perSecond } = request;
  yield* run(
    `INSERT INTO {slots} (channel_id, next_us, per_second) VALUES ($1, 0, $2) ON CONFLICT (channel_id) DO NOTHING`,
    ...[channelId, perSecond],
  );
  const held = yield* first<{ next_us: number; per_second: number }>(
    "SELECT next_us, per_second FROM {slots} WHERE channel_id = $1 FOR UPDATE",
    channelId,
  );
  // A statement of its own: the clock is read when the row is held.
  const nowUs = yield* readClockUs();
  const { atUs, retryAfterMs, state } = takeSlots(
    { nextUs: held!.next_us, perSecond: held!.per_second },
    ...([request, nowUs] as const),
  );
  yield* run(
    "UPDATE {slots} SET next_us = $1, per_second = $2 WHERE channel_id = $3",
    ...[state.nextUs, state.perSecond, channelId],
  );
  return { delaysMs: atUs.map((at) => (at - nowUs) / 1_000), retryAfterMs };
}

export function* readClock(): Operation<number> {
  return (yield* readClockUs()) / 1_000;
}

function* readClockUs(): Operation<number> {
  const clock = yield* first<{ now_us: number }>(
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint) AS now_us",
  );
  return clock!.now_us;
}
