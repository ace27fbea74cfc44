import { describe, expect, it } from "vitest";
import { createStopTime } from "../../../cmd/serve/stop-time.ts";

describe("the time to stop", () => {
  it("is shared by those who stop one after the other, and never less than a second", () => {
    let nowMs = 100;
    const stop = createStopTime(
      () => 5_000,
      () => nowMs,
    );
    expect(stop.signal.aborted).toBe(false);
    stop.begin();
    nowMs += 1_500;
    stop.begin();
    expect([stop.signal.aborted, stop.leftMs()]).toEqual([true, 3_500]);
    nowMs += 60_000;
    expect(stop.leftMs()).toBe(1_000);
  });

  it("is what is configured, where that is less", () => {
    const stop = createStopTime(
      () => 20,
      () => 0,
    );
    expect(stop.leftMs()).toBe(20);
  });
});
