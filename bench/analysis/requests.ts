import type {
  Buckets,
  Expression,
  GroupKey,
  Measure,
  Predicate,
  Property,
  Scan,
  UserScan,
} from "../../store/events/events.ts";
import { dayMs, days, eventNumber, firstDayMs, projectId, properties } from "./data.ts";

/** A typical request: the scans of the store, and SQL with the same numbers. */
export interface TypicalRequest {
  readonly name: string;
  readonly scans?: readonly Scan[];
  readonly users?: UserScan;
  /**
   * SQL written by hand in all plausible ways; the fastest counts. The rows of each statement are read whole. Columns
   * are those of groups, then the bucket's start (or its number of hours), then the metrics.
   */
  readonly peer: readonly string[];
}

const { city, channel, server, price, duration, vip, level, items, score } = properties;

const of = (property: Property): Expression => ({ kind: "property", property });
const by = (property: Property): GroupKey => ({ kind: "values", of: of(property) });
const userId: Expression = { kind: "builtin", name: "user_id" };
const count = { kind: "count" } as const;
const uniques = { kind: "distinct", of: userId, as: "value" } as const;
const always: Predicate = { kind: "always", value: true };

/** @param event any event if omitted */
function measure(aggregate: Measure["aggregate"], event?: string, where: Predicate = always): Measure {
  return { aggregate, where, events: event === undefined ? undefined : [eventNumber(event)] };
}

function daily(fromDay = 0, untilDay = days): Buckets {
  const [startMs, endMs] = [firstDayMs + fromDay * dayMs, firstDayMs + untilDay * dayMs];
  const localEdges = Array.from({ length: untilDay - fromDay + 1 }, (_, day) => startMs + day * dayMs);
  return { startMs, endMs, localEdges };
}

function scan(measures: readonly Measure[], keys: readonly GroupKey[] = [], more: Partial<Scan> = {}): Scan {
  const zone = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: 0 }];
  return { projectId, zone, buckets: daily(), keys, measures, totals: keys.length > 0, ...more };
}

const zoneMs = 5.5 * 3_600_000;
const hours = days * 24 - 24;
const zonedStartMs = firstDayMs + dayMs;
const hourly: Buckets = {
  startMs: zonedStartMs - zoneMs,
  endMs: zonedStartMs - zoneMs + hours * 3_600_000,
  localEdges: Array.from({ length: hours + 1 }, (_, hour) => zonedStartMs + hour * 3_600_000),
};

const filter: Predicate = {
  kind: "and",
  of: [
    { kind: "in", of: of(channel), values: ["channel_1", "channel_2", "channel_5"] },
    { kind: "in", of: of(vip), values: [false] },
    { kind: "compare", operator: ">", left: of(level), right: { kind: "number", value: 20 } },
  ],
};
const filterSql = "channel IN ('channel_1', 'channel_2', 'channel_5') AND vip = false AND level > 20";
const timeOf = (day: number) => `make_timestamp(${(firstDayMs + day * dayMs) * 1000})`;

/** Returns two ways to count users by some columns. */
function uniquesBy(columns: string, where = "true"): string[] {
  return [
    `SELECT ${columns}, count(DISTINCT user_id) FROM peer WHERE ${where} GROUP BY ALL`,
    `SELECT columns(* EXCLUDE user_id), count(*) FROM (SELECT DISTINCT ${columns}, user_id FROM peer WHERE ${where}) GROUP BY ALL`,
  ];
}

const day = "time::DATE AS day";

export const requests: readonly TypicalRequest[] = [
  {
    name: "uniques by city and day",
    scans: [scan([measure(uniques, "view")], [by(city)])],
    peer: uniquesBy(`city, ${day}`, "event = 'view'"),
  },
  {
    name: "95th percentile by day",
    scans: [scan([measure({ kind: "quantile", of: of(duration), fraction: 0.95 }, "view")])],
    peer: [`SELECT ${day}, quantile_cont(duration, 0.95) FROM peer WHERE event = 'view' GROUP BY 1`],
  },
  {
    name: "sum and average by 1,000 servers and day",
    scans: [
      scan(
        [measure({ kind: "sum", of: of(score) }), measure({ kind: "values", of: of(score) })],
        [by(server)],
      ),
    ],
    peer: [`SELECT server, ${day}, sum(score), avg(score) FROM peer GROUP BY 1, 2`],
  },
  {
    name: "times per user by day",
    scans: [scan([measure(count, "view"), measure(uniques, "view")])],
    peer: [
      `SELECT ${day}, count(*) / count(DISTINCT user_id) FROM peer WHERE event = 'view' GROUP BY 1`,
      `SELECT day, sum(n) / count(*) FROM (SELECT ${day}, user_id, count(*) AS n FROM peer WHERE event = 'view' GROUP BY 1, 2) GROUP BY 1`,
    ],
  },
  {
    name: "user list of a city",
    users: { scan: scan([measure(uniques, "purchase")], [by(city)]), group: ["city_7"] },
    peer: [
      `SELECT u.* FROM u1 u SEMI JOIN (SELECT user_id FROM peer WHERE event = 'purchase' AND city = 'city_7') p USING (user_id) ORDER BY user_id`,
    ],
  },
  {
    name: "times and uniques of any event by day",
    scans: [scan([measure(count), measure(uniques)])],
    peer: [
      `SELECT ${day}, count(*), count(DISTINCT user_id) FROM peer GROUP BY 1`,
      `SELECT day, sum(n), count(*) FROM (SELECT ${day}, user_id, count(*) AS n FROM peer GROUP BY 1, 2) GROUP BY 1`,
    ],
  },
  {
    name: "uniques by channel, two halves of the month compared",
    scans: [
      scan([measure(uniques, "click")], [by(channel)], { buckets: daily(15, 30) }),
      scan([measure(uniques, "click")], [by(channel)], { buckets: daily(0, 15) }),
    ],
    peer: uniquesBy(`channel, ${day}`, `event = 'click' AND time >= ${timeOf(0)} AND time < ${timeOf(30)}`),
  },
  {
    name: "times by item of a list and day",
    scans: [scan([measure(count, "purchase")], [by(items)])],
    peer: [
      `SELECT item, day, count(*) FROM (SELECT unnest(list_distinct(items)) AS item, ${day} FROM peer WHERE event = 'purchase') GROUP BY 1, 2`,
    ],
  },
  {
    name: "filtered sum by day",
    scans: [scan([measure({ kind: "sum", of: of(price) }, "purchase", filter)])],
    peer: [`SELECT ${day}, sum(price) FROM peer WHERE event = 'purchase' AND ${filterSql} GROUP BY 1`],
  },
  {
    name: "times by hour in a zone of 5.5 hours",
    scans: [
      scan([measure(count, "view")], [], {
        buckets: hourly,
        zone: [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: zoneMs }],
      }),
    ],
    peer: [
      `SELECT date_trunc('hour', time + INTERVAL 330 MINUTE) AS hour, count(*) FROM peer
       WHERE event = 'view' AND time >= make_timestamp(${hourly.startMs * 1000}) AND time < make_timestamp(${hourly.endMs * 1000}) GROUP BY 1`,
      `SELECT (epoch_ms(time) + ${zoneMs}) // 3600000 AS hour, count(*) FROM peer
       WHERE event = 'view' AND time >= make_timestamp(${hourly.startMs * 1000}) AND time < make_timestamp(${hourly.endMs * 1000}) GROUP BY 1`,
    ],
  },
  {
    name: "median by channel and day",
    scans: [scan([measure({ kind: "quantile", of: of(duration), fraction: 0.5 }, "view")], [by(channel)])],
    peer: [`SELECT channel, ${day}, median(duration) FROM peer WHERE event = 'view' GROUP BY 1, 2`],
  },
  {
    name: "three metrics at once by day",
    scans: [
      scan([
        measure(count, "purchase"),
        measure(uniques, "login"),
        measure({ kind: "sum", of: of(price) }, "purchase"),
      ]),
    ],
    peer: [
      `SELECT ${day}, count(*) FILTER (event = 'purchase'), count(DISTINCT user_id) FILTER (event = 'login'),
         sum(price) FILTER (event = 'purchase') FROM peer WHERE event IN ('login', 'purchase') GROUP BY 1`,
      `SELECT day, times, users, price FROM (SELECT ${day}, count(*) AS times, sum(price) AS price FROM peer WHERE event = 'purchase' GROUP BY 1)
       FULL JOIN (SELECT ${day}, count(DISTINCT user_id) AS users FROM peer WHERE event = 'login' GROUP BY 1) USING (day)`,
    ],
  },
];
