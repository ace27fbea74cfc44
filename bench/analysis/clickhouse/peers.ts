import { dayMs, days, firstDayMs } from "../data.ts";

/**
 * SQL written by hand in all plausible ways, by the names of the typical requests; the fastest counts. It reads one
 * table with typed columns, sorted by event and time. Columns are those of groups, then the bucket's start (or its
 * number of hours), then the metrics.
 */
export const peers: Readonly<Record<string, readonly string[]>> = {
  "uniques by city and day": uniquesBy("city, toDate(time) AS day", "event = 'view'"),
  "95th percentile by day": quantiles("0.95"),
  "sum and average by 1,000 servers and day": [
    "SELECT server, toDate(time) AS day, sum(score), avg(score) FROM peer GROUP BY 1, 2",
  ],
  "times per user by day": [
    "SELECT toDate(time) AS day, count() / uniqExact(user_id) FROM peer WHERE event = 'view' GROUP BY 1",
    "SELECT toDate(time) AS day, count() / groupBitmap(user_id) FROM peer WHERE event = 'view' GROUP BY 1",
    `SELECT day, sum(n) / count() FROM
       (SELECT toDate(time) AS day, user_id, count() AS n FROM peer WHERE event = 'view' GROUP BY 1, 2) GROUP BY 1`,
  ],
  "user list of a city": [
    `SELECT * FROM peer_users
     WHERE user_id IN (SELECT user_id FROM peer WHERE event = 'purchase' AND city = 'city_7') ORDER BY user_id`,
  ],
  "times and uniques of any event by day": [
    "SELECT toDate(time) AS day, count(), uniqExact(user_id) FROM peer GROUP BY 1",
    "SELECT toDate(time) AS day, count(), groupBitmap(user_id) FROM peer GROUP BY 1",
    `SELECT day, sum(n), count() FROM
       (SELECT toDate(time) AS day, user_id, count() AS n FROM peer GROUP BY 1, 2) GROUP BY 1`,
  ],
  "uniques by channel, two halves of the month compared": uniquesBy(
    "channel, toDate(time) AS day",
    `event = 'click' AND time >= ${instant(firstDayMs)} AND time < ${instant(firstDayMs + days * dayMs)}`,
  ),
  "times by item of a list and day": [
    `SELECT arrayJoin(arrayDistinct(items)) AS item, toDate(time) AS day, count()
     FROM peer WHERE event = 'purchase' GROUP BY 1, 2`,
  ],
  "filtered sum by day": [
    `SELECT toDate(time) AS day, sum(price) FROM peer WHERE event = 'purchase'
       AND channel IN ('channel_1', 'channel_2', 'channel_5') AND vip = false AND level > 20 GROUP BY 1`,
  ],
  "times by hour in a zone of 5.5 hours": hourly(5.5 * 3_600_000),
  "median by channel and day": quantiles("0.5", "channel, "),
  "three metrics at once by day": [
    `SELECT toDate(time) AS day, countIf(event = 'purchase'), uniqExactIf(user_id, event = 'login'),
       sumIf(price, event = 'purchase') FROM peer WHERE event IN ('login', 'purchase') GROUP BY 1`,
    `SELECT day, times, users, price FROM
       (SELECT toDate(time) AS day, count() AS times, sum(price) AS price FROM peer WHERE event = 'purchase' GROUP BY 1) a
     FULL JOIN
       (SELECT toDate(time) AS day, uniqExact(user_id) AS users FROM peer WHERE event = 'login' GROUP BY 1) b USING (day)`,
  ],
};

/** Returns ways to count users by some columns. */
function uniquesBy(columns: string, where: string): string[] {
  return [
    `SELECT ${columns}, uniqExact(user_id) FROM peer WHERE ${where} GROUP BY ALL`,
    `SELECT ${columns}, groupBitmap(user_id) FROM peer WHERE ${where} GROUP BY ALL`,
    `SELECT * EXCEPT user_id, count() FROM (SELECT DISTINCT ${columns}, user_id FROM peer WHERE ${where}) GROUP BY ALL`,
  ];
}

function quantiles(fraction: string, keys = ""): string[] {
  const of = (value: string) =>
    `SELECT ${keys}toDate(time) AS day, quantileExactInclusive(${fraction})(${value})
     FROM peer WHERE event = 'view' GROUP BY ALL`;
  return [of("duration"), of("assumeNotNull(duration)")];
}

function hourly(zoneMs: number): string[] {
  const [startMs, endMs] = [firstDayMs + dayMs - zoneMs, firstDayMs + days * dayMs - zoneMs];
  const of = (hour: string) =>
    `SELECT ${hour} AS hour, count() FROM peer
     WHERE event = 'view' AND time >= ${instant(startMs)} AND time < ${instant(endMs)} GROUP BY 1`;
  return [
    of(`toStartOfHour(time + INTERVAL ${zoneMs / 60_000} MINUTE)`),
    of(`intDiv(toUnixTimestamp64Milli(time) + ${zoneMs}, 3600000)`),
  ];
}

function instant(ms: number): string {
  return `fromUnixTimestamp64Milli(${ms}, 'UTC')`;
}
