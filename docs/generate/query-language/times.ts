import { TimeParticleSizeSchema } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import { code, table } from "../markdown.ts";
import { showQuery } from "./blocks.ts";
import type { Ask } from "./server.ts";
import { examplesOf } from "./vocabulary.ts";

const day = { startTime: "2026-03-01", endTime: "2026-03-01" };
const hour = { startTime: "2026-03-01 09:00:00", endTime: "2026-03-01 09:14:59" };
const all = { recentDay: "1-4" };

/** A range for each width of a bucket. */
const sizes: Readonly<Record<string, object>> = {
  minute: { startTime: "2026-03-01 09:09:00", endTime: "2026-03-01 09:11:59" },
  minute5: hour,
  minute10: { startTime: "2026-03-01 09:00:00", endTime: "2026-03-01 09:29:59" },
  hour: { startTime: "2026-03-01 09:00:00", endTime: "2026-03-01 11:59:59" },
  day: all,
  week: all,
  month: all,
  quarter: { startTime: "2025-12-01", endTime: "2026-03-04" },
  year: { startTime: "2025-12-01", endTime: "2026-03-04" },
  total: all,
};

const ranges: readonly (readonly [view: object, meaning: string])[] = [
  [{ recentDay: "1-4" }, "From four days before today to the day before today."],
  [{ recentDay: "0-2" }, "The last two days, including today."],
  [{ recentDay: "W0" }, "This week, until today."],
  [{ recentDay: "W1" }, "The last week."],
  [{ recentDay: "M0" }, "This month, until today."],
  [{ recentDay: "M1" }, "The last month."],
  [{ recentDay: "StartToNow", startTime: "2026-03-03" }, "From a day until today."],
  [day, "From a day to a day, both included."],
  [
    { startTime: "2026-03-01 12:00:00", endTime: "2026-03-02 11:59:59" },
    "From a time to a time, both included.",
  ],
];

/** Writes the part about times. */
export async function writeTimes(ask: Ask): Promise<string> {
  const result = async (
    view: object,
  ): Promise<readonly [x: readonly string[], values: readonly string[]]> => {
    const events = [{ type: "normal", eventName: "anyEvent", analysis: "TOTAL_TIMES" }];
    const { x, y } = await ask("event-analyze", { projectId: 1, eventView: view, events });
    return [x, y[0]!["anyEvent.TOTAL_TIMES"]![0]!.values];
  };
  const ofSizes = await Promise.all(
    examplesOf(TimeParticleSizeSchema, sizes).map(async ({ word, meaning, example }) => {
      const view = { ...example, timeParticleSize: word };
      const [x, values] = await result(view);
      return [code(word), meaning, code(JSON.stringify(view)), x.join("<br>"), values.join("<br>")];
    }),
  );
  const ofRanges = await Promise.all(
    ranges.map(async ([view, meaning]) => {
      const [x] = await result({ ...view, timeParticleSize: "day" });
      return [code(JSON.stringify(view)), meaning, x[0]!, x.at(-1)!];
    }),
  );
  return [
    "## Ranges\n",
    "The `recentDay` of `eventView`, or its `startTime` and `endTime`. Today is 2026-03-05, a Thursday. Days are those of " +
      "the query's zone.\n",
    table(["Range", "Meaning", "First day", "Last day"], ofRanges),
    "## Steps\n",
    "The `timeParticleSize` of `eventView` is the width of a bucket of the x axis. The values count all events.\n",
    table(["Word", "Meaning", "Example", "x", "Values"], ofSizes),
    "## Comparison\n",
    "`comparedByTime` computes all metrics over a second range too.\n",
    await showQuery(ask, {
      projectId: 1,
      eventView: {
        recentDay: "1-2",
        comparedByTime: true,
        comparedRecentDay: "3-4",
        timeParticleSize: "day",
      },
      events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
    }),
    "## Zones\n",
    "`zoneOffset` shifts times of events, in hours east of UTC. Without it the zone of the project applies.\n",
    await showQuery(ask, {
      projectId: 1,
      eventView: {
        startTime: "2026-03-01 17:00:00",
        endTime: "2026-03-01 18:59:59",
        timeParticleSize: "hour",
      },
      zoneOffset: 8,
      events: [{ type: "normal", eventName: "anyEvent", analysis: "TOTAL_TIMES" }],
    }),
  ].join("\n");
}
