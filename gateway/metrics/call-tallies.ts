import { codeNames } from "../../base/rpc/code-names.ts";
import { createByMethod } from "../call/by-method.ts";
import type { CallObserver, ProtocolName } from "../call/record.ts";

/**
 * Upper bounds of the latency buckets in milliseconds. A unary call of the
 * lanes takes tens of microseconds; a download may take minutes.
 */
export const boundsMs = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000,
] as const;

/** The sums over all calls of one method by one protocol. */
export interface CallTally {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly protocol: ProtocolName;
  inFlight: number;
  bytesIn: number;
  bytesOut: number;
  totalMs: number;
  /** Finished calls by code number. */
  readonly codes: Float64Array;
  /** Finished calls by bucket, not cumulative; the last one is beyond all bounds. */
  readonly buckets: Float64Array;
}

export interface CallTallies {
  readonly observer: CallObserver;
  /** Returns one tally for each method and protocol that was called. */
  all(): CallTally[];
}

/**
 * Adds up calls in plain numbers. A counter of prom-client hashes its labels
 * at each step, which for the five metrics of a call comes to microseconds;
 * this costs a look-up by identity at either end, and prom-client sees the sums only when
 * it is asked for them.
 */
export function createCallTallies(): CallTallies {
  const tallies = createByMethod(createTally);
  return {
    observer: {
      started(record) {
        tallies.of(record).inFlight++;
      },
      finished(record) {
        const tally = tallies.of(record);
        const ms = performance.now() - record.startedMs;
        tally.inFlight--;
        tally.bytesIn += record.bytesIn;
        tally.bytesOut += record.bytesOut;
        tally.totalMs += ms;
        tally.codes[record.code ?? 0]!++;
        tally.buckets[bucketOf(ms)]!++;
      },
    },
    all: tallies.all,
  };
}

function createTally(method: string, protocol: ProtocolName): CallTally {
  return {
    method,
    protocol,
    inFlight: 0,
    bytesIn: 0,
    bytesOut: 0,
    totalMs: 0,
    codes: new Float64Array(codeNames.length),
    buckets: new Float64Array(boundsMs.length + 1),
  };
}

/** Index of the bucket; looked for from the fast end, where nearly all calls are. */
export function bucketOf(ms: number): number {
  let bucket = 0;
  while (bucket < boundsMs.length && ms > boundsMs[bucket]!) bucket++;
  return bucket;
}
