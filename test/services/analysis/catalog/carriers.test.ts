import { expect, test } from "vitest";
import { Carriers } from "../../../../services/analysis/catalog/carriers.ts";

test("lists the most frequent events, the first of equal ones, and counts all", () => {
  const added = Array.from({ length: 300 }, (_, at) => ({ event: `e${at}`, count: (at * 37) % 50 }));
  const carriers = new Carriers();
  for (const { event, count } of added) carriers.add(event, count);
  const present = added.filter(({ count }) => count > 0);
  expect(carriers.found()).toEqual({
    count: present.reduce((sum, { count }) => sum + count, 0),
    eventCount: present.length,
    events: present
      .toSorted((a, b) => b.count - a.count)
      .slice(0, 100)
      .map(({ event }) => event),
  });
});

test("are none without values", () => {
  expect(new Carriers().found()).toEqual({ count: 0, eventCount: 0, events: [] });
});
