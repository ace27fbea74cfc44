export interface LeaseClockOptions {
  /** The time of the database, in milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
}

/** Clocks of two machines move apart by less than 10 ms in it. */
const FRESH_MS = 60_000;

/**
 * The time of the database as this process knows it, so that replicas agree on
 * when a lease ends although their own clocks may differ or be set. It is asked
 * for once a minute, on the side; in between the monotonic clock goes on.
 */
export async function openLeaseClock({ ask, monotonic }: LeaseClockOptions): Promise<() => number> {
  let offsetMs = 0;
  let askedMs = 0;
  let isAsking = false;
  const refresh = async (): Promise<void> => {
    askedMs = monotonic();
    isAsking = true;
    try {
      const databaseMs = await ask();
      // It was read somewhere between the call and its answer.
      offsetMs = databaseMs - (askedMs + monotonic()) / 2;
    } finally {
      isAsking = false;
    }
  };
  await refresh();
  return () => {
    // A database that is away is asked again in a minute: leases can't be taken from it anyway.
    if (!isAsking && monotonic() - askedMs > FRESH_MS) refresh().catch(() => {});
    return Math.round(monotonic() + offsetMs);
  };
}
