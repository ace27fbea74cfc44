import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSampler, type SamplerName } from "../../../base/trace/sampler.ts";

const recorded = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const notRecorded = recorded.replace(/01$/, "00");
/** The lowest and the highest id that a trace can have. */
const lowest = `00-${"f".repeat(18)}${"0".repeat(14)}-b7ad6b7169203331-00`;
const highest = `00-${"0".repeat(18)}${"f".repeat(14)}-b7ad6b7169203331-00`;

describe("what is sampled", () => {
  it.each<[SamplerName, number, string | undefined, boolean]>([
    ["always_on", 0, undefined, true],
    ["always_on", 0, notRecorded, true],
    ["always_off", 1, undefined, false],
    ["always_off", 1, recorded, false],
    ["traceidratio", 0.5, undefined, true],
    ["traceidratio", 0.2, undefined, false],
    ["traceidratio", 0.5, lowest, false],
    ["traceidratio", 0.5, highest, true],
    ["traceidratio", 0, highest, false],
    ["traceidratio", 1, lowest, true],
    ["parentbased_always_on", 0, undefined, true],
    ["parentbased_always_on", 0, notRecorded, false],
    ["parentbased_always_on", 0, recorded, true],
    ["parentbased_always_off", 0, undefined, false],
    ["parentbased_always_off", 0, recorded, true],
    ["parentbased_traceidratio", 0.2, undefined, false],
    ["parentbased_traceidratio", 0.5, undefined, true],
    ["parentbased_traceidratio", 0, recorded, true],
    ["parentbased_traceidratio", 1, notRecorded, false],
  ])("by %s with the ratio %d and the caller's %s: %s", (name, ratio, traceparent, expected) => {
    expect(createSampler(name, ratio, () => 0.3).isSampled(traceparent)).toBe(expected);
  });
});

it("gives new traces ids that other services with the same ratio sample", () => {
  const share = fc.double({ min: 0.000_001, max: 1, noNaN: true });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(share, random, (ratio, chance) => {
      const sampler = createSampler("traceidratio", ratio, () => chance);
      const traceId = sampler.newTraceId((digits) => "7".repeat(digits));
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(sampler.isSampled(`00-${traceId}-b7ad6b7169203331-01`)).toBe(true);
    }),
  );
});
