import type { Buckets, GroupKey, Measure, Scan } from "../../../../../store/events/events.ts";
import {
  always,
  autumn,
  bucketsOf,
  byValues,
  city,
  count,
  equals,
  gift,
  hourMs,
  itemCount,
  itemName,
  measureOf,
  number,
  of,
  oneBucket,
  price,
  startMs,
  tags,
  text,
} from "../../../../conformance/events/scan-world.ts";
import { dayMs, eventOf } from "../../../../conformance/events/world.ts";
import { createRandom } from "../../../../reference/random.ts";

const cities = ["Bern", "Oslo", "Rome", "", 'it\'s "here"'];
const rare = "Nome";

/** The only day with few events whose city is an empty text. */
export const lastDay: Buckets = {
  startMs: startMs + 9 * dayMs,
  endMs: startMs + 10 * dayMs,
  localEdges: [startMs + 9 * dayMs, startMs + 10 * dayMs],
};

/** Returns similar prices in a large group, and higher ones in a group of an empty text and without a city. */
export function createLastEvents() {
  const citiesOfFew = [{ [city.number]: "" }, {}];
  return Array.from({ length: 600 }, (_, index) =>
    eventOf({
      t: lastDay.startMs + index,
      e: 1,
      p: {
        [price.number]: index < 10 ? 1e6 + index : index % 50,
        ...(index < 10 ? citiesOfFew[index % 2] : { [city.number]: "Bern" }),
      },
    }),
  );
}

/** Returns prices of similar sizes in all large groups, some equal, and few events of one group and without a city. */
export function createEvents(random = createRandom(7)) {
  return Array.from({ length: 3_000 }, (_, index) => {
    const isRare = index % 300 === 0;
    const price1 = isRare ? random.next() * 1e6 : random.pick([random.next() * 100, random.int(45, 55), -0]);
    return eventOf({
      t: startMs + Math.floor(random.next() * 3 * dayMs),
      u: random.int(1, 50),
      e: random.int(1, 2),
      p: {
        ...(random.chance(0.95) && { [price.number]: price1 }),
        ...(index % 600 !== 300 && { [city.number]: isRare ? rare : random.pick(cities) }),
        [gift.number]: random.chance(0.5),
        [tags.number]: random.some(["a", "b", ""], 3),
        [itemName.number]: ["pen", "cap"],
        [itemCount.number]: [random.int(1, 9), null],
      },
    });
  });
}

export const median = (
  fraction = 0.5,
  where: Measure["where"] = always,
  events?: readonly number[],
): Measure => measureOf({ kind: "quantile", of: of(price), fraction }, where, events);

const byFirst: GroupKey = {
  kind: "predicate",
  of: { kind: "compare", operator: "<", left: of(city), right: text("Oslo") },
};
const steps: GroupKey = { kind: "intervals", of: of(price), boundaries: [0, 20, 50] };

export const scans: Readonly<Record<string, Partial<Scan>>> = {
  "without keys": { measures: [median()] },
  "by a text with few events of one": { keys: [byValues(city)], measures: [median()] },
  "above the median, by a text": { keys: [byValues(city)], measures: [median(0.95), median(0.6)] },
  "by two keys": { keys: [byValues(city), byValues(gift)], measures: [median(0.9)] },
  "by a condition": { keys: [byFirst], measures: [median(0.25)] },
  "by elements of a list": { keys: [byValues(tags)], measures: [median()] },
  "by intervals of the same number": { keys: [steps], measures: [median(1 / 3)] },
  "by the number": { keys: [byValues(price)], measures: [median()] },
  "with other measures, events and conditions": {
    keys: [byValues(city)],
    measures: [
      count,
      median(0.1, equals(gift, true)),
      measureOf({ kind: "sum", of: of(price) }),
      median(0, always, [1]),
      median(1, { kind: "isNull", of: of(city) }),
      measureOf({ kind: "distinct", of: of(city), as: "value" }),
    ],
  },
  "in a zone, of a part of the range": {
    keys: [byValues(city)],
    zone: autumn,
    buckets: { ...bucketsOf(20, 3 * hourMs, 2 * hourMs), startMs: startMs + hourMs },
    measures: [median()],
  },
  "of members of a group": {
    keys: [byValues(itemName)],
    measures: [measureOf({ kind: "quantile", of: of(itemCount), fraction: 0.5 })],
  },
  "of one bucket": { keys: [byValues(city)], buckets: oneBucket, measures: [median(0.4)] },
  "by a text with few events without one": {
    keys: [byValues(city)],
    buckets: lastDay,
    measures: [median()],
  },
  "without totals": { keys: [byValues(city)], totals: false, measures: [median(0.5), count] },
  "of groups without events of the quantile": {
    keys: [byValues(city)],
    measures: [count, median(0.5, equals(city, "Bern"))],
  },
  "of nothing": { keys: [byValues(city)], measures: [median(0.5, equals(city, "Lima"))] },
  "of a number that is not a property": {
    measures: [median(), measureOf({ kind: "quantile", of: number(5), fraction: 0.5 })],
  },
};
