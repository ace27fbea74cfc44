export interface LeaseClockOptions {
  /** The time of the database, in milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
}

/** Clocks of two machines move apart by less than 10 ms in it. */
const FRESH_MS = 60_000;
/** An answer that took longer, as behind a busy pool, is wrong by up to half of that: what is known is better. */
const MAX_ROUND_TRIP_MS = 1_000;

/**
 * The time of the database as this process knows it, so that replicas agree on
 * when a lease ends although their own clocks may differ or be set. It is asked
 * for once a minute, on the side; in between the monotonic clock goes on.
 */
export async function openLeaseClock({ ask, monotonic }: LeaseClockOptions): Promise<() => number> {
  let offsetMs: number | undefined;
  let askedMs = 0;
  let isAsking = false;
  const refresh = async (): Promise<void> => {
    askedMs = monotonic();
    isAsking = true;
    try {
      const databaseMs = await ask();
      const answeredMs = monotonic();
      if (offsetMs !== undefined && answeredMs - askedMs > MAX_ROUND_TRIP_MS) return;
      // It was read somewhere between the call and its answer.
      offsetMs = databaseMs - (askedMs + answeredMs) / 2;
    } finally {
      isAsking = false;
    }
  };
  await refresh();
  return () => {
    // A database that is away is asked again in a minute: leases can't be taken from it anyway.
    if (!isAsking && monotonic() - askedMs > FRESH_MS) refresh().catch(() => {});
    return Math.round(monotonic() + offsetMs!);
  };
}
