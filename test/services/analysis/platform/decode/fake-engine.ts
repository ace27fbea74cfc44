import { afterAll } from "vitest";
import { Aggregation, MetricType } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { openFakePlatform } from "../fake-platform.ts";
import { openEngine } from "../platform-engine.ts";

export const platform = await openFakePlatform();
export const engine = openEngine(platform.url, { unmarkedEnd: "accept" });

/** Closes the engine and its platform after the tests of the file. */
export function closeAfterTests(): void {
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await platform[Symbol.asyncDispose]();
  });
}

export const { signal } = new AbortController();
export const typed = { signal, rest: undefined };
export const { NORMAL, CUSTOMIZED } = MetricType;
export const { TOTAL_TIMES, TRIG_USER_NUM, SUM } = Aggregation;
export const label = (text: string) => ({ label: text });
