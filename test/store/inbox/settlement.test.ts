import fc from "fast-check";
import { expect, it } from "vitest";
import type { ElementOutcome } from "../../../store/inbox/inbox.ts";
import { planSettlement } from "../../../store/inbox/settlement.ts";

const outcome = fc.record({
  index: fc.nat(12),
  kind: fc.constantFrom("done", "retry", "dead", "returned"),
  notBeforeMs: fc.constantFrom(10, 20),
  reason: fc.constantFrom("x", "y"),
}) as fc.Arbitrary<ElementOutcome>;

const indexes = fc.uniqueArray(fc.nat(9), { maxLength: 8 }).map((list) => list.toSorted((a, b) => a - b));

it("adds each element of an item to exactly one list", () => {
  fc.assert(
    fc.property(indexes, fc.array(outcome), (held, outcomes) => {
      const plan = planSettlement(held, outcomes);
      const placed = [
        ...plan.delivered,
        ...plan.dead.map(({ index }) => index),
        ...plan.retries.flatMap((group) => group.indexes),
        ...plan.returned,
        ...plan.remaining,
      ];
      expect(placed.toSorted((a, b) => a - b)).toEqual(held);
      const named = new Set(outcomes.map(({ index }) => index));
      expect(plan.remaining).toEqual(held.filter((index) => !named.has(index)));
      expect(plan.ignored).toHaveLength(outcomes.length - (held.length - plan.remaining.length));
    }),
  );
});

it("keeps elements with the same time and reason together, in order", () => {
  const retry = (index: number, notBeforeMs: number, reason: string): ElementOutcome => {
    return { index, kind: "retry", notBeforeMs, reason };
  };
  const outcomes = [
    retry(4, 10, "x"),
    retry(0, 10, "x"),
    retry(1, 10, "y"),
    retry(2, 11, "x"),
    retry(3, 9.5, "x"),
  ];
  expect(planSettlement([0, 1, 2, 3, 4], outcomes).retries).toEqual([
    { notBeforeMs: 10, reason: "x", indexes: [0, 3, 4] },
    { notBeforeMs: 10, reason: "y", indexes: [1] },
    { notBeforeMs: 11, reason: "x", indexes: [2] },
  ]);
});

it("uses the first outcome of an element", () => {
  const outcomes: ElementOutcome[] = [
    { index: 0, kind: "dead", reason: "first" },
    { index: 0, kind: "done" },
  ];
  expect(planSettlement([0], outcomes)).toMatchObject({
    dead: [{ index: 0, reason: "first" }],
    delivered: [],
    ignored: [0],
  });
});

it("restricts reasons to what a database's text can contain", () => {
  const reason = `a\0b\ud800${"x".repeat(5_000)}`;
  const [letter] = planSettlement([0], [{ index: 0, kind: "dead", reason }]).dead;
  expect(letter!.reason).toBe(`a\u{FFFD}b\u{FFFD}${"x".repeat(1_996)}`);
});
