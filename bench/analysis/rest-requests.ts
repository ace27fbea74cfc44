import { dayMs, days, firstDayMs, projectId } from "./data.ts";

/** A request as clients of the platform's API send it. */
export interface RestRequest {
  readonly path: "/open/event-analyze" | "/open/event-user-list";
  readonly body: Readonly<Record<string, unknown>>;
}

type Metric = Readonly<Record<string, unknown>>;

const column = (columnName: string) => ({ columnName, tableType: "event" });
const by = (name: string) => ({ groupBy: [column(name)] });

/** @param event any event if omitted */
function metric(analysis: string, event = "anyEvent", more: Metric = {}): Metric {
  return { type: "normal", eventName: event, analysis, ...more };
}

/** Returns the start of the first and the end of the last local day. */
function daysFrom(fromDay: number, lastDay: number) {
  const text = (day: number) => new Date(firstDayMs + day * dayMs).toISOString().slice(0, 10);
  return [`${text(fromDay)} 00:00:00`, `${text(lastDay)} 23:59:59`] as const;
}

function body(events: readonly Metric[], view: object = {}, [startTime, endTime] = daysFrom(0, days - 1)) {
  const eventView = { startTime, endTime, timeParticleSize: "day", relation: "and", ...view };
  return { projectId, eventView, events, useCache: false };
}

function analyze(...given: Parameters<typeof body>): RestRequest {
  return { path: "/open/event-analyze", body: body(...given) };
}

const filter = (columnName: string, comparator: string, ...ftv: readonly string[]) => ({
  ...column(columnName),
  filterType: "SIMPLE",
  comparator,
  ftv,
});

const [comparedStartTime, comparedEndTime] = daysFrom(0, 14);

/** The REST requests by the names of the typical requests. */
export const restRequests: Readonly<Record<string, RestRequest>> = {
  "uniques by city and day": analyze([metric("TRIG_USER_NUM", "view")], by("city")),
  "95th percentile by day": analyze([
    metric("PERCENTILE", "view", { analysisParams: "95", quota: "duration" }),
  ]),
  "sum and average by 1,000 servers and day": analyze(
    ["SUM", "AVG"].map((analysis) => metric(analysis, "anyEvent", { quota: "score" })),
    by("server"),
  ),
  "times per user by day": analyze([metric("PER_CAPITA_TIMES", "view")]),
  "user list of a city": {
    path: "/open/event-user-list",
    body: {
      ...body([metric("TRIG_USER_NUM", "purchase")], by("city")),
      eventIndex: 0,
      sliceGroupVal: ["city_7"],
    },
  },
  "times and uniques of any event by day": analyze([metric("TOTAL_TIMES"), metric("TRIG_USER_NUM")]),
  "uniques by channel, two halves of the month compared": analyze(
    [metric("TRIG_USER_NUM", "click")],
    { ...by("channel"), comparedByTime: true, comparedStartTime, comparedEndTime },
    daysFrom(15, 29),
  ),
  "times by item of a list and day": analyze([metric("TOTAL_TIMES", "purchase")], by("items")),
  "filtered sum by day": analyze([metric("SUM", "purchase", { quota: "price" })], {
    filts: [
      filter("channel", "equal", "channel_1", "channel_2", "channel_5"),
      filter("vip", "isFalse"),
      filter("level", "greater", "20"),
    ],
  }),
  "times by hour in a zone of 5.5 hours": {
    path: "/open/event-analyze",
    body: {
      ...body([metric("TOTAL_TIMES", "view")], { timeParticleSize: "hour" }, daysFrom(1, days - 1)),
      zoneOffset: 5.5,
    },
  },
  "median by channel and day": analyze([metric("MEDIAN", "view", { quota: "duration" })], by("channel")),
  "three metrics at once by day": analyze([
    metric("TOTAL_TIMES", "purchase"),
    metric("TRIG_USER_NUM", "login"),
    metric("SUM", "purchase", { quota: "price" }),
  ]),
};

/** Requests of several metrics, for which the passes over the events are counted. */
export const severalMetrics: Readonly<Record<string, RestRequest>> = {
  "sum and average by server": restRequests["sum and average by 1,000 servers and day"]!,
  "times and uniques of any event": restRequests["times and uniques of any event by day"]!,
  "three metrics of two events": restRequests["three metrics at once by day"]!,
  "ten metrics of two events": analyze([
    ...["TOTAL_TIMES", "TRIG_USER_NUM", "PER_CAPITA_TIMES"].map((analysis) => metric(analysis, "purchase")),
    ...["SUM", "AVG", "PER_CAPITA_NUM", "MAX", "MIN", "MEDIAN"].map((analysis) =>
      metric(analysis, "purchase", { quota: "price" }),
    ),
    metric("TOTAL_TIMES", "login"),
  ]),
  "eight metrics by channel": analyze(
    [
      ...["TOTAL_TIMES", "TRIG_USER_NUM", "PER_CAPITA_TIMES"].map((analysis) => metric(analysis, "view")),
      ...["SUM", "AVG", "MAX", "MIN", "PER_CAPITA_NUM"].map((analysis) =>
        metric(analysis, "view", { quota: "duration" }),
      ),
    ],
    by("channel"),
  ),
};
