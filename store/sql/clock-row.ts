import { first, type Operation, run, type Session } from "./query.ts";
import type { ClockMark } from "./sqlite/lasting-clock.ts";

interface ClockRow {
  readonly clock_ms: number;
  readonly boot_id: string;
  readonly uptime_ms: number;
}

export function* readClock(_session: Session): Operation<ClockMark | null> {
  const row = yield* first<ClockRow>("SELECT clock_ms, boot_id, uptime_ms FROM {clock} WHERE id = 1");
  return row && { clockMs: row.clock_ms, bootId: row.boot_id, uptimeMs: row.uptime_ms };
}

export function* keepClock(_session: Session, { clockMs, bootId, uptimeMs }: ClockMark): Operation<void> {
  yield* run(
    `INSERT INTO {clock} (id, clock_ms, boot_id, uptime_ms) VALUES (1, $1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET clock_ms = excluded.clock_ms, boot_id = excluded.boot_id,
       uptime_ms = excluded.uptime_ms`,
    clockMs,
    bootId,
    uptimeMs,
  );
}
