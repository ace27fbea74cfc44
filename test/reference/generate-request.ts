import { dayMs, dayOf, formatDay, formatSecond, hourMs } from "./calendar.ts";
import { columns, nameColumn } from "./generate-columns.ts";
import { generateFilters } from "./generate-filters.ts";
import { generateMetric } from "./generate-metrics.ts";
import type { Scene } from "./generate-records.ts";
import type { Random } from "./random.ts";

export type Request = Record<string, unknown>;

const groupable = columns.filter(({ type }) => type !== "object");

/** A request that must be answered. */
export function generateRequest(random: Random, scene: Scene): Request {
  const groupBy = Array.from({ length: random.few(0, 3) }, () => generateGroup(random));
  const split = random.chance(0.12);
  const zoneOffset = random.chance(0.25) ? random.pick([0, 8, 14, -12, 5.5, -3.5, 5.75]) : undefined;
  return {
    projectId: random.chance(0.2) ? String(scene.project.projectId) : scene.project.projectId,
    eventView: {
      ...generateTimes(random, scene),
      ...generateFilters(random, scene, 3),
      ...(groupBy.length > 0 && { groupBy }),
      ...(split && { eventSplit: { event: { eventName: "login" }, groupByProp: generateGroup(random) } }),
      ...(!split && random.chance(0.05) && { eventSplit: {} }),
    },
    events: Array.from({ length: random.few(1, 4) }, () => generateMetric(random, scene, split)),
    useCache: false,
    ...(zoneOffset !== undefined && { zoneOffset: random.chance(0.2) ? String(zoneOffset) : zoneOffset }),
    ...(random.chance(0.15) && { limit: random.pick([random.few(1, 8), "5"]) }),
    ...(random.chance(0.1) && { useSameResultKey: random.chance(0.5) }),
  };
}

function generateGroup(random: Random): Record<string, unknown> {
  const column = random.pick(groupable);
  const range = random.pick(["1", "0,5", "2.5,10,40", "-4,0,1"]);
  const isNumber = column.type === "number" || column.columnName === "items.count";
  const cut = isNumber && random.chance(0.5);
  const moments = ["2024-03-25", "2024-03-31 02:30:00"].join();
  return {
    ...nameColumn(random, column),
    ...(column.type === "time" && random.chance(0.8) && { propertyRange: moments }),
    ...(cut &&
      random.pick([
        { propertyRange: range },
        { propertyRange: range, propertyRangeType: "custom" },
        { propertyRangeType: "discrete" },
        { propertyRangeType: "def" },
      ])),
  };
}

function generateTimes(random: Random, scene: Scene): Record<string, unknown> {
  const days = Math.round((scene.endMs - scene.startMs) / dayMs);
  const first = random.int(0, days - 1);
  const last = random.int(first, Math.min(days, first + 9));
  const start = dayOf(scene.startMs) + first * dayMs;
  const end = dayOf(scene.startMs) + last * dayMs;
  const short = end - start <= 2 * dayMs;
  const unit = random.pick(
    short
      ? ["minute10", "hour", "hour", "day", "day", "total"]
      : ["day", "day", "day", "week", "month", "quarter", "year", "total", "total"],
  );
  return {
    timeParticleSize: unit,
    ...(random.chance(0.35) && !short ? recent(random, start) : absolute(random, start, end, unit)),
    ...(random.chance(0.2) ? compared(random, start, end) : random.chance(0.1) && { comparedByTime: false }),
  };
}

function recent(random: Random, start: number): Record<string, unknown> {
  const near = random.int(1, 6);
  const recentDay = random.pick([
    `${near}-${near + random.int(0, 6)}`,
    `0-${random.int(1, 10)}`,
    "W0",
    "W1",
    "M0",
    "M1",
    "StartToNow",
  ]);
  return {
    recentDay,
    ...((recentDay === "StartToNow" || random.chance(0.2)) && { startTime: `${formatDay(start)} 00:00:00` }),
  };
}

function absolute(random: Random, start: number, end: number, unit: string): Record<string, unknown> {
  if (random.chance(0.2)) return { startTime: formatDay(start), endTime: formatDay(end), recentDay: "" };
  const minutes = unit === "minute10" || unit === "hour" || random.chance(0.15);
  const from = start + (minutes ? random.int(8, 12) * hourMs + random.pick([0, 90, 3599]) * 1000 : 0);
  const to = end + (minutes ? random.int(13, 23) * hourMs + random.pick([0, 59, 1800]) * 1000 : dayMs - 1000);
  return { startTime: formatSecond(from), endTime: formatSecond(to) };
}

function compared(random: Random, start: number, end: number): Record<string, unknown> {
  const back = random.int(0, 8) * dayMs;
  return {
    comparedByTime: true,
    ...(random.chance(0.4)
      ? { comparedRecentDay: random.pick(["1-3", "3-7", "0-2", "W1"]) }
      : {
          comparedStartTime: formatSecond(start - back),
          comparedEndTime: formatSecond(end - back + dayMs - 1000),
        }),
  };
}
