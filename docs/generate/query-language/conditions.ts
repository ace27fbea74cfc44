import {
  ComparatorSchema,
  RelationSchema,
  TimeUnitSchema,
} from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { code, table } from "../markdown.ts";
import type { Ask } from "./server.ts";
import { examplesOf } from "./vocabulary.ts";

const of = (columnName: string, comparator: string, ftv: readonly (string | number)[] = []) => ({
  columnName,
  tableType: "event",
  comparator,
  ftv,
});
const ofUser = (columnName: string, comparator: string, ftv: readonly (string | number)[] = []) => ({
  ...of(columnName, comparator, ftv),
  tableType: "user",
});
const inCohort = (comparator: string) => ({ ...of("advanced", comparator), tableType: "cluster" });

/** An example of each comparator: a condition on the events `pay`. */
const comparators: Readonly<Record<string, object>> = {
  equal: of("item", "equal", ["sword", "potion"]),
  notEqual: of("item", "notEqual", ["sword"]),
  include: of("item", "include", ["s"]),
  notInclude: of("item", "notInclude", ["wor"]),
  less: of("price", "less", [7.5]),
  greater: of("price", "greater", [7.5]),
  range: of("price", "range", [7.5, 10]),
  isNull: of("item", "isNull"),
  notNull: of("item", "notNull"),
  isTrue: of("gift", "isTrue"),
  isFalse: of("gift", "isFalse"),
  regexMatch: of("item", "regexMatch", ["^s.*d$"]),
  notRegexMatch: of("item", "notRegexMatch", ["^sw"]),
  relativeCurrentBetween: ofUser("registered", "relativeCurrentBetween", [-4, -2]),
  relativeCurrentBefore: ofUser("registered", "relativeCurrentBefore", [7]),
  relativeEventBefore: { ...of("ordered", "relativeEventBefore", [1]), timeUnit: "day" },
  relativeEventAfter: { ...of("ordered", "relativeEventAfter", [20]), timeUnit: "minute" },
  relativeEventAbsolute: { ...of("ordered", "relativeEventAbsolute", [1]), timeUnit: "hour" },
  relativeEventThatDay: of("ordered", "relativeEventThatDay"),
  arrayIncludeItem: of("tags", "arrayIncludeItem", ["new"]),
  arrayNotIncludeItem: of("tags", "arrayNotIncludeItem", ["new"]),
  arrayItemPos: of("tags", "arrayItemPos", [1, "sale"]),
  arrayIsNull: of("tags", "arrayIsNull"),
  arrayNotNull: of("tags", "arrayNotNull"),
  belongToCluster: inCohort("belongToCluster"),
  notBelongToCluster: inCohort("notBelongToCluster"),
};

const timeUnits: Readonly<Record<string, object>> = Object.fromEntries(
  ["day", "hour", "minute"].map((timeUnit) => [
    timeUnit,
    { ...of("ordered", "relativeEventBefore", [9]), timeUnit },
  ]),
);

const cheap = of("price", "less", [5]);
const sword = of("item", "equal", ["sword"]);
const relations: Readonly<Record<string, readonly object[]>> = {
  and: [sword, of("price", "greater", [10])],
  or: [sword, cheap],
};

/** Writes the part about conditions. */
export async function writeConditions(ask: Ask): Promise<string> {
  const count = async (view: object): Promise<string> => {
    const { y } = await ask("event-analyze", {
      projectId: 1,
      eventView: { recentDay: "1-4", timeParticleSize: "total", ...view },
      events: [{ type: "normal", eventName: "pay", analysis: "TOTAL_TIMES" }],
    });
    return y[0]!["pay.TOTAL_TIMES"]![0]!.values[0]!;
  };
  const rows = (examples: ReturnType<typeof examplesOf<object>>) =>
    Promise.all(
      examples.map(async ({ word, meaning, example }) => [
        code(word),
        meaning,
        code(JSON.stringify(example)),
        await count({ filts: [example] }),
      ]),
    );
  const joined = await Promise.all(
    examplesOf(RelationSchema, relations).map(async ({ word, meaning, example }) => {
      const view = { relation: word, filts: example };
      return [code(word), meaning, code(JSON.stringify(view)), await count(view)];
    }),
  );
  const nested = {
    relation: "or",
    filts: [cheap, { filterType: "COMPOUND", relation: "and", filts: relations["and"] }],
  };
  const head = ["Word", "Meaning", "Example", "Payments"];
  return [
    "## Comparators\n",
    "Conditions are in `eventView.filts`, where they hold for all metrics, in `filts` of a metric, and in `customFilters` " +
      "for one operand of a formula. Each example is a condition on the payments of the four days, and the number of " +
      "payments that meet it.\n",
    table(head, await rows(examplesOf(ComparatorSchema, comparators))),
    "## Time units\n",
    "The `timeUnit` of a comparator that compares a time with that of the event.\n",
    table(head, await rows(examplesOf(TimeUnitSchema, timeUnits))),
    "## Relations\n",
    "The conditions of a list are joined by its `relation`. A condition with `filterType` `COMPOUND` is a list of its own.\n",
    table(head, [
      ...joined,
      [
        "`COMPOUND`",
        "One condition of the list is a list.",
        code(JSON.stringify(nested)),
        await count(nested),
      ],
    ]),
  ].join("\n");
}
