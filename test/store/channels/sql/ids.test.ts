import { expect, it } from "vitest";
import { decodeBatchToken, encodeBatchToken, groupLeases } from "../../../../store/channels/sql/ids.ts";

/** Leases as `run.key.number`. In run 1 a lease of the key 8 has the smallest number. */
const ordered = ["1.7.3", "1.7.5", "1.8.2", "1.8.4", "2.6.0", "2.9.1", "10.1.0"];

function grouped(leases: readonly string[]): readonly (readonly string[])[] {
  const given = leases.map((text) => {
    const [runSeq, key, number] = text.split(".").map(Number) as [number, number, number];
    return { text, lease: decodeBatchToken(encodeBatchToken({ runSeq, number, key }))! };
  });
  return [...groupLeases(given)].map((group) => group.map(({ text }) => text));
}

it("groups leases by run and key", () => {
  const groups = [["1.7.3", "1.7.5"], ["1.8.2", "1.8.4"], ["2.6.0"], ["2.9.1"], ["10.1.0"]];
  expect(grouped(ordered.toReversed())).toEqual(groups);
  expect(grouped([])).toEqual([]);
});

it("keeps the order of all leases in any of them", () => {
  const parts = Array.from({ length: 2 ** ordered.length }, (_, bits) =>
    ordered.filter((_lease, i) => bits & (1 << i)),
  );
  expect(parts.map((part) => grouped(part.toReversed()).flat())).toEqual(parts);
});
