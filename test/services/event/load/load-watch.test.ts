import { beforeEach, describe, expect, it } from "vitest";
import { createLoadWatch, type LoadWatch } from "../../../../services/event/load/load-watch.ts";
import type { RecordCounts } from "../../../../services/event/load/prepared.ts";
import { IntakeOpenError } from "../../../../store/intake/intake.ts";

const place = (offset: number) => ({ number: 1, offset });

let nowMs = 0;
let watch: LoadWatch;
beforeEach(() => {
  nowMs = 1_000_000;
  watch = createLoadWatch({ monotonicMs: () => nowMs, standstillMs: () => 120_000, waitedMs: 5_000 });
});

function countsOf(changes: Partial<RecordCounts>): RecordCounts {
  const none = { records: 0, events: 0, updates: 0, users: 0, refused: {}, dropped: {} };
  return { ...none, duplicates: { uuid: 0, first_check_id: 0 }, ...changes };
}

describe("lag", () => {
  it("is none while all is loaded", () => {
    watch.reached(place(0));
    expect(watch.lagMs(place(0))).toBe(0);
    watch.reached(place(10));
    nowMs += 60_000;
    expect(watch.lagMs(place(10))).toBe(0);
  });

  it("is of the oldest record that is not loaded, from when it was seen", () => {
    watch.reached(place(0));
    nowMs += 1_000;
    watch.reached(place(10));
    nowMs += 1_000;
    watch.reached(place(20));
    nowMs += 3_000;
    watch.reached(place(20));
    expect(watch.lagMs(place(0))).toBe(4_000);
    expect(watch.lagMs(place(10))).toBe(3_000);
    expect(watch.lagMs(place(15))).toBe(3_000);
    expect(watch.lagMs(place(20))).toBe(0);
  });

  it("counts what records of before the start have waited", () => {
    watch.reached(place(10));
    nowMs += 1_000;
    expect(watch.lagMs(undefined)).toBe(6_000);
    expect(watch.lagMs(place(9))).toBe(6_000);
  });

  it("is none once no record waits before the end, until the end moves", () => {
    watch.reached({ number: 2, offset: 0 });
    nowMs += 200_000;
    watch.caughtUp();
    watch.reached({ number: 2, offset: 0 });
    expect(watch.lagMs(place(10))).toBe(0);
    expect(watch.fault(place(10))).toBeUndefined();
    watch.reached({ number: 2, offset: 5 });
    nowMs += 1_000;
    expect(watch.lagMs(place(10))).toBe(1_000);
  });

  it("keeps the oldest of a long wait", () => {
    watch.reached(place(0));
    for (let at = 1; at <= 10_000; at++) {
      nowMs += 1_000;
      watch.reached(place(at));
    }
    const lagMs = watch.lagMs(place(0));
    expect(lagMs).toBeGreaterThan(9_980_000);
    expect(lagMs).toBeLessThanOrEqual(9_999_000);
  });
});

describe("readiness", () => {
  const standsStill = "records are accepted but not loaded";

  it.each([
    { name: "nothing waits", loadedTo: 10, failures: 9, waitMs: 3_600_000, fault: undefined },
    { name: "loading has failed twice", loadedTo: 0, failures: 2, waitMs: 60_000, fault: undefined },
    {
      name: "loading has failed again and again",
      loadedTo: 0,
      failures: 3,
      waitMs: 2_000,
      fault: standsStill,
    },
    {
      name: "it has failed often within a second",
      loadedTo: 0,
      failures: 9,
      waitMs: 1_000,
      fault: undefined,
    },
    { name: "records wait for a while", loadedTo: 0, failures: 0, waitMs: 100_000, fault: undefined },
    {
      name: "nothing was loaded for too long",
      loadedTo: 0,
      failures: 0,
      waitMs: 121_000,
      fault: standsStill,
    },
  ])("is reported when $name", ({ loadedTo, failures, waitMs, fault }) => {
    watch.reached(place(0));
    watch.reached(place(10));
    for (let at = 0; at < failures; at++) watch.failed();
    nowMs += waitMs;
    expect(watch.fault(place(loadedTo))).toBe(fault);
  });

  it.each([0, 10])("is reported at once when the intake is unusable, at any place (%i)", (loadedTo) => {
    watch.reached(place(0));
    watch.reached(place(10));
    watch.failed(new IntakeOpenError("intake file is damaged"));
    expect(watch.fault(place(loadedTo))).toBe(
      "records are accepted but not loaded: the intake is missing, damaged or in use, the log says what to do",
    );
    watch.began();
    expect(watch.fault(place(loadedTo))).toBeUndefined();
  });

  it("is there again after a load, and stays while a backlog is loaded", () => {
    watch.reached(place(0));
    watch.reached(place(10));
    for (let at = 0; at < 5; at++) watch.failed();
    nowMs += 600_000;
    expect(watch.fault(place(0))).toBe(standsStill);
    watch.loaded(countsOf({ events: 1 }));
    expect(watch.fault(place(5))).toBeUndefined();
  });

  it.each([
    { refused: { unknown_project: 30 }, fault: "all of the last 30 records are refused (unknown_project)" },
    {
      refused: { bad_line: 5, time_too_new: 20 },
      fault: "all of the last 25 records are refused (time_too_new)",
    },
    { refused: { unknown_project: 19 }, fault: undefined },
    { refused: { event_name: 500, not_json: 40 }, fault: undefined },
  ])("is reported when every record is refused: $refused", ({ refused, fault }) => {
    watch.loaded(countsOf({ events: 3 }));
    watch.loaded(countsOf({ refused }));
    expect(watch.fault(undefined)).toBe(fault);
    watch.loaded(countsOf({ events: 1, refused }));
    watch.loaded(countsOf({ users: 1 }));
    expect(watch.fault(undefined)).toBeUndefined();
  });
});
