import { afterAll, beforeAll } from "vitest";
import { Aggregation, MetricType } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { PlatformEngine } from "../../../../../services/analysis/platform/platform.ts";
import { type FakePlatform, openFakePlatform } from "../fake-platform.ts";
import { openEngine } from "../platform-engine.ts";

export let platform: FakePlatform;
export let engine: PlatformEngine;

/** Opens a platform and the engine that calls it for the tests of the file. */
export function useFakeEngine(): void {
  beforeAll(async () => {
    platform = await openFakePlatform();
    engine = openEngine(platform.url, { unmarkedEnd: "accept" });
  });
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
