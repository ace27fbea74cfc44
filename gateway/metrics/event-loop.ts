import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ComputedMetric, Sample } from "./computed-metric.ts";

const resolutionMs = 10;

/**
 * How late timers fire, since the last scrape. Node's figures contain the
 * interval of the measuring timer itself, which is taken off here: an idle
 * process reads close to 0 and not 10 ms.
 */
export function eventLoopDelay(): ComputedMetric {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const sample = (quantile: string, nanoseconds: number): Sample => ({
    labels: { quantile },
    value: Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3),
  });
  return {
    name: "engage_event_loop_delay_seconds",
    help: "How late timers fired since the last scrape; quantile 1 is the maximum",
    type: "gauge",
    samples: () => {
      const samples = [
        sample("0.5", delay.percentile(50)),
        sample("0.99", delay.percentile(99)),
        sample("1", delay.max),
      ];
      delay.reset();
      return samples;
    },
  };
}
