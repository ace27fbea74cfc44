import { first, type Operation } from "../query.ts";

export interface LeaseClockOptions {
  /** Reads the time of the database, in milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  /** Returns milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Returns the time until the database has been asked, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The time of the database as this process knows it, in milliseconds since 1970. */
export interface LeaseClock {
  now(): number;
  /** Reads the time of the database at once. */
  refresh(): Promise<void>;
}

/**
 * The database is asked again after this time, in which the clocks of two machines drift apart by less
 * than 10 ms.
 */
const freshMs = 60_000;
/** A slower reply, such as from a busy pool, may be wrong by half its duration, so the known offset is kept. */
const maxRoundTripMs = 1_000;

/** Creates a lease clock and reads the time of the database once. */
export async function openLeaseClock(options: Omit<LeaseClockOptions, "now">): Promise<() => number> {
  const clock = createLeaseClock({ ...options, now: Date.now });
  await clock.refresh();
  return () => clock.now();
}

/**
 * Creates a clock by which replicas agree on when a lease ends, although their own clocks differ or are
 * set. The clock asks the database once a minute, in the background; in between it follows the
 * monotonic clock.
 */
export function createLeaseClock({ ask, monotonic, now }: LeaseClockOptions): LeaseClock {
  let offsetMs: number | undefined;
  let requestedMs = 0;
  let isAsking = false;
  const refresh = async (): Promise<void> => {
    requestedMs = monotonic();
    isAsking = true;
    try {
      const databaseMs = await ask();
      const receivedMs = monotonic();
      if (offsetMs !== undefined && receivedMs - requestedMs > maxRoundTripMs) return;
      // The database read its clock between the call and the reply; the middle is assumed.
      offsetMs = databaseMs - (requestedMs + receivedMs) / 2;
    } finally {
      isAsking = false;
    }
  };
  return {
    refresh,
    now() {
      if (offsetMs === undefined) return Math.round(now());
      // An unavailable database is asked again in a minute: it can't give out leases meanwhile.
      if (!isAsking && monotonic() - requestedMs > freshMs) refresh().catch(() => {});
      return Math.round(monotonic() + offsetMs);
    },
  };
}

/** Reads the time of the database, in milliseconds since 1970, with a fraction. */
export function* readClock(): Operation<number> {
  const clock = yield* first<{ now_us: number }>(
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint) AS now_us",
  );
  return clock!.now_us / 1_000;
}
