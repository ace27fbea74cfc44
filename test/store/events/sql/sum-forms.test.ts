import { expect, it } from "vitest";
import type { Expression, Scan } from "../../../../store/events/scan.ts";
import { createSumForms } from "../../../../store/events/sql/sum-forms.ts";

const scanOf = (projectId: number, ...values: readonly number[]): Scan => ({
  projectId,
  zone: [],
  buckets: { startMs: 0, endMs: 1, localEdges: [0, 1] },
  keys: [],
  measures: values.map((value) => ({
    events: undefined,
    where: { kind: "always", value: true },
    aggregate: { kind: "sum", of: { kind: "number", value } satisfies Expression },
  })),
  totals: false,
});

it("keeps the form that a sum needs, in its project", () => {
  const forms = createSumForms("decimal");
  const first = forms.of(scanOf(1, 5));
  const next = forms.next([scanOf(1, 5)], "decimal");
  const last = forms.next([scanOf(1, 6)], forms.next([scanOf(1, 6)], "decimal"));
  expect([first, next, last]).toEqual(["decimal", "split", "wide"]);
  const found = [scanOf(1, 5), scanOf(1, 6), scanOf(1, 5, 6), scanOf(1, 7), scanOf(2, 5)];
  expect(found.map(forms.of)).toEqual(["split", "wide", "wide", "decimal", "decimal"]);
});

it("keeps the slower form of a sum whose faster one fails later", () => {
  const forms = createSumForms("decimal");
  forms.next([scanOf(1, 5)], "split");
  forms.next([scanOf(1, 5)], "decimal");
  expect(forms.of(scanOf(1, 5))).toBe("wide");
});

it("starts again after a thousand sums", () => {
  const forms = createSumForms("split");
  for (let value = 0; value <= 1_000; value++) forms.next([scanOf(1, value)], "split");
  expect([0, 999, 1_000].map((value) => forms.of(scanOf(1, value)))).toEqual(["split", "split", "wide"]);
});
