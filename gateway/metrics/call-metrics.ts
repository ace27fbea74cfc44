import { codeNames } from "../../base/rpc/code-names.ts";
import { boundsMs, type CallTallies, type CallTally } from "./call-tallies.ts";
import type { ComputedMetric, Sample } from "./computed-metric.ts";

const durationName = "engage_call_duration_seconds";
const callLabels = ["method", "protocol"] as const;

/** The metrics of all calls, computed from their sums. */
export function callMetrics(tallies: CallTallies): readonly ComputedMetric[] {
  const each = (toSamples: (tally: CallTally) => readonly Sample[]) => (): readonly Sample[] =>
    tallies.all().flatMap(toSamples);
  return [
    {
      name: "engage_calls_total",
      help: "Finished calls by outcome",
      type: "counter",
      labels: [...callLabels, "code"],
      samples: each(outcomes),
    },
    {
      name: durationName,
      help: "Time from the first byte of a call to the end of its response",
      type: "histogram",
      labels: callLabels,
      samples: each(durations),
    },
    {
      name: "engage_calls_in_flight",
      help: "Calls that have begun and not finished",
      type: "gauge",
      labels: callLabels,
      samples: each((tally) => [{ labels: labelsOf(tally), value: tally.inFlight }]),
    },
    {
      name: "engage_message_bytes_total",
      help: "Bytes of messages on the wire, without framing and headers",
      type: "counter",
      labels: [...callLabels, "direction"],
      samples: each((tally) => [
        { labels: { ...labelsOf(tally), direction: "in" }, value: tally.bytesIn },
        { labels: { ...labelsOf(tally), direction: "out" }, value: tally.bytesOut },
      ]),
    },
  ];
}

function labelsOf({ method, protocol }: CallTally): { method: string; protocol: string } {
  return { method, protocol };
}

/** Codes whose series begin at 0, since one that begins at its first failure hides that failure from rate(). */
const fromTheStart: ReadonlySet<string> = new Set(["OK", "UNKNOWN", "INTERNAL", "DATA_LOSS"]);

/** Returns OK and the faults of the service from the first call on, other codes once they have occurred. */
function outcomes(tally: CallTally): Sample[] {
  return codeNames
    .map((code, number) => ({ labels: { ...labelsOf(tally), code }, value: tally.codes[number]! }))
    .filter(({ labels, value }) => value > 0 || fromTheStart.has(labels.code));
}

function durations(tally: CallTally): Sample[] {
  const own = labelsOf(tally);
  let count = 0;
  const buckets = Array.from(tally.buckets, (inBucket, i): Sample => {
    count += inBucket;
    const bound = boundsMs[i];
    const le = bound === undefined ? "+Inf" : bound / 1_000;
    return { metricName: `${durationName}_bucket`, labels: { ...own, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${durationName}_sum`, labels: own, value: tally.totalMs / 1_000 },
    { metricName: `${durationName}_count`, labels: own, value: count },
  ];
}
