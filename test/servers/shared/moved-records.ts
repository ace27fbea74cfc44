const dayMs = 86_400_000;

type SentRecord = Readonly<Record<string, unknown>>;

/** `yyyy-MM-dd HH:mm:ss.SSS` in UTC. */
const timeOf = (ms: number): string => new Date(ms).toISOString().replace("T", " ").slice(0, -1);

/** Records of every kind, from `from` on: each call with the same numbers returns the same. */
export function records(from: number, until: number, nowMs: number): readonly SentRecord[] {
  return Array.from({ length: until - from }, (_, at) => recordsOf(from + at, nowMs)).flat();
}

function recordsOf(number: number, nowMs: number): readonly SentRecord[] {
  const account = `account-${number % 40}`;
  const ids =
    number % 3 === 0
      ? { "#distinct_id": `device-${number % 25}` }
      : { "#account_id": account, ...(number % 2 === 0 && { "#distinct_id": `device-${number % 25}` }) };
  const base = { "#uuid": `uuid-${number}`, "#zone_offset": 0 };
  const time = timeOf(nowMs - (number % 9) * dayMs - (number % 24) * 3_600_000);
  return [
    {
      "#type": "track",
      "#event_name": number % 5 === 0 ? "buy" : "play",
      ...base,
      ...ids,
      "#time": time,
      ...(number % 7 === 0 && { "#first_check_id": `check-${number % 21}` }),
      properties: eventProperties(number),
    },
    {
      "#type": number % 4 === 0 ? "track_overwrite" : "track_update",
      "#event_name": "order",
      "#event_id": `order-${number % 30}`,
      ...base,
      "#uuid": `update-${number}`,
      ...ids,
      "#time": time,
      properties:
        number % 2 === 0 ? { total: number / 8 } : { state: `state ${number % 4}`, parts: ["a", "b"] },
    },
    ...userRecords(number, { "#account_id": account, "#time": time }),
  ];
}

function eventProperties(number: number): SentRecord {
  return {
    price: number / 7,
    city: `city_${number % 6} "x"`,
    vip: number % 2 === 0,
    items: [`item-${number % 5}`, "gift"],
    detail: { color: number % 2 === 0 ? "red" : "blue", size: number % 3 },
    lines: [{ sku: `s-${number % 4}`, amount: number % 10 }, { sku: "s-0" }],
    ...(number % 11 === 0 && { rare: "only sometimes" }),
  };
}

function userRecords(number: number, common: SentRecord): readonly SentRecord[] {
  const user = (type: string, properties: SentRecord): SentRecord => ({
    ...common,
    "#type": type,
    "#uuid": `${type}-${number}`,
    properties,
  });
  return [
    user("user_add", { coins: (number % 5) + 1 }),
    user("user_set", {
      level: number % 12,
      name: `name ${number % 17}`,
      tags: number % 13 === 0 ? [] : ["t"],
    }),
    user("user_setOnce", { born: `2026-01-0${(number % 9) + 1} 00:00:00` }),
    ...(number % 4 === 0 ? [user("user_append", { tags: [`tag-${number}`] })] : []),
    ...(number % 19 === 0 ? [user("user_unset", { name: 0 })] : []),
    ...(number % 37 === 0 ? [user("user_del", {})] : []),
  ];
}

const eventView = { recentDay: "0-30", timeParticleSize: "day", relation: "and" };
const metric = (analysis: string, eventName = "anyEvent", more: object = {}) => ({
  type: "normal",
  eventName,
  analysis,
  ...more,
});
const column = (columnName: string, tableType = "event") => ({ columnName, tableType });
const by = (...columns: object[]) => ({ eventView: { ...eventView, groupBy: columns } });
const filter = (given: object, comparator: string, ...ftv: string[]) => ({ ...given, comparator, ftv });

/** Queries by path and body. */
export const queries: readonly (readonly [path: string, body: object])[] = [
  ["event-analyze", { events: [metric("TOTAL_TIMES"), metric("TRIG_USER_NUM")], eventView }],
  ["event-analyze", { events: [metric("TRIG_USER_NUM", "play")], ...by(column("city")) }],
  ["event-analyze", { events: [metric("SUM", "anyEvent", { quota: "price" })], ...by(column("vip")) }],
  ["event-analyze", { events: [metric("AVG", "buy", { quota: "price" })], eventView }],
  [
    "event-analyze",
    { events: [metric("PERCENTILE", "play", { analysisParams: "95", quota: "price" })], eventView },
  ],
  ["event-analyze", { events: [metric("TOTAL_TIMES", "play")], ...by(column("items")) }],
  [
    "event-analyze",
    { events: [metric("TOTAL_TIMES")], ...by(column("detail.color"), column("detail.size")) },
  ],
  ["event-analyze", { events: [metric("TOTAL_TIMES")], ...by(column("lines.sku")) }],
  ["event-analyze", { events: [metric("SUM", "order", { quota: "total" })], ...by(column("state")) }],
  ["event-analyze", { events: [metric("TRIG_USER_NUM")], ...by(column("level", "user")) }],
  ["event-analyze", { events: [metric("TRIG_USER_NUM")], ...by(column("tags", "user")) }],
  ["event-analyze", { events: [metric("PER_CAPITA_TIMES", "play")], eventView }],
  [
    "event-analyze",
    {
      events: [
        metric("TRIG_USER_NUM", "play", { filts: [filter(column("vips", "cluster"), "belongToCluster")] }),
      ],
      eventView,
    },
  ],
  [
    "event-analyze",
    {
      events: [
        metric("TOTAL_TIMES", "anyEvent", {
          filts: [filter(column("price"), "greater", "5"), filter(column("rare"), "isNull")],
        }),
      ],
      eventView,
    },
  ],
  ["event-user-list", { events: [metric("TRIG_USER_NUM")], eventView, eventIndex: 0, sliceGroupVal: [] }],
];
