import { PropertyRangeTypeSchema } from "../../../gen/engage/analysis/v1/column_pb.ts";
import { code, table } from "../markdown.ts";
import { show, showQuery } from "./blocks.ts";
import type { Ask } from "./server.ts";
import { examplesOf } from "./vocabulary.ts";

const pays = [{ type: "normal", eventName: "pay", analysis: "TOTAL_TIMES" }];

/** What results can be grouped by, each with an example. */
const columns: readonly (readonly [meaning: string, example: object])[] = [
  ["A property of the event.", { columnName: "item", tableType: "event" }],
  ["A property of the user.", { columnName: "city", tableType: "user" }],
  ["A preset property, with its `#`.", { columnName: "#account_id", tableType: "user" }],
  ["A list: the event belongs to the group of each element.", { columnName: "tags", tableType: "event" }],
  ["A boolean.", { columnName: "gift", tableType: "event" }],
  ["A column of a dimension table of the project.", { columnName: "item@kind", tableType: "event" }],
  ["A virtual property of the project.", { columnName: "#vp@occasion", tableType: "event" }],
  ["A cohort: whether the user is in it.", { columnName: "advanced", tableType: "cluster" }],
  ["A tag: its value for the user.", { columnName: "stage", tableType: "cluster" }],
  [
    "Intervals of a number, by their boundaries.",
    { columnName: "price", tableType: "event", propertyRange: "5,10" },
  ],
];

const price = { columnName: "price", tableType: "event" };
const rangeTypes: Readonly<Record<string, object>> = {
  discrete: { ...price, propertyRangeType: "discrete" },
  def: { ...price, propertyRangeType: "def" },
  custom: { ...price, propertyRangeType: "custom", propertyRange: "5" },
};

/** Writes the part about groups, splits and lists of users. */
export async function writeGroups(ask: Ask): Promise<string> {
  const groups = async (groupBy: object): Promise<string> => {
    const eventView = { recentDay: "1-4", timeParticleSize: "total", groupBy: [groupBy] };
    const { y } = await ask("event-analyze", { projectId: 1, eventView, events: pays });
    return y[0]!
      ["pay.TOTAL_TIMES"]!.map(({ group_cols, values }) => `${code(group_cols[0]!)} ${values[0]}`)
      .join("<br>");
  };
  const ofColumns = await Promise.all(
    columns.map(async ([meaning, example]) => [
      meaning,
      code(JSON.stringify(example)),
      await groups(example),
    ]),
  );
  const ofTypes = await Promise.all(
    examplesOf(PropertyRangeTypeSchema, rangeTypes).map(async ({ word, meaning, example }) => [
      code(word),
      meaning,
      code(JSON.stringify(example)),
      await groups(example),
    ]),
  );
  return [
    "## Groups\n",
    "`eventView.groupBy` lists properties by whose values every metric is grouped. Each example is an entry of it, with " +
      "the groups of the payments and their numbers. Without a value the group is `(null)`.\n",
    table(["Meaning", "Example", "Groups"], ofColumns),
    "The `propertyRangeType` says how a number is divided:\n",
    table(["Word", "Meaning", "Example", "Groups"], ofTypes),
    "Several properties make a group of each combination. `limit` is the number of groups that are kept, those with the " +
      "largest totals:\n",
    await showQuery(ask, grouped),
    "## Splits\n",
    "`eventView.eventSplit` breaks single metrics down by one property: those with `eventSplitIndexes`. Each value has a " +
      "result of its own.\n",
    await showQuery(ask, split),
    "## Users behind a number\n",
    "`POST /open/event-user-list` lists the users that a number counts: the metric by `eventIndex`, the bucket by " +
      "`sliceDate`, and the group by `sliceGroupVal`.\n",
    await showUsers(ask),
  ].join("\n");
}

const grouped = {
  projectId: 1,
  eventView: {
    recentDay: "1-4",
    timeParticleSize: "day",
    groupBy: [
      { columnName: "city", tableType: "user" },
      { columnName: "gift", tableType: "event" },
    ],
  },
  events: pays,
  limit: 2,
};

const split = {
  projectId: 1,
  eventView: {
    recentDay: "1-4",
    timeParticleSize: "total",
    eventSplit: {
      event: { eventName: "pay" },
      groupByProp: { columnName: "item", tableType: "event" },
    },
  },
  events: [
    { type: "normal", eventName: "pay", analysis: "TOTAL_TIMES", eventSplitIndexes: [0] },
    { type: "normal", eventName: "login", analysis: "TOTAL_TIMES" },
  ],
};

async function showUsers(ask: Ask): Promise<string> {
  const query = {
    projectId: 1,
    eventView: { recentDay: "1-4", timeParticleSize: "day" },
    events: [{ type: "normal", eventName: "login", analysis: "TRIG_USER_NUM" }],
    eventIndex: 0,
    sliceDate: "2026-03-03",
    sliceGroupVal: ["Overall"],
  };
  const data = await ask<object>("event-user-list", query);
  return show(query, data);
}
