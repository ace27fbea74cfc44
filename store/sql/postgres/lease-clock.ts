export interface LeaseClockOptions {
  /** The time of the database, in milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Stands in until the database has been asked. */
  readonly now: () => number;
}

/** The time of the database as this process knows it. */
export interface LeaseClock {
  now(): number;
  /** Asks the database at once. */
  refresh(): Promise<void>;
}

/** Clocks of two machines move apart by less than 10 ms in it. */
const freshMs = 60_000;
/** An answer that took longer, as when the pool is busy, is wrong by up to half of that: what is known is better. */
const maxRoundTripMs = 1_000;

/** As `createLeaseClock`, when the database has been asked once. */
export async function openLeaseClock(options: Omit<LeaseClockOptions, "now">): Promise<() => number> {
  const clock = createLeaseClock({ ...options, now: Date.now });
  await clock.refresh();
  return () => clock.now();
}

/**
 * Lets replicas agree on when a lease ends although their own clocks may differ
 * or be set. The database is asked once a minute, on the side; in between the
 * monotonic clock goes on.
 */
export function createLeaseClock({ ask, monotonic, now }: LeaseClockOptions): LeaseClock {
  let offsetMs: number | undefined;
  let askedMs = 0;
  let isAsking = false;
  const refresh = async (): Promise<void> => {
    askedMs = monotonic();
    isAsking = true;
    try {
      const databaseMs = await ask();
      const answeredMs = monotonic();
      if (offsetMs !== undefined && answeredMs - askedMs > maxRoundTripMs) return;
      // It was read somewhere between the call and its answer.
      offsetMs = databaseMs - (askedMs + answeredMs) / 2;
    } finally {
      isAsking = false;
    }
  };
  return {
    refresh,
    now() {
      if (offsetMs === undefined) return Math.round(now());
      // A database that is unavailable is asked again in a minute: leases can't be taken from it anyway.
      if (!isAsking && monotonic() - askedMs > freshMs) refresh().catch(() => {});
      return Math.round(monotonic() + offsetMs);
    },
  };
}
